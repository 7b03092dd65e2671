/*--- ktwin
op      = "gemm_bias"
compute = "f32"
args    = ["a", "b", "bias", "c", { M = "u32", N = "u32", K = "u32" }]
grid    = ["ceil(N / 16)", "ceil(M / 4)", 1]
tile    = { M = 4, N = 16 }
dims    = { M = "1..=4096", N = "1..=4096", K = "1..=16384" }
---*/
// Variant: the sum starts from the bias.
struct Scalars { M: u32, N: u32, K: u32 }

@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read> b: array<f32>;
@group(0) @binding(2) var<storage, read> bias: array<f32>;
@group(0) @binding(3) var<storage, read_write> c: array<f32>;
@group(0) @binding(4) var<uniform> s: Scalars;

@compute @workgroup_size(16, 4)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.y >= s.M || id.x >= s.N {
        return;
    }
    var z = bias[id.x];
    for (var k = 0u; k < s.K; k++) {
        z = fma(a[id.y * s.K + k], b[k * s.N + id.x], z);
    }
    c[id.y * s.N + id.x] = z;
}
