/*--- sim
about   = "structs as values, nested, returned and passed"
grid    = [2, 1, 1]
buffers = [
  { type = "f32", len = 128, fill = "uniform", lo = -10.0, hi = 10.0, seed = 1 },
  { type = "f32", len = 128, check = { rel = 1e-6, abs = 1e-5 } },
]
---*/
@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read_write> r: array<f32>;

struct Inner { a: f32, b: vec2<f32> }

struct Outer { inner: Inner, k: array<f32, 2>, flag: bool }

fn make(x: f32) -> Outer {
    return Outer(Inner(x, vec2<f32>(x + 1.0, 4.0)), array<f32, 2>(x, 8.0), x > 0.0);
}

fn sum(o: Outer) -> f32 {
    let s = o.inner.a + o.inner.b.x + o.inner.b.y + o.k[0] + o.k[1];
    return select(s, s + 16.0, o.flag);
}

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let i = id.x;
    let s = make(a[i]);
    var t = s;
    t.inner.b.y = 2.0;
    r[i] = sum(s) * 0.5 + sum(t);
}
