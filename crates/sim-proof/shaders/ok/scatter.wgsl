/*--- sim
about   = "values scattered by a permutation"
grid    = [2, 1, 1]
buffers = [
  { type = "u32", len = 128, fill = "bits", seed = 1 },
  { type = "u32", len = 128, check = "bits" },
]
---*/
@group(0) @binding(0) var<storage, read> a: array<u32>;
@group(0) @binding(1) var<storage, read_write> r: array<u32>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    r[(id.x * 37u + 5u) % 128u] = a[id.x];
}
