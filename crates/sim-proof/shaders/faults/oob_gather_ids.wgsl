/*--- sim
about   = "an id of the table is not checked"
grid    = [1, 1, 1]
finding = [
  { kind = "out of bounds", at = 'r[lane] = table[ids[lane] * 4u + 1u];' },
]
buffers = [
  { type = "u32", len = 64, fill = "uniform", lo = 0, hi = 40, seed = 1 },
  { type = "f32", len = 128, fill = "uniform", lo = -1.0, hi = 1.0, seed = 1 },
  { type = "f32", len = 64, check = "bits" },
]
---*/
@group(0) @binding(0) var<storage, read> ids: array<u32>;
@group(0) @binding(1) var<storage, read> table: array<f32>;
@group(0) @binding(2) var<storage, read_write> r: array<f32>;

@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) lane: u32) {
    r[lane] = table[ids[lane] * 4u + 1u];
}
