/*--- sim
about   = "a column of a matrix in a buffer by an index of 3 and more, repaired"
grid    = [1, 1, 1]
buffers = [
  { type = "f32", len = 96, fill = "uniform", lo = -1.0, hi = 1.0, seed = 1 },
  { type = "f32", len = 16, check = "bits" },
]
---*/
@group(0) @binding(0) var<storage, read> a: array<mat3x3<f32>, 8>;
@group(0) @binding(1) var<storage, read_write> r: array<f32>;

@compute @workgroup_size(16)
fn main(@builtin(local_invocation_index) lane: u32) {
    r[lane] = a[lane % 8u][lane % 3u].y;
}
