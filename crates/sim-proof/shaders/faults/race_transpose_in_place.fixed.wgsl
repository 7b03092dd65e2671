/*--- sim
about   = "a transpose in place, each lane moving one element, repaired"
grid    = [2, 2, 1]
buffers = [
  { type = "u32", len = 256, fill = "iota" },
  { type = "u32", len = 256, fill = "zeros", check = "bits" },
]
---*/
@group(0) @binding(0) var<storage, read_write> x: array<u32>;
@group(0) @binding(1) var<storage, read_write> r: array<u32>;

@compute @workgroup_size(8, 8)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let v = x[id.y * 16u + id.x];
    r[id.x * 16u + id.y] = v;
}
