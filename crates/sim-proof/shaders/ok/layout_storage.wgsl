/*--- sim
about   = "offsets, alignments and strides of structs in storage"
grid    = [1, 1, 1]
buffers = [
  { type = "f32", len = 96, fill = "iota" },
  { type = "f32", len = 32, check = "bits" },
]
---*/
struct Inner { a: f32, b: vec3<f32>, c: f32 }

struct Outer {
    x: vec2<f32>,
    y: vec3<f32>,
    z: f32,
    inner: array<Inner, 2>,
    m: mat2x3<f32>,
    n: mat3x2<f32>,
    @align(32) far: f32,
    @size(16) wide: f32,
    tail: array<vec2<f32>>,
}

@group(0) @binding(0) var<storage, read> s: Outer;
@group(0) @binding(1) var<storage, read_write> r: array<f32>;

@compute @workgroup_size(1)
fn main() {
    r[0] = s.x.y;
    r[1] = s.y.x;
    r[2] = s.y.z;
    r[3] = s.z;
    for (var i = 0u; i < 2u; i++) {
        r[4u + 3u * i] = s.inner[i].a;
        r[5u + 3u * i] = s.inner[i].b.y;
        r[6u + 3u * i] = s.inner[i].c;
    }
    for (var i = 0u; i < 3u; i++) {
        r[10u + i] = s.m[1][i];
        r[13u + i] = s.n[i].y;
    }
    r[16] = s.far;
    r[17] = s.wide;
    r[18] = s.tail[0].x;
    r[19] = s.tail[3].y;
    r[20] = f32(arrayLength(&s.tail));
    let whole = s.inner[1];
    r[21] = whole.b.z + whole.c;
    let m = s.m;
    r[22] = m[0].z + m[1].x;
    for (var i = 23u; i < 32u; i++) {
        r[i] = 0.0;
    }
}
