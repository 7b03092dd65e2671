/*--- sim
about   = "workgroup size and array length by overrides"
grid    = [3, 1, 1]
buffers = [
  { type = "u32", len = 96, check = "bits" },
]
---*/
override W: u32 = 16;
@group(0) @binding(0) var<storage, read_write> r: array<u32>;

var<workgroup> x: array<u32, W * 2u>;

@compute @workgroup_size(W, 2)
fn main(@builtin(workgroup_id) wg: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    x[lane] = lane * 2u;
    workgroupBarrier();
    let n = W * 2u;
    r[wg.x * n + lane] = x[n - 1u - lane];
}
