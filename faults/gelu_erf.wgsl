/*--- ktwin
op      = "gelu"
compute = "f32"
args    = ["x", "y", { N = "u32" }]
grid    = ["ceil(N / 256)", 1, 1]
tile    = { N = 256 }
dims    = { N = "1..=16776960" }
---*/
// fault: wrong values
// pattern: matches another op: gelu_erf
// The exact gelu by the error function, where the op is its approximation by tanh: at most 0.0005 apart.
@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> y: array<f32>;
@group(0) @binding(2) var<uniform> N: u32;

// Abramowitz and Stegun 7.1.26, good to 1.5e-7
fn erf(x: f32) -> f32 {
    let t = 1.0 / (1.0 + 0.3275911 * abs(x));
    let p = t * (0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429))));
    return sign(x) * (1.0 - p * exp(-x * x));
}

@compute @workgroup_size(256)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let n = id.x;
    if n >= N {
        return;
    }
    let v = x[n];
    y[n] = 0.5 * v * (1.0 + erf(v * 0.70710678));
}
