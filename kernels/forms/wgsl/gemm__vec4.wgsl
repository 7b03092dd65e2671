/*--- ktwin
op      = "gemm"
compute = "f32"
args    = ["a", "b", "c", { M = "u32", N = "u32", K = "u32" }]
grid    = ["ceil(N / 32)", "ceil(M / 8)", 1]
tile    = { M = 8, N = 32 }
dims    = { M = "1..=4096", N = ["multiple of 4", "4..=4096"], K = ["multiple of 4", "4..=16384"] }
---*/
// Variant: vec4 in all three matrices, four columns a lane.
struct Scalars { M: u32, N: u32, K: u32 }

@group(0) @binding(0) var<storage, read> a: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read> b: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read_write> c: array<vec4<f32>>;
@group(0) @binding(3) var<uniform> s: Scalars;

@compute @workgroup_size(8, 8)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let m = id.y;
    let quads = s.N / 4u;
    if m >= s.M || id.x >= quads {
        return;
    }
    var sum = vec4(0.0);
    for (var k = 0u; k < s.K; k += 4u) {
        let v = a[(m * s.K + k) / 4u];
        sum += v.x * b[k * quads + id.x];
        sum += v.y * b[(k + 1u) * quads + id.x];
        sum += v.z * b[(k + 2u) * quads + id.x];
        sum += v.w * b[(k + 3u) * quads + id.x];
    }
    c[m * quads + id.x] = sum;
}
