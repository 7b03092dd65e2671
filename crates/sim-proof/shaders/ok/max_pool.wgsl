/*--- sim
about   = "maxima of 2 x 2 windows"
grid    = [1, 1, 1]
buffers = [
  { type = "f32", len = 256, fill = "uniform", lo = -1.0, hi = 1.0, seed = 1 },
  { type = "f32", len = 64, check = "bits" },
]
---*/
@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> y: array<f32>;

@compute @workgroup_size(8, 8)
fn main(@builtin(local_invocation_id) l: vec3<u32>) {
    let at = 32u * l.y + 2u * l.x;
    y[8u * l.y + l.x] = max(max(x[at], x[at + 1u]), max(x[at + 16u], x[at + 17u]));
}
