/*--- sim
about   = "structs and vectors of half floats in a buffer"
grid    = [1, 1, 1]
needs   = ["f16"]
buffers = [
  { type = "f16", len = 64, fill = "iota" },
  { type = "f32", len = 8, check = "bits" },
]
---*/
enable f16;

struct S { a: f16, b: vec2<f16>, c: vec3<f16>, d: f16, e: mat2x2<f16>, f: array<vec4<f16>, 2>, g: f32 }

@group(0) @binding(0) var<storage, read> s: S;
@group(0) @binding(1) var<storage, read_write> r: array<f32, 8>;

@compute @workgroup_size(1)
fn main() {
    r[0] = f32(s.a);
    r[1] = f32(s.b.y);
    r[2] = f32(s.c.z);
    r[3] = f32(s.d);
    r[4] = f32(s.e[1].x);
    r[5] = f32(s.f[1].w);
    let whole = s;
    r[6] = f32(whole.c.y + whole.e[0].y);
    r[7] = select(1.0, 0.0, s.g == 0.0);
}
