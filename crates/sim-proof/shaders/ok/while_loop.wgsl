/*--- sim
about   = "a while loop: Collatz steps"
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
    var n = a[i] + 1u;
    var steps = 0u;
    while n != 1u {
        n = select(n / 2u, 3u * n + 1u, (n & 1u) == 1u);
        steps++;
    }
    r[i] = steps;
}
