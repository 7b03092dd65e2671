/*--- sim
about   = "workgroup variables of many types"
grid    = [2, 1, 1]
buffers = [
  { type = "f32", len = 128, fill = "uniform", lo = -1.0, hi = 1.0, seed = 1 },
  { type = "f32", len = 128, check = "bits" },
]
---*/
@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read_write> r: array<f32>;

struct Item { v: vec3<f32>, n: u32 }

var<workgroup> items: array<Item, 64>;
var<workgroup> total: vec4<f32>;
var<workgroup> flag: u32;
var<workgroup> m: mat3x3<f32>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    items[lane].v = vec3<f32>(a[id.x], 1.0, f32(lane));
    items[lane].n = lane * 2u;
    if lane == 5u {
        total = vec4<f32>(1.0, 2.0, 3.0, 4.0);
        flag = 17u;
        m[1] = vec3<f32>(0.5, 0.25, 8.0);
    }
    workgroupBarrier();
    let other = items[(lane + 9u) % 64u];
    r[id.x] = other.v.x * 0.0 + other.v.z + f32(other.n) + total.z + f32(flag) + m[1].y;
}
