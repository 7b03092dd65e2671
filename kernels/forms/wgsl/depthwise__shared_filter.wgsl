/*--- ktwin
op      = "depthwise"
compute = "f32"
args    = ["x", "w", "y",
           { N = "u32", C = "u32", H = "u32", W = "u32", KH = "u32", KW = "u32", P = "u32", Q = "u32", stride = "u32", pad = "u32" }]
grid    = ["ceil(Q / 8)", "ceil(P / 8)", "N * C"]
tile    = { P = 8, Q = 8 }
dims    = { N = "1..=64", C = "1..=256", KH = "1..=8", KW = "1..=8" }
---*/
// Variant: the channel's filter in workgroup memory, 8 x 8 outputs a workgroup.
struct Scalars { N: u32, C: u32, H: u32, W: u32, KH: u32, KW: u32, P: u32, Q: u32, stride: u32, pad: u32 }

@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read> w: array<f32>;
@group(0) @binding(2) var<storage, read_write> y: array<f32>;
@group(0) @binding(3) var<uniform> s: Scalars;

var<workgroup> filter_taps: array<f32, 64>;

@compute @workgroup_size(8, 8)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(global_invocation_id) id: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let taps = s.KH * s.KW;
    if lane < taps {
        filter_taps[lane] = w[group.z % s.C * taps + lane];
    }
    workgroupBarrier();
    if id.x >= s.Q || id.y >= s.P {
        return;
    }
    var sum = 0.0;
    for (var i = 0u; i < s.KH; i++) {
        let h = i32(id.y * s.stride + i) - i32(s.pad);
        if h < 0 || h >= i32(s.H) {
            continue;
        }
        for (var j = 0u; j < s.KW; j++) {
            let c = i32(id.x * s.stride + j) - i32(s.pad);
            if c < 0 || c >= i32(s.W) {
                continue;
            }
            sum += filter_taps[i * s.KW + j] * x[(group.z * s.H + u32(h)) * s.W + u32(c)];
        }
    }
    y[(group.z * s.P + id.y) * s.Q + id.x] = sum;
}
