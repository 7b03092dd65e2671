/*--- ktwin
op      = "gemm"
compute = "f32"
args    = ["a", "b", "c", { M = "u32", N = "u32", K = "u32" }]
grid    = ["ceil(N / 16)", "ceil(M / 16)", 1]
tile    = { M = 16, N = 16, K = 16 }
dims    = { M = "1..=4096", N = "1..=4096", K = "1..=16384" }
---*/
// Variant: 16 x 16 tiles of both matrices in workgroup memory, zeros outside.
struct Scalars { M: u32, N: u32, K: u32 }

@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read> b: array<f32>;
@group(0) @binding(2) var<storage, read_write> c: array<f32>;
@group(0) @binding(3) var<uniform> s: Scalars;

var<workgroup> ta: array<array<f32, 16>, 16>;
var<workgroup> tb: array<array<f32, 17>, 16>;

@compute @workgroup_size(16, 16)
fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(local_invocation_id) local: vec3<u32>) {
    let m = id.y;
    let n = id.x;
    var sum = 0.0;
    for (var k0 = 0u; k0 < s.K; k0 += 16u) {
        var va = 0.0;
        if m < s.M && k0 + local.x < s.K {
            va = a[m * s.K + k0 + local.x];
        }
        var vb = 0.0;
        if n < s.N && k0 + local.y < s.K {
            vb = b[(k0 + local.y) * s.N + n];
        }
        ta[local.y][local.x] = va;
        tb[local.y][local.x] = vb;
        workgroupBarrier();
        for (var k = 0u; k < 16u; k++) {
            sum += ta[local.y][k] * tb[k][local.x];
        }
        workgroupBarrier();
    }
    if m < s.M && n < s.N {
        c[m * s.N + n] = sum;
    }
}
