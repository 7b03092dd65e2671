/*--- sim
about   = "rotary embedding of neighbouring pairs"
grid    = [2, 1, 1]
buffers = [
  { type = "f32", len = 256, fill = "uniform", lo = -1.0, hi = 1.0, seed = 1 },
  { type = "f32", len = 256, check = { abs = 2e-3 } },
]
---*/
@group(0) @binding(0) var<storage, read> x: array<vec2<f32>>;
@group(0) @binding(1) var<storage, read_write> y: array<vec2<f32>>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let position = f32(id.x / 32u);
    let angle = position * exp2(-f32(id.x % 32u) * 0.4152410118609203);
    let rotation = mat2x2<f32>(cos(angle), sin(angle), -sin(angle), cos(angle));
    y[id.x] = rotation * x[id.x];
}
