/*--- sim
about   = "(1 << n) - 1 as a mask, with n = 32 among the data, repaired"
grid    = [1, 1, 1]
buffers = [
  { type = "u32", len = 64, fill = "uniform", lo = 28, hi = 32, seed = 1 },
  { type = "u32", len = 64, check = "bits" },
]
---*/
@group(0) @binding(0) var<storage, read> a: array<u32>;
@group(0) @binding(1) var<storage, read_write> r: array<u32>;

@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) lane: u32) {
    let n = a[lane];
    let mask = 0xffffffffu >> (32u - max(n, 1u));
    r[lane] = mask;
}
