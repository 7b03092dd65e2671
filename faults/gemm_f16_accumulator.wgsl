/*--- ktwin
op      = "gemm"
types   = { a = "f16", b = "f16", c = "f16" }
compute = "f32"
args    = ["a", "b", "c", { M = "u32", N = "u32", K = "u32" }]
grid    = ["ceil(N / 8)", "ceil(M / 8)", 1]
tile    = { M = 8, N = 8 }
dims    = { M = "1..=16384", N = "1..=16384", K = "1..=16384" }
---*/
// fault: wrong values
// pattern: the wrong elements agree to 2.6 digits of the largest value: numbers are rounded to f16 or tf32 on the way, or a function is approximated, or precision is lost
// Products are summed in f16, where f32 is promised.
enable f16;

struct Scalars { M: u32, N: u32, K: u32 }

@group(0) @binding(0) var<storage, read> a: array<f16>;
@group(0) @binding(1) var<storage, read> b: array<f16>;
@group(0) @binding(2) var<storage, read_write> c: array<f16>;
@group(0) @binding(3) var<uniform> s: Scalars;

@compute @workgroup_size(8, 8)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let m = id.y;
    let n = id.x;
    if m >= s.M || n >= s.N {
        return;
    }
    var sum = 0.0h;
    for (var k = 0u; k < s.K; k++) {
        sum += a[m * s.K + k] * b[k * s.N + n];
    }
    c[m * s.N + n] = sum;
}
