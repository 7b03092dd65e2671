/*--- sim
about   = "neighbouring lanes write neighbouring components of the same vector"
grid    = [1, 1, 1]
buffers = [
  { type = "u32", len = 64, check = "bits" },
]
---*/
@group(0) @binding(0) var<storage, read_write> r: array<u32>;

var<workgroup> v: array<vec4<u32>, 16>;

@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) lane: u32) {
    v[lane / 4u][lane & 3u] = lane * lane;
    workgroupBarrier();
    let w = v[15u - lane / 4u];
    r[lane] = w[3u - (lane & 3u)] + w.x;
}
