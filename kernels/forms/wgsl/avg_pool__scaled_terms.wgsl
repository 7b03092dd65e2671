/*--- ktwin
op      = "avg_pool"
compute = "f32"
args    = ["x", "y",
           { N = "u32", C = "u32", H = "u32", W = "u32", P = "u32", Q = "u32", size = "u32", stride = "u32", pad = "u32" }]
grid    = ["ceil(Q / 8)", "ceil(P / 8)", "N * C"]
tile    = { P = 8, Q = 8 }
dims    = { N = "1..=64", C = "1..=256" }
---*/
// Variant: every term is scaled by 1 / size^2 before it is added.
struct Scalars { N: u32, C: u32, H: u32, W: u32, P: u32, Q: u32, size: u32, stride: u32, pad: u32 }

@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> y: array<f32>;
@group(0) @binding(2) var<uniform> s: Scalars;

@compute @workgroup_size(8, 8)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(global_invocation_id) id: vec3<u32>) {
    if id.x >= s.Q || id.y >= s.P {
        return;
    }
    let part = 1.0 / f32(s.size * s.size);
    var mean = 0.0;
    for (var i = 0u; i < s.size; i++) {
        for (var j = 0u; j < s.size; j++) {
            let h = id.y * s.stride + i - s.pad;
            let c = id.x * s.stride + j - s.pad;
            if h < s.H && c < s.W {
                mean = fma(part, x[(group.z * s.H + h) * s.W + c], mean);
            }
        }
    }
    y[(group.z * s.P + id.y) * s.Q + id.x] = mean;
}
