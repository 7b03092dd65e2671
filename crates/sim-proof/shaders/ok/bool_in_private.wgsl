/*--- sim
about   = "bool arrays and vectors as private state"
grid    = [1, 1, 1]
buffers = [
  { type = "u32", len = 64, fill = "uniform", lo = 0, hi = 100, seed = 1 },
  { type = "u32", len = 64, check = "bits" },
]
---*/
@group(0) @binding(0) var<storage, read> a: array<u32>;
@group(0) @binding(1) var<storage, read_write> r: array<u32>;

var<private> seen: array<bool, 10>;

@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) lane: u32) {
    var x = a[lane];
    var steps = 0u;
    while !seen[x % 10u] {
        seen[x % 10u] = true;
        x = x * 7u + 3u;
        steps++;
    }
    var v = vec3<bool>(steps > 1u, steps > 3u, false);
    v.z = v.x && !v.y;
    r[lane] = steps * 10u + u32(v.y) + 2u * u32(v.z);
}
