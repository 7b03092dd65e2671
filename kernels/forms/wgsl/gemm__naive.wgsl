/*--- ktwin
op      = "gemm"
compute = "f32"
args    = ["a", "b", "c", { M = "u32", N = "u32", K = "u32" }]
grid    = ["ceil(N / 16)", "ceil(M / 16)", 1]
tile    = { M = 16, N = 16 }
dims    = { M = "1..=4096", N = "1..=4096", K = "1..=16384" }
---*/
// Variant: one lane an element, fma in order of K.
struct Scalars { M: u32, N: u32, K: u32 }

@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read> b: array<f32>;
@group(0) @binding(2) var<storage, read_write> c: array<f32>;
@group(0) @binding(3) var<uniform> s: Scalars;

@compute @workgroup_size(16, 16)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.y >= s.M || id.x >= s.N {
        return;
    }
    var sum = 0.0;
    for (var k = 0u; k < s.K; k++) {
        sum = fma(a[id.y * s.K + k], b[k * s.N + id.x], sum);
    }
    c[id.y * s.N + id.x] = sum;
}
