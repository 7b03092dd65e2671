/*--- ktwin
op      = "rope_neox"
compute = "f32"
args    = ["x", "y", { H = "u32", D = "u32", pos = "u32", base = "f32" }]
grid    = ["H", "T", 1]
tile    = { D = 128 }
dims    = { T = "1..=65535", H = "1..=65535", D = "multiple of 2" }
---*/
// One workgroup a head of one token, one lane a pair of elements half a head apart. The power is made of exp2
// and log2, as most libraries do.
struct Scalars { H: u32, D: u32, pos: u32, base: f32 }

@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> y: array<f32>;
@group(0) @binding(2) var<uniform> s: Scalars;

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let t = group.y;
    let half = s.D / 2u;
    let head = (t * s.H + group.x) * s.D;
    for (var i = lane; i < half; i += 64u) {
        let angle = f32(s.pos + t) * exp2(-2.0 * f32(i) / f32(s.D) * log2(s.base));
        let c = cos(angle);
        let z = sin(angle);
        let a = x[head + i];
        let b = x[head + half + i];
        y[head + i] = a * c - b * z;
        y[head + half + i] = b * c + a * z;
    }
}
