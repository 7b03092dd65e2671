/*--- sim
about   = "overrides with and without default values, ids, and values that depend on others"
grid    = [2, 1, 1]
define  = { needed = -5.0, "7" = 3.0 }
buffers = [
  { type = "f32", len = 128, check = "bits" },
]
---*/
override block: u32 = 64;
@id(7) override scale: f32 = 2.0;
override twice: f32 = scale * 2.0;
override needed: i32;
override flag: bool = true;
@group(0) @binding(0) var<storage, read_write> r: array<f32>;

@compute @workgroup_size(block)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    r[id.x] = f32(id.x) * scale + twice + f32(needed) + select(0.0, 1000.0, flag);
}
