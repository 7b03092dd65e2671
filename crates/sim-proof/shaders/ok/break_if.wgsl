/*--- sim
about   = "loop that ends by `break if`"
grid    = [2, 1, 1]
buffers = [
  { type = "u32", len = 128, fill = "uniform", lo = 0, hi = 100, seed = 1 },
  { type = "u32", len = 128, check = "bits" },
]
---*/
@group(0) @binding(0) var<storage, read> a: array<u32>;
@group(0) @binding(1) var<storage, read_write> r: array<u32>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let i = id.x;
    var x = a[i] + 1u;
    var n = 0u;
    loop {
        x = (x * 5u + 3u) % 101u;
        continuing {
            n++;
            break if x < 20u || n > 60u;
        }
    }
    r[i] = x * 100u + n;
}
