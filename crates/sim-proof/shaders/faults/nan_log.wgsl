/*--- sim
about   = "a logarithm of a negative number"
grid    = [1, 1, 1]
finding = [
  { kind = "NaN produced", note = true, at = 'r[lane] = log(a[lane]);' },
]
buffers = [
  { type = "f32", len = 64, fill = "uniform", lo = -1, hi = 1, seed = 1 },
  { type = "f32", len = 64, check = "bits" },
]
---*/
@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read_write> r: array<f32>;

@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) lane: u32) {
    r[lane] = log(a[lane]);
}
