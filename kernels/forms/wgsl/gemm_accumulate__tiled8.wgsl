/*--- ktwin
op      = "gemm_accumulate"
compute = "f32"
args    = ["a", "b", "c", { M = "u32", N = "u32", K = "u32", alpha = "f32", beta = "f32" }]
grid    = ["ceil(N / 8)", "ceil(M / 8)", 1]
tile    = { M = 8, N = 8, K = 8 }
dims    = { M = "1..=4096", N = "1..=4096", K = "1..=16384" }
---*/
// Variant: 8 x 8 tiles, in place at the end.
struct Scalars { M: u32, N: u32, K: u32, alpha: f32, beta: f32 }

@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read> b: array<f32>;
@group(0) @binding(2) var<storage, read_write> c: array<f32>;
@group(0) @binding(3) var<uniform> s: Scalars;

var<workgroup> ta: array<array<f32, 8>, 8>;
var<workgroup> tb: array<array<f32, 8>, 8>;

@compute @workgroup_size(8, 8)
fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(local_invocation_id) local: vec3<u32>) {
    var sum = 0.0;
    for (var k0 = 0u; k0 < s.K; k0 += 8u) {
        var va = 0.0;
        var vb = 0.0;
        if id.y < s.M && k0 + local.x < s.K {
            va = a[id.y * s.K + k0 + local.x];
        }
        if id.x < s.N && k0 + local.y < s.K {
            vb = b[(k0 + local.y) * s.N + id.x];
        }
        ta[local.y][local.x] = va;
        tb[local.y][local.x] = vb;
        workgroupBarrier();
        for (var k = 0u; k < 8u; k++) {
            sum += ta[local.y][k] * tb[k][local.x];
        }
        workgroupBarrier();
    }
    if id.y < s.M && id.x < s.N {
        let at = id.y * s.N + id.x;
        c[at] = fma(s.alpha, sum, s.beta * c[at]);
    }
}
