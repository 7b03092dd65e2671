/*--- sim
about   = "a histogram in private arrays, then added by atomics"
grid    = [2, 1, 1]
buffers = [
  { type = "u32", len = 640, fill = "bits", seed = 1 },
  { type = "u32", len = 8, fill = "zeros", check = "bits" },
]
---*/
@group(0) @binding(0) var<storage, read> a: array<u32>;
@group(0) @binding(1) var<storage, read_write> bins: array<atomic<u32>, 8>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    var mine: array<u32, 8>;
    for (var i = id.x; i < arrayLength(&a); i += 128u) {
        mine[a[i] & 7u]++;
    }
    for (var b = 0u; b < 8u; b++) {
        atomicAdd(&bins[b], mine[b]);
    }
}
