/*--- sim
about   = "greatest common divisors, a loop that all leave apart"
grid    = [2, 1, 1]
buffers = [
  { type = "u32", len = 128, fill = "uniform", lo = 1, hi = 5000, seed = 1 },
  { type = "u32", len = 128, fill = "uniform", lo = 1, hi = 5000, seed = 2 },
  { type = "u32", len = 128, check = "bits" },
]
---*/
@group(0) @binding(0) var<storage, read> a: array<u32>;
@group(0) @binding(1) var<storage, read> b: array<u32>;
@group(0) @binding(2) var<storage, read_write> r: array<u32>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    var x = a[id.x];
    var y = b[id.x];
    while y != 0u {
        let t = x % y;
        x = y;
        y = t;
    }
    r[id.x] = x;
}
