/*--- sim
about   = "workgroupUniformLoad in a branch of some lanes"
grid    = [1, 1, 1]
finding = [
  { kind = "divergent barrier", at = 'x = workgroupUniformLoad(&n);' },
]
buffers = [
  { type = "u32", len = 64, check = "bits" },
]
---*/
@group(0) @binding(0) var<storage, read_write> r: array<u32>;

var<workgroup> n: u32;

@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) lane: u32) {
    if lane == 0u {
        n = 9u;
    }
    var x = 0u;
    if lane > 10u { x = workgroupUniformLoad(&n); }
    r[lane] = x;
}
