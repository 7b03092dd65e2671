/*--- sim
about   = "neighbours in one warp are trusted to run in step"
grid    = [1, 1, 1]
finding = [
  { kind = "race", at = 'r[lane] = x[lane ^ 1u];' },
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
    r[lane] = x[lane ^ 1u];
}
