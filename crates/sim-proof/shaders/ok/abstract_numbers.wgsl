/*--- sim
about   = "literals of every kind, hexadecimal floats, suffixes"
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
    let x = 0x1.8p1 + 1e-1f * 0.0 + .5 + 3. + f32(0xFFu) + f32(-7i) + 1.5e2f;
    let y = f32(2147483647) - f32(0x7fffffff & 1);
    r[i] = a[i] * 0.0 + x + y;
}
