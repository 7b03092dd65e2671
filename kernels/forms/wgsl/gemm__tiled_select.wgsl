/*--- ktwin
op      = "gemm"
compute = "f32"
args    = ["a", "b", "c", { M = "u32", N = "u32", K = "u32" }]
grid    = ["ceil(N / 8)", "ceil(M / 8)", 1]
tile    = { M = 8, N = 8, K = 8 }
dims    = { M = "1..=4096", N = "1..=4096", K = "1..=4096" }
---*/
// Variant: 8 x 8 tiles filled through select() around reads that robust access keeps inside: both sides are
// evaluated.
struct Scalars { M: u32, N: u32, K: u32 }

@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read> b: array<f32>;
@group(0) @binding(2) var<storage, read_write> c: array<f32>;
@group(0) @binding(3) var<uniform> s: Scalars;

var<workgroup> ta: array<f32, 64>;
var<workgroup> tb: array<f32, 64>;

@compute @workgroup_size(8, 8)
fn main(
    @builtin(global_invocation_id) id: vec3<u32>,
    @builtin(local_invocation_id) local: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let m = id.y;
    let n = id.x;
    var sum = 0.0;
    for (var k0 = 0u; k0 < s.K; k0 += 8u) {
        let ka = k0 + local.x;
        let kb = k0 + local.y;
        ta[lane] = select(0.0, a[m * s.K + ka], m < s.M && ka < s.K);
        tb[lane] = select(0.0, b[kb * s.N + n], n < s.N && kb < s.K);
        workgroupBarrier();
        for (var k = 0u; k < 8u; k++) {
            sum += ta[local.y * 8u + k] * tb[k * 8u + local.x];
        }
        workgroupBarrier();
    }
    if m < s.M && n < s.N {
        c[m * s.N + n] = sum;
    }
}
