/*--- sim
about   = "a countdown of a u32 to below zero"
grid    = [1, 1, 1]
finding = [
  { kind = "endless loop", at = 'for (var j = 10u; j >= 0u; j--) {' },
]
buffers = [
  { type = "u32", len = 64, check = "bits" },
]
---*/
@group(0) @binding(0) var<storage, read_write> r: array<u32>;

@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) lane: u32) {
    var s = 0u;
    for (var j = 10u; j >= 0u; j--) {
        s += j;
    }
    r[lane] = s;
}
