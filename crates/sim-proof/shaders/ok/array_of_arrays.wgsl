/*--- sim
about   = "an array of arrays, written and read by index"
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
    var m: array<array<u32, 5>, 3>;
    for (var x = 0u; x < 3u; x++) {
        for (var y = 0u; y < 5u; y++) {
            m[x][y] = x * 10u + y * a[i];
        }
    }
    let row = m[a[i] % 3u];
    r[i] = row[a[i] % 5u] + m[2][4] - m[1][0];
}
