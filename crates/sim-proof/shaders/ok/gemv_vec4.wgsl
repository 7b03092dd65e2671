/*--- sim
about   = "y = W x, rows read as vec4, dot products"
grid    = [1, 1, 1]
buffers = [
  { type = "f32", len = 2048, fill = "uniform", seed = 1 },
  { type = "f32", len = 64, fill = "uniform", lo = -1.0, hi = 1.0, seed = 2 },
  { type = "f32", len = 32, check = { abs = 1e-5 } },
]
---*/
@group(0) @binding(0) var<storage, read> w: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read> x: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read_write> y: array<f32>;

@compute @workgroup_size(32)
fn main(@builtin(local_invocation_index) lane: u32) {
    var s = 0.0;
    for (var k = 0u; k < 16u; k++) {
        s += dot(w[lane * 16u + k], x[k]);
    }
    y[lane] = s;
}
