/*--- sim
about   = "assignments to members through pointers"
grid    = [2, 1, 1]
buffers = [
  { type = "f32", len = 128, fill = "uniform", lo = -10.0, hi = 10.0, seed = 1 },
  { type = "f32", len = 128, check = { rel = 1e-6, abs = 1e-5 } },
]
---*/
@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read_write> r: array<f32>;

struct S { v: vec3<f32>, n: i32, m: mat2x2<f32> }

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let i = id.x;
    var s: S;
    let p = &s;
    (*p).v = vec3<f32>(a[i], 1.0, 2.0);
    (*p).v.y += a[i];
    p.n = 3;
    s.m[1] = vec2<f32>(a[i], 4.0);
    s.m[0].x = 0.5;
    r[i] = s.v.x + s.v.y * 2.0 + s.v.z + f32(s.n) + s.m[1].y * s.m[0].x;
}
