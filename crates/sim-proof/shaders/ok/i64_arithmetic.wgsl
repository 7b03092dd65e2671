/*--- sim
about   = "64-bit integers: products, quotients, shifts, conversions"
grid    = [2, 1, 1]
needs   = ["i64"]
buffers = [
  { type = "i32", len = 128, fill = "uniform", lo = -30000, hi = 30000, seed = 1 },
  { type = "i64", len = 128, check = "bits" },
]
---*/
@group(0) @binding(0) var<storage, read> a: array<i32>;
@group(0) @binding(1) var<storage, read_write> r: array<i64>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let x = i64(a[id.x]);
    var y = x * x * x * 1000003li;
    y = y / 7li + y % 11li;
    y ^= (y << 5u) | (y >> 3u);
    if y > 1000000000000li {
        y -= 5li;
    }
    r[id.x] = y + i64(u64(id.x) * 5lu) + i64(i32(y));
}
