/*--- sim
about   = "a read past the end whose value select() takes, since the guard is one too late"
grid    = [2, 1, 1]
finding = [
  { kind = "out of bounds", at = 'let v = x[id.x];' },
]
buffers = [
  { type = "f32", len = 100, fill = "uniform", seed = 1 },
  { type = "f32", len = 128, check = "bits" },
]
---*/
@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> r: array<f32>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let v = x[id.x];
    r[id.x] = select(0.0, v * 2.0, id.x <= arrayLength(&x));
}
