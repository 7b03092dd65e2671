/*--- sim
about   = "atomicAdd on f32 itself; whole numbers, so exact in any order"
grid    = [2, 1, 1]
needs   = ["f32_atomics"]
buffers = [
  { type = "f32", len = 128, fill = "iota" },
  { type = "f32", len = 2, fill = "zeros", check = "bits" },
]
---*/
@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read_write> sum: array<atomic<f32>, 2>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    atomicAdd(&sum[id.x & 1u], a[id.x]);
}
