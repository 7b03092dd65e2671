/*--- sim
about   = "a step of Adam, three buffers updated in place"
grid    = [2, 1, 1]
buffers = [
  { type = "f32", len = 100, fill = "uniform", lo = -1.0, hi = 1.0, seed = 1 },
  { type = "f32", len = 100, fill = "uniform", lo = -1.0, hi = 1.0, seed = 2, check = { abs = 1e-6 } },
  { type = "f32", len = 100, fill = "uniform", lo = -1.0, hi = 1.0, seed = 3, check = { abs = 1e-6 } },
  { type = "f32", len = 100, fill = "uniform", lo = 0, hi = 1, seed = 4, check = { abs = 1e-6 } },
]
---*/
@group(0) @binding(0) var<storage, read> g: array<f32>;
@group(0) @binding(1) var<storage, read_write> p: array<f32>;
@group(0) @binding(2) var<storage, read_write> m: array<f32>;
@group(0) @binding(3) var<storage, read_write> v: array<f32>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let i = id.x;
    if i >= arrayLength(&g) {
        return;
    }
    m[i] = 0.9 * m[i] + 0.1 * g[i];
    v[i] = 0.999 * v[i] + 0.001 * g[i] * g[i];
    p[i] -= 0.001 * m[i] / (sqrt(v[i]) + 1e-8);
}
