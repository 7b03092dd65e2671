/*--- sim
about   = "each branch has its own barrier: lanes wait at different ones"
grid    = [1, 1, 1]
finding = [
  { kind = "divergent barrier", at = 'workgroupBarrier();' },
]
buffers = [
  { type = "u32", len = 64, check = "bits" },
]
---*/
@group(0) @binding(0) var<storage, read_write> r: array<u32>;

var<workgroup> x: array<u32, 64>;

@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) lane: u32) {
    if lane % 2u == 0u {
        x[lane] = 1u;
        workgroupBarrier();
    } else {
        x[lane] = 2u;
        workgroupBarrier();
    }
    r[lane] = x[lane ^ 1u];
}
