/*--- sim
about   = "a signed remainder by zero"
grid    = [2, 1, 1]
finding = [
  { kind = "division by zero", note = true, at = 'r[id.x] = 17 % n;' },
]
buffers = [
  { type = "i32", len = 128, fill = "uniform", lo = -3, hi = 3, seed = 1 },
  { type = "i32", len = 128, check = "bits" },
]
---*/
@group(0) @binding(0) var<storage, read> a: array<i32>;
@group(0) @binding(1) var<storage, read_write> r: array<i32>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let n = a[id.x];
    r[id.x] = 17 % n;
}
