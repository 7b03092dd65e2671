/*--- sim
about   = "nested if, else if, else by lane"
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
    var x = a[i];
    if x < 20u {
        x += 1u;
    } else if x < 50u {
        if (x & 1u) == 0u {
            x *= 3u;
        } else {
            x = 1000u - x;
        }
    } else {
        x = x ^ 0xffu;
    }
    r[i] = x;
}
