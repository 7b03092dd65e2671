/*--- sim
about   = "atomicStore and atomicLoad across a barrier"
grid    = [2, 1, 1]
buffers = [
  { type = "u32", len = 128, check = "bits" },
]
---*/
@group(0) @binding(0) var<storage, read_write> r: array<u32>;

var<workgroup> x: array<atomic<u32>, 64>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    atomicStore(&x[lane], id.x * 3u);
    workgroupBarrier();
    r[id.x] = atomicLoad(&x[(lane + 31u) % 64u]);
}
