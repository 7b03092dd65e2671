/*--- sim
about   = "every compound assignment"
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
    var x = a[i];
    x += 3;
    x -= 100;
    x *= 7;
    x /= 3;
    x %= 1000;
    x &= 0xfff;
    x |= 0x100;
    x ^= 0x55;
    x <<= 2u;
    x >>= 1u;
    x++;
    x--;
    r[i] = x;
}
