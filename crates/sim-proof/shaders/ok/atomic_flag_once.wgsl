/*--- sim
about   = "only the first lane to raise a flag does the work"
grid    = [4, 1, 1]
buffers = [
  { type = "u32", len = 4, fill = "zeros", check = "bits" },
  { type = "u32", len = 1, fill = "zeros", check = "bits" },
]
---*/
@group(0) @binding(0) var<storage, read_write> flags: array<atomic<u32>, 4>;
@group(0) @binding(1) var<storage, read_write> works: atomic<u32>;

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) wg: vec3<u32>) {
    if atomicExchange(&flags[wg.x], 1u) == 0u {
        atomicAdd(&works, 10u);
    }
}
