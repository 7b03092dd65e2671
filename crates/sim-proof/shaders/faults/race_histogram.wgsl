/*--- sim
about   = "a histogram in a buffer without atomics"
grid    = [4, 1, 1]
finding = [
  { kind = "race", at = 'bins[a[id.x]] += 1u;' },
]
buffers = [
  { type = "u32", len = 256, fill = "uniform", lo = 0, hi = 15, seed = 1 },
  { type = "u32", len = 16, fill = "zeros", check = "bits" },
]
---*/
@group(0) @binding(0) var<storage, read> a: array<u32>;
@group(0) @binding(1) var<storage, read_write> bins: array<u32, 16>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    bins[a[id.x]] += 1u;
}
