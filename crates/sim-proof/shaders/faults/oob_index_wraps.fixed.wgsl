/*--- sim
about   = "lane 0 reads at 0 - 1, which wraps to the greatest u32, repaired"
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
    var left = 0u;
    if id.x > 0u {
        left = a[id.x - 1u];
    }
    r[id.x] = a[id.x] - left;
}
