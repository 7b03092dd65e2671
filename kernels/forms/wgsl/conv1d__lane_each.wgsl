/*--- ktwin
op      = "conv1d"
compute = "f32"
args    = ["x", "w", "b", "y",
           { N = "u32", C = "u32", L = "u32", O = "u32", I = "u32", K = "u32", P = "u32", stride = "u32", pad = "u32", dilation = "u32", groups = "u32" }]
grid    = ["ceil(P / 64)", "O", "N"]
tile    = { P = 64 }
dims    = { N = "1..=1024", O = "1..=1024" }
---*/
// Variant: one lane an output, taps inside decided by signed whole numbers.
struct Scalars { N: u32, C: u32, L: u32, O: u32, I: u32, K: u32, P: u32, stride: u32, pad: u32, dilation: u32, groups: u32 }

@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read> w: array<f32>;
@group(0) @binding(2) var<storage, read> b: array<f32>;
@group(0) @binding(3) var<storage, read_write> y: array<f32>;
@group(0) @binding(4) var<uniform> s: Scalars;

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(global_invocation_id) id: vec3<u32>) {
    if id.x >= s.P {
        return;
    }
    let o = group.y;
    let first = o / (s.O / s.groups) * s.I;
    var sum = b[o];
    for (var i = 0u; i < s.I; i++) {
        let row = (group.z * s.C + first + i) * s.L;
        for (var k = 0u; k < s.K; k++) {
            let at = i32(id.x * s.stride + k * s.dilation) - i32(s.pad);
            if at >= 0 && at < i32(s.L) {
                sum = fma(w[(o * s.I + i) * s.K + k], x[row + u32(at)], sum);
            }
        }
    }
    y[(group.z * s.O + o) * s.P + id.x] = sum;
}
