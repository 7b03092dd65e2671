/*--- sim
about   = "a let-bound array indexed by the data"
grid    = [2, 1, 1]
buffers = [
  { type = "i32", len = 128, fill = "uniform", lo = -100, hi = 100, seed = 1 },
  { type = "i32", len = 128, check = "bits" },
]
---*/
@group(0) @binding(0) var<storage, read> a: array<i32>;
@group(0) @binding(1) var<storage, read_write> r: array<i32>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let i = id.x;
    let ks = array<i32, 5>(10, 20, 30, 40, a[i]);
    let v = vec4<i32>(1, 2, 3, 4);
    r[i] = ks[u32(abs(a[i])) % 5u] + v[u32(abs(a[i])) & 3u];
}
