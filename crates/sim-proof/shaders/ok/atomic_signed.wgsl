/*--- sim
about   = "atomics on i32 in workgroup memory"
grid    = [3, 1, 1]
buffers = [
  { type = "i32", len = 192, fill = "uniform", lo = -100, hi = 100, seed = 1 },
  { type = "i32", len = 12, check = "bits" },
]
---*/
@group(0) @binding(0) var<storage, read> a: array<i32>;
@group(0) @binding(1) var<storage, read_write> r: array<i32>;

var<workgroup> sum: atomic<i32>;
var<workgroup> low: atomic<i32>;
var<workgroup> high: atomic<i32>;
var<workgroup> bits: atomic<i32>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(workgroup_id) wg: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let x = a[id.x];
    atomicAdd(&sum, x);
    atomicMin(&low, x);
    atomicMax(&high, x);
    atomicXor(&bits, x);
    workgroupBarrier();
    if lane == 0u {
        r[wg.x * 4u] = atomicLoad(&sum);
        r[wg.x * 4u + 1u] = atomicLoad(&low);
        r[wg.x * 4u + 2u] = atomicLoad(&high);
        r[wg.x * 4u + 3u] = atomicLoad(&bits);
    }
}
