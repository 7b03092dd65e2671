/*--- sim
about   = "x times sigmoid of x, with a guard at the end"
grid    = [3, 1, 1]
buffers = [
  { type = "f32", len = 150, fill = "uniform", lo = -6, hi = 6, seed = 1 },
  { type = "f32", len = 150, check = { abs = 4e-5 } },
]
---*/
@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read_write> r: array<f32>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x < arrayLength(&r) {
        let x = a[id.x];
        r[id.x] = x / (1.0 + exp(-x));
    }
}
