/*--- sim
about   = "the last vec4 of a buffer is only half there, repaired"
grid    = [1, 1, 1]
buffers = [
  { type = "f32", len = 30, fill = "uniform", lo = -1.0, hi = 1.0, seed = 1 },
  { type = "f32", len = 32, check = "bits" },
]
---*/
@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read_write> r: array<vec4<f32>>;

@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) lane: u32) {
    let at = 4u * lane;
    r[lane] = vec4<f32>(a[at], a[at + 1u], a[min(at + 2u, 29u)], 0.0);
}
