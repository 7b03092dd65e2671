/*--- sim
about   = "y = W x with half storage and f32 sums"
grid    = [2, 1, 1]
needs   = ["f16"]
buffers = [
  { type = "f16", len = 4096, fill = "uniform", lo = -1.0, hi = 1.0, seed = 1 },
  { type = "f16", len = 32, fill = "uniform", lo = -1.0, hi = 1.0, seed = 2 },
  { type = "f32", len = 128, check = { abs = 1e-5 } },
]
---*/
enable f16;

@group(0) @binding(0) var<storage, read> w: array<vec2<f16>>;
@group(0) @binding(1) var<storage, read> x: array<f16>;
@group(0) @binding(2) var<storage, read_write> y: array<f32>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    var s = 0.0;
    for (var k = 0u; k < 16u; k++) {
        let pair = vec2<f32>(w[id.x * 16u + k]);
        s += pair.x * f32(x[2u * k]) + pair.y * f32(x[2u * k + 1u]);
    }
    y[id.x] = s;
}
