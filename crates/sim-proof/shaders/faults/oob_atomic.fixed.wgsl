/*--- sim
about   = "an atomic addition to a bin that is not there, repaired"
grid    = [2, 1, 1]
buffers = [
  { type = "u32", len = 128, fill = "uniform", lo = 0, hi = 16, seed = 1 },
  { type = "u32", len = 16, fill = "zeros", check = "bits" },
]
---*/
@group(0) @binding(0) var<storage, read> a: array<u32>;
@group(0) @binding(1) var<storage, read_write> bins: array<atomic<u32>>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    atomicAdd(&bins[a[id.x] % 16u], 1u);
}
