/*--- sim
about   = "whole structs, matrices and arrays stored to a buffer; gaps stay as they were"
grid    = [1, 1, 1]
buffers = [
  { type = "f32", len = 64, fill = "iota", check = "bits" },
]
---*/
struct S { a: f32, v: vec3<f32>, m: mat2x3<f32>, xs: array<vec2<f32>, 2> }

@group(0) @binding(0) var<storage, read_write> s: array<S, 2>;

@compute @workgroup_size(1)
fn main() {
    var t = s[0];
    t.a = -1.0;
    t.v = -t.v;
    t.m[1].y = 100.0;
    t.xs[1] = vec2<f32>(7.0, 8.0);
    s[1] = t;
    s[0].m = t.m * 2.0;
    s[0].xs = t.xs;
}
