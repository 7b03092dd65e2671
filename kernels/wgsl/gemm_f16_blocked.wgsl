/*--- ktwin
op      = "gemm"
types   = { a = "f16", b = "f16" }
compute = "f32"
args    = ["a", "b", "c", { M = "u32", N = "u32", K = "u32" }]
grid    = ["ceil(N / 32)", "ceil(M / 32)", 1]
tile    = { M = 32, N = 32, K = 8 }
dims    = { M = "1..=16384", N = "1..=16384", K = "1..=16384" }
---*/
// 32 x 32 elements of the result a workgroup of 64 lanes, 4 x 4 of them in the registers of each lane:
// every number read from workgroup memory is used four times.
struct Scalars { M: u32, N: u32, K: u32 }

@group(0) @binding(0) var<storage, read> a: array<u32>;
@group(0) @binding(1) var<storage, read> b: array<u32>;
@group(0) @binding(2) var<storage, read_write> c: array<f32>;
@group(0) @binding(3) var<uniform> s: Scalars;

var<workgroup> tile_a: array<array<f32, 32>, 8>;
var<workgroup> tile_b: array<array<f32, 32>, 8>;

fn a_at(m: u32, k: u32) -> f32 {
    if m >= s.M || k >= s.K {
        return 0.0;
    }
    let i = m * s.K + k;
    return unpack2x16float(a[i / 2u] >> (16u * (i % 2u))).x;
}

fn b_at(k: u32, n: u32) -> f32 {
    if k >= s.K || n >= s.N {
        return 0.0;
    }
    let i = k * s.N + n;
    return unpack2x16float(b[i / 2u] >> (16u * (i % 2u))).x;
}

@compute @workgroup_size(8, 8)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(local_invocation_id) lane: vec3<u32>,
    @builtin(local_invocation_index) index: u32,
) {
    let m0 = group.y * 32u;
    let n0 = group.x * 32u;
    var sum: array<vec4<f32>, 4>;
    for (var k0 = 0u; k0 < s.K; k0 += 8u) {
        for (var i = index; i < 256u; i += 64u) {
            tile_a[i % 8u][i / 8u] = a_at(m0 + i / 8u, k0 + i % 8u);
            tile_b[i / 32u][i % 32u] = b_at(k0 + i / 32u, n0 + i % 32u);
        }
        workgroupBarrier();
        for (var k = 0u; k < 8u; k++) {
            let x = lane.x * 4u;
            let row = vec4(tile_b[k][x], tile_b[k][x + 1u], tile_b[k][x + 2u], tile_b[k][x + 3u]);
            for (var i = 0u; i < 4u; i++) {
                sum[i] += tile_a[k][lane.y * 4u + i] * row;
            }
        }
        workgroupBarrier();
    }
    for (var i = 0u; i < 4u; i++) {
        for (var j = 0u; j < 4u; j++) {
            let m = m0 + lane.y * 4u + i;
            let n = n0 + lane.x * 4u + j;
            if m < s.M && n < s.N {
                c[m * s.N + n] = sum[i][j];
            }
        }
    }
}
