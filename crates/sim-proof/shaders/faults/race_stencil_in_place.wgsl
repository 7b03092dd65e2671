/*--- sim
about   = "a stencil in place: a neighbour in another workgroup may be new already"
grid    = [4, 1, 1]
finding = [
  { kind = "race", at = 'x[id.x] = s;' },
]
buffers = [
  { type = "u32", len = 320, fill = "iota" },
  { type = "u32", len = 256, fill = "zeros", check = "bits" },
]
---*/
@group(0) @binding(0) var<storage, read_write> x: array<u32>;
@group(0) @binding(1) var<storage, read_write> r: array<u32>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let s = x[id.x] + x[id.x + 64u];
    x[id.x] = s;
    r[id.x] = s;
}
