/*--- sim
about   = "the same, reading what was written"
grid    = [1, 1, 1]
buffers = [
  { type = "f32", len = 64, fill = "uniform", seed = 1 },
  { type = "f32", len = 128 },
  { type = "f32", len = 64, check = "bits" },
]
---*/
@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> r: array<f32>;
@group(0) @binding(2) var<storage, read_write> y: array<f32>;

@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) lane: u32) {
    r[2u * lane] = x[lane];
    let before = r[2u * lane];
    y[lane] = x[lane] + select(0.0, before, lane > 64u);
}
