/*--- sim
about   = "0 / 0 where a sum of weights is zero"
grid    = [2, 1, 1]
finding = [
  { kind = "NaN produced", note = true, at = 'r[id.x] = w / w;' },
]
buffers = [
  { type = "f32", len = 128, fill = "zeros", seed = 1 },
  { type = "f32", len = 128, check = "bits" },
]
---*/
@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read_write> r: array<f32>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let w = a[id.x];
    r[id.x] = w / w;
}
