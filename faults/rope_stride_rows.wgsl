/*--- ktwin
op      = "rope_neox"
compute = "f32"
args    = ["x", "y", { T = "u32", H = "u32", D = "u32", pos = "u32", base = "f32", "x.stride0" = "u32",
           "x.stride1" = "u32", "x.offset" = "u32" }]
grid    = ["ceil(T * H * D / 128)", 1, 1]
tile    = { D = 128 }
dims    = { D = "..=512" }
where   = ["T * H * D <= 4000000"]
layout  = { x = ["row", "strided", "offset"] }
---*/
// fault: wrong values
// pattern: wrong exactly where t > 0
// Rows of heads are padded, tokens are taken to lie H times that apart.
// One lane a pair; the frequency by exp2 of a logarithm. Rows of x may be padded.
struct Sizes { T: u32, H: u32, D: u32, pos: u32, base: f32, s0: u32, s1: u32, off: u32 }
@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> y: array<f32>;
@group(0) @binding(2) var<uniform> s: Sizes;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let half = s.D / 2u;
    if id.x >= s.T * s.H * half { return; }
    let i = id.x % half;
    let h = id.x / half % s.H;
    let t = id.x / half / s.H;
    let theta = f32(s.pos + t) * pow(s.base, -2.0 * f32(i) / f32(s.D));
    let c = cos(theta);
    let n = sin(theta);
    let at = s.off + t * s.H * s.s1 + h * s.s1 + i;
    let to = (t * s.H + h) * s.D + i;
    let a = x[at];
    let b = x[at + half];
    y[to] = a * c - b * n;
    y[to + half] = fma(b, c, a * n);
}
