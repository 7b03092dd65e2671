/*--- sim
about   = "workgroupUniformLoad of a struct and a vector"
grid    = [1, 1, 1]
buffers = [
  { type = "f32", len = 32, check = "bits" },
]
---*/
@group(0) @binding(0) var<storage, read_write> r: array<f32>;

struct Plan { n: u32, v: vec3<f32>, xs: array<f32, 2> }

var<workgroup> plan: Plan;
var<workgroup> v: vec2<f32>;

@compute @workgroup_size(32)
fn main(@builtin(local_invocation_index) lane: u32) {
    if lane == 0u {
        plan.n = 3u;
        plan.v = vec3<f32>(1.0, 2.0, 3.0);
        plan.xs[1] = 5.0;
        v = vec2<f32>(0.5, 0.25);
    }
    let p = workgroupUniformLoad(&plan);
    let w = workgroupUniformLoad(&v);
    r[lane] = f32(p.n) + p.v.z * 10.0 + p.xs[1] * 100.0 + w.y;
}
