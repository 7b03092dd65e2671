/*--- sim
about   = "components of vectors written by name and by a dynamic index"
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
    var v = vec4<u32>(1u, 2u, 3u, 4u);
    v[a[i] & 3u] = a[i];
    v.y = v.y + 7u;
    var w = vec3<u32>(v.zw, 5u);
    w[(a[i] >> 2u) % 3u] += 100u;
    r[i] = v.x + v.y * 3u + v.z * 5u + v.w * 7u + w.x + w.y * 11u + w.z * 13u;
}
