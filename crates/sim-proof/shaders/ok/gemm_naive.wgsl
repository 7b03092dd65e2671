/*--- sim
about   = "c = a b, one element a lane, no tiles"
grid    = [2, 3, 1]
buffers = [
  { type = "u32", values = [13, 21, 30, 0], space = "uniform" },
  { type = "f32", len = 390, fill = "uniform", lo = -1.0, hi = 1.0, seed = 1 },
  { type = "f32", len = 630, fill = "uniform", lo = -1.0, hi = 1.0, seed = 2 },
  { type = "f32", len = 273, check = { abs = 1e-5 } },
]
---*/
struct Dims { M: u32, N: u32, K: u32, pad: u32 }

@group(0) @binding(0) var<uniform> dims: Dims;
@group(0) @binding(1) var<storage, read> a: array<f32>;
@group(0) @binding(2) var<storage, read> b: array<f32>;
@group(0) @binding(3) var<storage, read_write> c: array<f32>;

@compute @workgroup_size(16, 8)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x >= dims.N || id.y >= dims.M {
        return;
    }
    var s = 0.0;
    for (var k = 0u; k < dims.K; k++) {
        s += a[id.y * dims.K + k] * b[k * dims.N + id.x];
    }
    c[id.y * dims.N + id.x] = s;
}
