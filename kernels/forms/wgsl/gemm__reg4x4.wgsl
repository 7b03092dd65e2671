/*--- ktwin
op      = "gemm"
compute = "f32"
args    = ["a", "b", "c", { M = "u32", N = "u32", K = "u32" }]
grid    = ["ceil(N / 64)", "ceil(M / 64)", 1]
tile    = { M = 64, N = 64, K = 16 }
dims    = { M = "1..=4096", N = "1..=4096", K = "1..=16384" }
---*/
// Variant: 64 x 64 of the result a workgroup of 256, 4 x 4 in the registers of a lane (strided by 16), K in
// steps of 16.
struct Scalars { M: u32, N: u32, K: u32 }

@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read> b: array<f32>;
@group(0) @binding(2) var<storage, read_write> c: array<f32>;
@group(0) @binding(3) var<uniform> s: Scalars;

var<workgroup> ta: array<f32, 1024>; // [k][m]
var<workgroup> tb: array<f32, 1024>; // [k][n]

@compute @workgroup_size(16, 16)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(local_invocation_id) local: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let m0 = group.y * 64u;
    let n0 = group.x * 64u;
    var sum: array<array<f32, 4>, 4>;
    for (var k0 = 0u; k0 < s.K; k0 += 16u) {
        for (var i = lane; i < 1024u; i += 256u) {
            let m = m0 + i / 16u;
            let ka = k0 + i % 16u;
            var va = 0.0;
            if m < s.M && ka < s.K {
                va = a[m * s.K + ka];
            }
            ta[(i % 16u) * 64u + i / 16u] = va;
            let kb = k0 + i / 64u;
            let n = n0 + i % 64u;
            var vb = 0.0;
            if kb < s.K && n < s.N {
                vb = b[kb * s.N + n];
            }
            tb[i] = vb;
        }
        workgroupBarrier();
        for (var k = 0u; k < 16u; k++) {
            for (var i = 0u; i < 4u; i++) {
                let v = ta[k * 64u + local.y + 16u * i];
                for (var j = 0u; j < 4u; j++) {
                    sum[i][j] = fma(v, tb[k * 64u + local.x + 16u * j], sum[i][j]);
                }
            }
        }
        workgroupBarrier();
    }
    for (var i = 0u; i < 4u; i++) {
        for (var j = 0u; j < 4u; j++) {
            let m = m0 + local.y + 16u * i;
            let n = n0 + local.x + 16u * j;
            if m < s.M && n < s.N {
                c[m * s.N + n] = sum[i][j];
            }
        }
    }
}
