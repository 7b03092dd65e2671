/*--- sim
about   = "private variables with initial values, also of other types"
grid    = [2, 1, 1]
buffers = [
  { type = "u32", len = 128, fill = "uniform", lo = 0, hi = 100, seed = 1 },
  { type = "u32", len = 128, check = "bits" },
]
---*/
@group(0) @binding(0) var<storage, read> a: array<u32>;
@group(0) @binding(1) var<storage, read_write> r: array<u32>;

var<private> count: u32 = 5u;
var<private> table: array<u32, 4> = array<u32, 4>(3u, 1u, 4u, 1u);
var<private> pair: vec2<f32> = vec2<f32>(1.0, 9.0);

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let i = id.x;
    count += a[i];
    r[i] = count + table[a[i] % 4u] + u32(pair.y);
}
