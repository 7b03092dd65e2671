/*--- ktwin
op      = "gelu_erf"
compute = "f32"
args    = ["x", "y", { N = "u32" }]
grid    = ["ceil(N / 256)", 1, 1]
tile    = { N = 256 }
dims    = { N = "1..=16776960" }
---*/
// Variant: 0.5 x erfc(-x / sqrt 2) with the Chebyshev fit of Numerical Recipes (relative error below 1.2e-7),
// since WGSL has no erf.
@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> y: array<f32>;
@group(0) @binding(2) var<uniform> N: u32;

fn erfc(x: f32) -> f32 {
    let z = min(abs(x), 12.0);
    let t = 1.0 / (1.0 + 0.5 * z);
    let p = -1.26551223 + t * (1.00002368 + t * (0.37409196 + t * (0.09678418 + t * (-0.18628806 + t * (0.27886807
          + t * (-1.13520398 + t * (1.48851587 + t * (-0.82215223 + t * 0.17087277))))))));
    let r = t * exp(-z * z + p);
    return select(2.0 - r, r, x >= 0.0);
}

@compute @workgroup_size(256)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let n = id.x;
    if n >= N {
        return;
    }
    let v = x[n];
    y[n] = 0.5 * v * erfc(v * -0.7071067811865476);
}
