/*--- sim
about   = "the place of a key in a sorted array"
grid    = [2, 1, 1]
buffers = [
  { type = "u32", len = 200, fill = "iota" },
  { type = "u32", len = 128, fill = "uniform", lo = 0, hi = 220, seed = 1 },
  { type = "u32", len = 128, check = "bits" },
]
---*/
@group(0) @binding(0) var<storage, read> sorted: array<u32>;
@group(0) @binding(1) var<storage, read> keys: array<u32>;
@group(0) @binding(2) var<storage, read_write> r: array<u32>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    var lo = 0u;
    var hi = arrayLength(&sorted);
    while lo < hi {
        let mid = (lo + hi) / 2u;
        if sorted[mid] < keys[id.x] {
            lo = mid + 1u;
        } else {
            hi = mid;
        }
    }
    r[id.x] = lo;
}
