/*--- sim
about   = "plain additions to one total by all workgroups, repaired"
grid    = [4, 1, 1]
buffers = [
  { type = "u32", len = 256, fill = "uniform", lo = 0, hi = 100, seed = 1 },
  { type = "u32", len = 1, fill = "zeros", check = "bits" },
]
---*/
@group(0) @binding(0) var<storage, read> a: array<u32>;
@group(0) @binding(1) var<storage, read_write> total: atomic<u32>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    atomicAdd(&total, a[id.x]);
}
