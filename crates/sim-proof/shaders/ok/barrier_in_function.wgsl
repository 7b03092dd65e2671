/*--- sim
about   = "a barrier inside a function, called from two places"
grid    = [2, 1, 1]
buffers = [
  { type = "u32", len = 128, check = "bits" },
]
---*/
@group(0) @binding(0) var<storage, read_write> r: array<u32>;

var<workgroup> x: array<u32, 64>;

fn exchange(lane: u32, value: u32, from_lane: u32) -> u32 {
    workgroupBarrier();
    x[lane] = value;
    workgroupBarrier();
    return x[from_lane];
}

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    var v = exchange(lane, lane * 3u, lane ^ 1u);
    v = exchange(lane, v + id.x, 63u - lane);
    r[id.x] = v;
}
