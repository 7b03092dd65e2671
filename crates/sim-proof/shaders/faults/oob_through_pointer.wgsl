/*--- sim
about   = "a pointer to an element behind the end, written through later"
grid    = [2, 1, 1]
finding = [
  { kind = "out of bounds", at = '*p = 5u;' },
]
buffers = [
  { type = "u32", len = 120, check = "bits" },
]
---*/
@group(0) @binding(0) var<storage, read_write> r: array<u32>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let p = &r[id.x];
    *p = 5u;
}
