/*--- sim
about   = "columns of a matrix by dynamic index, elements written"
grid    = [2, 1, 1]
buffers = [
  { type = "f32", len = 128, fill = "uniform", lo = -10.0, hi = 10.0, seed = 1 },
  { type = "f32", len = 128, check = "bits" },
]
---*/
@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read_write> r: array<f32>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let i = id.x;
    var m = mat3x2<f32>(1.0, 2.0, 3.0, 4.0, 5.0, 6.0);
    let c = u32(abs(a[i])) % 3u;
    m[c] = vec2<f32>(a[i], 7.0);
    m[2].x = 0.25;
    m[c][1] += 1.0;
    r[i] = m[0].x + m[0].y + m[1].x * 2.0 + m[1].y + m[2].x + m[2][1];
}
