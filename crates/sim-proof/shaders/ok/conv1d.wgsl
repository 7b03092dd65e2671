/*--- sim
about   = "a convolution with padding, taps in a uniform array"
grid    = [2, 1, 1]
buffers = [
  { type = "f32", values = [0.25, 0, 0, 0, 0.5, 0, 0, 0, -1, 0, 0, 0, 2, 0, 0, 0, 0.125, 0, 0, 0], space = "uniform" },
  { type = "f32", len = 100, fill = "uniform", lo = -8, hi = 8, seed = 1 },
  { type = "f32", len = 100, check = { abs = 1e-5 } },
]
---*/
struct Tap { @size(16) w: f32 }

@group(0) @binding(0) var<uniform> taps: array<Tap, 5>;
@group(0) @binding(1) var<storage, read> x: array<f32>;
@group(0) @binding(2) var<storage, read_write> y: array<f32>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let n = i32(arrayLength(&x));
    let i = i32(id.x);
    if i >= n {
        return;
    }
    var s = 0.0;
    for (var t = -2; t <= 2; t++) {
        if i + t >= 0 && i + t < n {
            s += taps[t + 2].w * x[i + t];
        }
    }
    y[i] = s;
}
