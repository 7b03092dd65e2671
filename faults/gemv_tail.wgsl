/*--- ktwin
op      = "gemv"
types   = { w = "f16" }
compute = "f32"
args    = ["w", "x", "y", { N = "u32", "K // 4" = "u32" }]
grid    = ["ceil(N / 64)", 1, 1]
tile    = { N = 64, K = 4 }
dims    = { N = "1..=65536", K = "4..=65536" }
---*/
// fault: wrong values
// pattern: fails exactly when K is not a multiple of 4
// Takes any K, but steps over the last one to three weights of a row where it is no multiple of 4.
struct Scalars { N: u32, quarters: u32 }

@group(0) @binding(0) var<storage, read> w: array<vec2<u32>>;
@group(0) @binding(1) var<storage, read> x: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read_write> y: array<f32>;
@group(0) @binding(3) var<uniform> s: Scalars;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let n = id.x;
    if n >= s.N {
        return;
    }
    var sum = 0.0;
    for (var q = 0u; q < s.quarters; q++) {
        let pair = w[n * s.quarters + q];
        sum += dot(vec4(unpack2x16float(pair.x), unpack2x16float(pair.y)), x[q]);
    }
    y[n] = sum;
}
