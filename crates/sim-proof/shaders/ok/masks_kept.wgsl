/*--- sim
about   = "values kept across divergent regions: what a wrong mask would spoil"
grid    = [2, 1, 1]
buffers = [
  { type = "u32", len = 128, fill = "uniform", lo = 0, hi = 100, seed = 1 },
  { type = "u32", len = 128, check = "bits" },
]
---*/
@group(0) @binding(0) var<storage, read> a: array<u32>;
@group(0) @binding(1) var<storage, read_write> r: array<u32>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    var x = 1u;
    var y = 2u;
    let n = a[id.x];
    if n % 2u == 0u {
        x = n;
        if n % 3u == 0u {
            y = x + 1u;
            for (var j = 0u; j < n % 5u; j++) {
                x += j;
                if x % 4u == 0u {
                    y ^= x;
                    continue;
                }
                y += 1u;
            }
        } else {
            loop {
                x = x / 2u;
                if x < 3u {
                    break;
                }
            }
        }
        y += x;
    }
    r[id.x] = x * 1000u + y;
}
