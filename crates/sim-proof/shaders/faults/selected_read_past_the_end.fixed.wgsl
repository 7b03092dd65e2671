/*--- sim
about   = "the same, read inside a branch"
grid    = [2, 1, 1]
buffers = [
  { type = "f32", len = 100, fill = "uniform", seed = 1 },
  { type = "f32", len = 128, check = "bits" },
]
---*/
@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> r: array<f32>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    r[id.x] = 0.0;
    if id.x < arrayLength(&x) {
        r[id.x] = x[id.x] * 2.0;
    }
}
