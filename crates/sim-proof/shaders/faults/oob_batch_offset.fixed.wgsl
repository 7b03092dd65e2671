/*--- sim
about   = "the offset of a batch is added twice, repaired"
grid    = [3, 1, 1]
buffers = [
  { type = "f32", len = 192, fill = "uniform", lo = -1.0, hi = 1.0, seed = 1 },
  { type = "f32", len = 192, check = "bits" },
]
---*/
@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read_write> r: array<f32>;

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) wg: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let base = wg.x * 64u;
    r[base + lane] = a[base + lane];
}
