/*--- sim
about   = "a 3 x 3 convolution over channels, in place of a library"
grid    = [2, 2, 1]
buffers = [
  { type = "f32", len = 432, fill = "uniform", lo = -1.0, hi = 1.0, seed = 1 },
  { type = "f32", len = 54, fill = "uniform", lo = -1.0, hi = 1.0, seed = 2 },
  { type = "f32", len = 200, check = { abs = 1e-5 } },
]
---*/
@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read> w: array<f32>;
@group(0) @binding(2) var<storage, read_write> y: array<f32>;

@compute @workgroup_size(8, 8, 1)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    if any(id.xy >= vec2<u32>(10u)) {
        return;
    }
    for (var o = 0u; o < 2u; o++) {
        var s = 0.0;
        for (var c = 0u; c < 3u; c++) {
            for (var t = 0u; t < 9u; t++) {
                s += w[o * 27u + c * 9u + t] * x[c * 144u + (id.y + t / 3u) * 12u + id.x + t % 3u];
            }
        }
        y[o * 100u + id.y * 10u + id.x] = s;
    }
}
