/*--- sim
about   = "what an atomic addition returns: a permutation, summed up"
grid    = [2, 1, 1]
buffers = [
  { type = "u32", len = 128, fill = "zeros", check = "bits" },
  { type = "u32", len = 1, fill = "zeros", check = "bits" },
]
---*/
@group(0) @binding(0) var<storage, read_write> seen: array<u32>;
@group(0) @binding(1) var<storage, read_write> next: atomic<u32>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let ticket = atomicAdd(&next, 1u);
    seen[ticket] = 1u;
}
