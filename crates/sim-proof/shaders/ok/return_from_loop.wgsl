/*--- sim
about   = "a function that returns from inside two loops"
grid    = [2, 1, 1]
buffers = [
  { type = "u32", len = 128, fill = "uniform", lo = 0, hi = 100, seed = 1 },
  { type = "u32", len = 128, check = "bits" },
]
---*/
@group(0) @binding(0) var<storage, read> a: array<u32>;
@group(0) @binding(1) var<storage, read_write> r: array<u32>;

fn find(n: u32) -> u32 {
    for (var x = 1u; x < 12u; x++) {
        for (var y = x; y < 12u; y++) {
            if x * y > n {
                return x * 100u + y;
            }
        }
    }
    return 0u;
}

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let i = id.x;
    r[i] = find(a[i]);
}
