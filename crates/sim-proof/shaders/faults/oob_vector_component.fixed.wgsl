/*--- sim
about   = "a component of a vector by an index of 4 and more, repaired"
grid    = [2, 1, 1]
buffers = [
  { type = "u32", len = 128, fill = "uniform", lo = 0, hi = 7, seed = 1 },
  { type = "u32", len = 128, check = "bits" },
]
---*/
@group(0) @binding(0) var<storage, read> a: array<u32>;
@group(0) @binding(1) var<storage, read_write> r: array<u32>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    var v = vec4<u32>(1u, 2u, 3u, 4u);
    let c = a[id.x] % 4u;
    r[id.x] = v[c];
}
