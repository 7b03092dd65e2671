/*--- sim
about   = "lanes that return early, after storing"
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
    r[i] = 1u;
    if a[i] < 30u {
        return;
    }
    r[i] = 2u;
    for (var j = 0u; j < 10u; j++) {
        if j * 10u > a[i] {
            r[i] = 3u + j;
            return;
        }
    }
    r[i] = a[i];
}
