/*--- sim
about   = "a loop writes one element behind a local array"
grid    = [1, 1, 1]
finding = [
  { kind = "out of bounds", at = 'xs[j] = j + lane;' },
]
buffers = [
  { type = "u32", len = 64, check = "bits" },
]
---*/
@group(0) @binding(0) var<storage, read_write> r: array<u32>;

@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) lane: u32) {
    var xs: array<u32, 8>;
    for (var j = 0u; j <= 8u; j++) {
        xs[j] = j + lane;
    }
    r[lane] = xs[lane % 8u];
}
