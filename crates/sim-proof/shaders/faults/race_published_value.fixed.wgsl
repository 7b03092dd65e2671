/*--- sim
about   = "one lane writes a value that the others read at once, repaired"
grid    = [2, 1, 1]
buffers = [
  { type = "u32", len = 2, fill = "uniform", lo = 0, hi = 100, seed = 1 },
  { type = "u32", len = 128, check = "bits" },
]
---*/
@group(0) @binding(0) var<storage, read> a: array<u32>;
@group(0) @binding(1) var<storage, read_write> r: array<u32>;

var<workgroup> shared_value: u32;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(workgroup_id) wg: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    if lane == 0u {
        shared_value = a[wg.x];
    }
    workgroupBarrier();
    r[id.x] = shared_value;
}
