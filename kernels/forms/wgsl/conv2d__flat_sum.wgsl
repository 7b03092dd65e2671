/*--- ktwin
op      = "conv2d"
compute = "f32"
args    = ["x", "w", "b", "y",
           { N = "u32", C = "u32", H = "u32", W = "u32", O = "u32", I = "u32", KH = "u32", KW = "u32", P = "u32", Q = "u32", stride = "u32", pad = "u32", dilation = "u32", groups = "u32" }]
grid    = ["ceil(P * Q / 64)", "O", "N"]
tile    = { P = 8, Q = 8 }
dims    = { N = "1..=256", O = "1..=256" }
---*/
// Variant: one flat loop over all taps, coordinates by division; padding tested by unsigned wrap-around.
struct Scalars { N: u32, C: u32, H: u32, W: u32, O: u32, I: u32, KH: u32, KW: u32, P: u32, Q: u32, stride: u32, pad: u32, dilation: u32, groups: u32 }

@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read> w: array<f32>;
@group(0) @binding(2) var<storage, read> b: array<f32>;
@group(0) @binding(3) var<storage, read_write> y: array<f32>;
@group(0) @binding(4) var<uniform> s: Scalars;

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(global_invocation_id) id: vec3<u32>) {
    if id.x >= s.P * s.Q {
        return;
    }
    let p = id.x / s.Q;
    let q = id.x % s.Q;
    let o = group.y;
    let first = group.z * s.C + o / (s.O / s.groups) * s.I;
    let area = s.KH * s.KW;
    let taps = s.I * area;
    var sum = 0.0;
    for (var j = 0u; j < taps; j++) {
        let kh = j % area / s.KW;
        let kw = j % s.KW;
        let h = p * s.stride + kh * s.dilation - s.pad;
        let c = q * s.stride + kw * s.dilation - s.pad;
        if h < s.H && c < s.W {
            sum += w[o * taps + j] * x[((first + j / area) * s.H + h) * s.W + c];
        }
    }
    y[(group.z * s.O + o) * s.P * s.Q + id.x] = sum + b[o];
}
