/*--- sim
about   = "a barrier in one case of a switch over the data"
grid    = [1, 1, 1]
finding = [
  { kind = "divergent barrier", at = 'workgroupBarrier();' },
]
buffers = [
  { type = "u32", len = 64, fill = "uniform", lo = 0, hi = 3, seed = 1 },
  { type = "u32", len = 64, check = "bits" },
]
---*/
@group(0) @binding(0) var<storage, read> a: array<u32>;
@group(0) @binding(1) var<storage, read_write> r: array<u32>;

var<workgroup> x: array<u32, 64>;

@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) lane: u32) {
    switch a[lane] {
        case 1u: {
            x[lane] = 5u;
            workgroupBarrier();
        }
        default: {
            x[lane] = 7u;
        }
    }
    r[lane] = x[lane];
}
