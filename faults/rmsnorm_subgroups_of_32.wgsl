/*--- ktwin
op      = "rmsnorm"
compute = "f32"
args    = ["x", "w", "y", { D = "u32", eps = "f32" }]
grid    = ["R", 1, 1]
tile    = { D = 512 }
dims    = { R = "1..=65535", D = ["multiple of 4", "4..=16384"] }
---*/
// fault: wrong values
// pattern: every element is wrong
// Four subgroups of 32 taken for granted.
struct Scalars { D: u32, eps: f32 }

@group(0) @binding(0) var<storage, read> x: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read> w: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read_write> y: array<vec4<f32>>;
@group(0) @binding(3) var<uniform> s: Scalars;

var<workgroup> part: array<f32, 128>;

@compute @workgroup_size(128)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
    @builtin(subgroup_invocation_id) inner: u32,
    @builtin(subgroup_id) subgroup: u32,
    @builtin(num_subgroups) subgroups: u32,
) {
    let quads = s.D / 4u;
    let row = group.x * quads;
    var sum = 0.0;
    for (var i = lane; i < quads; i += 128u) {
        sum += dot(x[row + i], x[row + i]);
    }
    sum = subgroupAdd(sum);
    if inner == 0u {
        part[subgroup] = sum;
    }
    workgroupBarrier();
    let total = part[0] + part[1] + part[2] + part[3];
    let r = inverseSqrt(total / f32(s.D) + s.eps);
    for (var i = lane; i < quads; i += 128u) {
        y[row + i] = x[row + i] * (r * w[i]);
    }
}
