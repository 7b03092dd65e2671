/*--- sim
about   = "width and height are swapped in the index, repaired"
grid    = [1, 1, 1]
buffers = [
  { type = "u32", len = 160, check = "bits" },
]
---*/
@group(0) @binding(0) var<storage, read_write> r: array<u32>;

@compute @workgroup_size(32, 8)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x < 20u && id.y < 8u {
        r[id.y * 20u + id.x] = id.x;
    }
}
