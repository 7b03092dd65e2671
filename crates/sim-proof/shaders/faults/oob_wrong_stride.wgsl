/*--- sim
about   = "rows are taken as longer than they are"
grid    = [4, 1, 1]
finding = [
  { kind = "out of bounds", at = 's += a[wg.x * 64u + d];' },
]
buffers = [
  { type = "f32", len = 240, fill = "uniform", lo = -1.0, hi = 1.0, seed = 1 },
  { type = "f32", len = 4, check = "bits" },
]
---*/
@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read_write> r: array<f32>;

const D = 60u;

@compute @workgroup_size(1)
fn main(@builtin(workgroup_id) wg: vec3<u32>) {
    var s = 0.0;
    for (var d = 0u; d < D; d++) {
        s += a[wg.x * 64u + d];
    }
    r[wg.x] = s;
}
