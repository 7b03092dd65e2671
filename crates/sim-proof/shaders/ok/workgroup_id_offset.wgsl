/*--- sim
about   = "two-dimensional grid and block write a picture"
grid    = [3, 2, 1]
buffers = [
  { type = "u32", len = 192, check = "bits" },
]
---*/
@group(0) @binding(0) var<storage, read_write> r: array<u32>;

@compute @workgroup_size(8, 4)
fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) n: vec3<u32>) {
    let width = n.x * 8u;
    r[id.y * width + id.x] = id.x * id.x + id.y;
}
