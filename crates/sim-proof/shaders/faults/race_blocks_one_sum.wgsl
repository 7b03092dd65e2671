/*--- sim
about   = "every workgroup writes its sum to the same cell"
grid    = [4, 1, 1]
finding = [
  { kind = "race", at = 'r[0] = s;' },
]
buffers = [
  { type = "u32", len = 256, fill = "uniform", lo = 0, hi = 100, seed = 1 },
  { type = "u32", len = 4, fill = "zeros", check = "bits" },
]
---*/
@group(0) @binding(0) var<storage, read> a: array<u32>;
@group(0) @binding(1) var<storage, read_write> r: array<u32>;

@compute @workgroup_size(1)
fn main(@builtin(workgroup_id) wg: vec3<u32>) {
    var s = 0u;
    for (var j = 0u; j < 64u; j++) {
        s += a[wg.x * 64u + j];
    }
    r[0] = s;
}
