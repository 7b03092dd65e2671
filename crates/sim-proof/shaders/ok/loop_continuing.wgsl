/*--- sim
about   = "loop with a continuing block that a continue still runs"
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
    var j = 0u;
    var s = 1u;
    loop {
        if j >= a[i] % 20u {
            break;
        }
        if (j & 3u) == 2u {
            continue;
        }
        s = s * 3u + j;
        continuing {
            j += 1u;
            s ^= j;
        }
    }
    r[i] = s;
}
