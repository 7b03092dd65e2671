/*--- sim
about   = "rows of a table gathered by ids"
grid    = [5, 1, 1]
buffers = [
  { type = "u32", len = 5, fill = "uniform", lo = 0, hi = 9, seed = 1 },
  { type = "f32", len = 320, fill = "uniform", lo = -1.0, hi = 1.0, seed = 1 },
  { type = "f32", len = 160, check = "bits" },
]
---*/
@group(0) @binding(0) var<storage, read> ids: array<u32>;
@group(0) @binding(1) var<storage, read> table: array<f32>;
@group(0) @binding(2) var<storage, read_write> y: array<f32>;

@compute @workgroup_size(32)
fn main(@builtin(workgroup_id) wg: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    y[wg.x * 32u + lane] = table[ids[wg.x] * 32u + lane];
}
