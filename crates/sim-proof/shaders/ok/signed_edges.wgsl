/*--- sim
about   = "signed arithmetic at its limits wraps"
grid    = [2, 1, 1]
buffers = [
  { type = "i32", len = 128, fill = "uniform", lo = -100, hi = 100, seed = 1 },
  { type = "i32", len = 128, check = "bits" },
]
---*/
@group(0) @binding(0) var<storage, read> a: array<i32>;
@group(0) @binding(1) var<storage, read_write> r: array<i32>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let i = id.x;
    let top = 2147483647;
    let low = -2147483647 - 1;
    var x = top;
    x += a[i] * a[i] + 1;
    var y = low;
    y -= abs(a[i]);
    r[i] = (x ^ y) + abs(y) + (low / (a[i] * 0 + 1)) + (a[i] % 7) + (a[i] / 7);
}
