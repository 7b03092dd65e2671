/*--- sim
about   = "a scan that reads neighbours while they are written"
grid    = [1, 1, 1]
finding = [
  { kind = "race", at = 'x[lane] += add;' },
]
buffers = [
  { type = "u32", len = 64, fill = "uniform", lo = 0, hi = 100, seed = 1 },
  { type = "u32", len = 64, check = "bits" },
]
---*/
@group(0) @binding(0) var<storage, read> a: array<u32>;
@group(0) @binding(1) var<storage, read_write> r: array<u32>;

var<workgroup> x: array<u32, 64>;

@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) lane: u32) {
    x[lane] = a[lane];
    workgroupBarrier();
    for (var d = 1u; d < 64u; d *= 2u) {
        var add = 0u;
        if lane >= d {
            add = x[lane - d];
        }
        x[lane] += add;
        workgroupBarrier();
    }
    r[lane] = x[lane];
}
