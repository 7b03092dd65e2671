/*--- sim
about   = "a function with a barrier, called by some lanes only"
grid    = [1, 1, 1]
finding = [
  { kind = "divergent barrier", at = 'workgroupBarrier();' },
]
buffers = [
  { type = "u32", len = 64, fill = "uniform", lo = 0, hi = 100, seed = 1 },
  { type = "u32", len = 64, check = "bits" },
]
---*/
@group(0) @binding(0) var<storage, read> a: array<u32>;
@group(0) @binding(1) var<storage, read_write> r: array<u32>;

var<workgroup> x: array<u32, 64>;

fn exchange(lane: u32) -> u32 {
    workgroupBarrier();
    return x[lane ^ 1u];
}

@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) lane: u32) {
    x[lane] = a[lane];
    r[lane] = 0u;
    if a[lane] > 50u { r[lane] = exchange(lane); }
}
