/*--- sim
about   = "one component of a vector divisor is zero, repaired"
grid    = [1, 1, 1]
buffers = [
  { type = "u32", len = 256, fill = "uniform", lo = 0, hi = 9, seed = 1 },
  { type = "u32", len = 256, check = "bits" },
]
---*/
@group(0) @binding(0) var<storage, read> a: array<vec4<u32>>;
@group(0) @binding(1) var<storage, read_write> r: array<vec4<u32>>;

@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) lane: u32) {
    r[lane] = vec4<u32>(100u) / max(a[lane], vec4<u32>(1u));
}
