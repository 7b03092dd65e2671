/*--- sim
about   = "a counter in workgroup memory without atomics, repaired"
grid    = [1, 1, 1]
buffers = [
  { type = "u32", len = 64, fill = "uniform", lo = 0, hi = 100, seed = 1 },
  { type = "u32", len = 1, check = "bits" },
]
---*/
@group(0) @binding(0) var<storage, read> a: array<u32>;
@group(0) @binding(1) var<storage, read_write> r: array<u32>;

var<workgroup> count: atomic<u32>;

@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) lane: u32) {
    if a[lane] > 50u {
        atomicAdd(&count, 1u);
    }
    workgroupBarrier();
    if lane == 0u {
        r[0] = atomicLoad(&count);
    }
}
