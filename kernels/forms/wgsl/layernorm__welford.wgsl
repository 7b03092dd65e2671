/*--- ktwin
op      = "layernorm"
compute = "f32"
args    = ["x", "w", "b", "y", { D = "u32", eps = "f32" }]
grid    = ["R", 1, 1]
tile    = { D = 64 }
dims    = { R = "1..=65535", D = "1..=16384" }
---*/
// Variant: Welford in each lane, Chan's merge in a tree.
struct Scalars { D: u32, eps: f32 }

@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read> w: array<f32>;
@group(0) @binding(2) var<storage, read> b: array<f32>;
@group(0) @binding(3) var<storage, read_write> y: array<f32>;
@group(0) @binding(4) var<uniform> s: Scalars;

const LANES = 64u;
var<workgroup> part: array<vec3<f32>, LANES>; // count, mean, squares

fn merge(a: vec3<f32>, b: vec3<f32>) -> vec3<f32> {
    let n = a.x + b.x;
    if b.x == 0.0 {
        return a;
    }
    let d = b.y - a.y;
    return vec3(n, a.y + d * b.x / n, a.z + b.z + d * d * (a.x * b.x / n));
}

@compute @workgroup_size(LANES)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let row = group.x * s.D;
    var own = vec3(0.0);
    for (var i = lane; i < s.D; i += LANES) {
        let v = x[row + i];
        own.x += 1.0;
        let d = v - own.y;
        own.y += d / own.x;
        own.z += d * (v - own.y);
    }
    part[lane] = own;
    workgroupBarrier();
    for (var half = LANES / 2u; half > 0u; half /= 2u) {
        if lane < half {
            part[lane] = merge(part[lane], part[lane + half]);
        }
        workgroupBarrier();
    }
    let mu = part[0].y;
    let sd = sqrt(part[0].z / f32(s.D) + s.eps);
    for (var i = lane; i < s.D; i += LANES) {
        y[row + i] = (x[row + i] - mu) / sd * w[i] + b[i];
    }
}
