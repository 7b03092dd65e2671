/*--- sim
about   = "an inner array is left although the buffer goes on"
grid    = [1, 1, 1]
finding = [
  { kind = "out of bounds", at = 'r[lane] = rows[lane / 2u].xs[lane % 2u * 6u];' },
]
buffers = [
  { type = "u32", len = 64, fill = "iota" },
  { type = "u32", len = 16, check = "bits" },
]
---*/
struct Row { xs: array<u32, 6>, rest: vec2<u32> }

@group(0) @binding(0) var<storage, read> rows: array<Row, 8>;
@group(0) @binding(1) var<storage, read_write> r: array<u32>;

@compute @workgroup_size(16)
fn main(@builtin(local_invocation_index) lane: u32) {
    r[lane] = rows[lane / 2u].xs[lane % 2u * 6u];
}
