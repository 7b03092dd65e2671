/*--- sim
about   = "an output is added to without being set first"
grid    = [2, 1, 1]
finding = [
  { kind = "uninitialised read", at = 'r[id.x] += a[id.x];' },
]
buffers = [
  { type = "u32", len = 128, fill = "uniform", lo = 0, hi = 100, seed = 1 },
  { type = "u32", len = 128, check = "bits" },
]
---*/
@group(0) @binding(0) var<storage, read> a: array<u32>;
@group(0) @binding(1) var<storage, read_write> r: array<u32>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    for (var j = 0u; j < 3u; j++) {
        r[id.x] += a[id.x];
    }
}
