/*--- sim
about   = "the last workgroup writes beyond the end, repaired"
grid    = [2, 1, 1]
buffers = [
  { type = "u32", len = 100, check = "bits" },
]
---*/
@group(0) @binding(0) var<storage, read_write> r: array<u32>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x < arrayLength(&r) { r[id.x] = id.x * 3u; }
}
