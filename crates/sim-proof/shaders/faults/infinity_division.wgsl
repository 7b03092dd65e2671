/*--- sim
about   = "a reciprocal of zero"
grid    = [1, 1, 1]
finding = [
  { kind = "infinity produced", note = true, at = 'r[lane] = 1.0 / a[lane];' },
]
buffers = [
  { type = "f32", len = 64, fill = "iota" },
  { type = "f32", len = 64, check = "bits" },
]
---*/
@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read_write> r: array<f32>;

@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) lane: u32) {
    r[lane] = 1.0 / a[lane];
}
