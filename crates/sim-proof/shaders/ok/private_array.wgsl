/*--- sim
about   = "a private array indexed by the data"
grid    = [2, 1, 1]
buffers = [
  { type = "u32", len = 128, fill = "uniform", lo = 0, hi = 100, seed = 1 },
  { type = "u32", len = 128, check = "bits" },
]
---*/
@group(0) @binding(0) var<storage, read> a: array<u32>;
@group(0) @binding(1) var<storage, read_write> r: array<u32>;

var<private> table: array<u32, 16>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let i = id.x;
    for (var j = 0u; j < 16u; j++) {
        table[j] = j * j + a[i];
    }
    var s = 0u;
    for (var j = 0u; j < 8u; j++) {
        s = s * 3u + table[(a[i] + j * 5u) % 16u];
    }
    r[i] = s;
}
