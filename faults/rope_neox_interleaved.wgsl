/*--- ktwin
op      = "rope_neox"
compute = "f32"
args    = ["x", "y", { T = "u32", H = "u32", D = "u32", pos = "u32", base = "f32" }]
grid    = ["ceil(T * H * D / 128)", 1, 1]
tile    = { D = 64 }
dims    = { D = "multiple of 2" }
where   = ["T * H * D <= 8388480"]
---*/
// fault: wrong values
// pattern: matches another op: rope
// Neighbours are turned, where the op turns elements half a head apart.
struct Scalars { T: u32, H: u32, D: u32, pos: u32, base: f32 }

@group(0) @binding(0) var<storage, read> x: array<vec2<f32>>;
@group(0) @binding(1) var<storage, read_write> y: array<vec2<f32>>;
@group(0) @binding(2) var<uniform> s: Scalars;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let pairs = s.D / 2u;
    if id.x >= s.T * s.H * pairs {
        return;
    }
    let t = id.x / (s.H * pairs);
    let i = id.x % pairs;
    let angle = f32(s.pos + t) * pow(s.base, -2.0 * f32(i) / f32(s.D));
    let c = cos(angle);
    let z = sin(angle);
    let p = x[id.x];
    y[id.x] = vec2(p.x * c - p.y * z, p.y * c + p.x * z);
}
