/*--- sim
about   = "c = a b, 32 x 32 tiles, 4 x 4 elements a lane in registers"
grid    = [2, 2, 1]
buffers = [
  { type = "u32", values = [40, 50, 36, 0], space = "uniform" },
  { type = "f32", len = 1440, fill = "uniform", lo = -1.0, hi = 1.0, seed = 1 },
  { type = "f32", len = 1800, fill = "uniform", lo = -1.0, hi = 1.0, seed = 2 },
  { type = "f32", len = 2000, check = { abs = 1e-5 } },
]
[bench]
name    = "gemm 256^3, register tiles"
grid    = [8, 8, 1]
buffers = [
  { type = "u32", values = [256, 256, 256, 0], space = "uniform" },
  { type = "f32", len = 65536, fill = "uniform", seed = 1 },
  { type = "f32", len = 65536, fill = "uniform", seed = 2 },
  { type = "f32", len = 65536, check = { abs = 1e-4 } },
]
---*/
struct Dims { M: u32, N: u32, K: u32, pad: u32 }

@group(0) @binding(0) var<uniform> dims: Dims;
@group(0) @binding(1) var<storage, read> a: array<f32>;
@group(0) @binding(2) var<storage, read> b: array<f32>;
@group(0) @binding(3) var<storage, read_write> c: array<f32>;

const T = 32u;
var<workgroup> ta: array<f32, 512>;
var<workgroup> tb: array<f32, 512>;

@compute @workgroup_size(8, 8)
fn main(@builtin(workgroup_id) wg: vec3<u32>, @builtin(local_invocation_id) l: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    var acc: array<vec4<f32>, 4>;
    for (var k0 = 0u; k0 < dims.K; k0 += 16u) {
        for (var e = lane; e < 512u; e += 64u) {
            let am = wg.y * T + e / 16u;
            let ak = k0 + e % 16u;
            ta[(e % 16u) * T + e / 16u] = 0.0;
            if am < dims.M && ak < dims.K {
                ta[(e % 16u) * T + e / 16u] = a[am * dims.K + ak];
            }
            let bk = k0 + e / T;
            let bn = wg.x * T + e % T;
            tb[e] = 0.0;
            if bk < dims.K && bn < dims.N {
                tb[e] = b[bk * dims.N + bn];
            }
        }
        workgroupBarrier();
        for (var k = 0u; k < 16u; k++) {
            let at = k * T + 4u * l.x;
            let row = vec4<f32>(tb[at], tb[at + 1u], tb[at + 2u], tb[at + 3u]);
            for (var i = 0u; i < 4u; i++) {
                acc[i] += ta[k * T + 4u * l.y + i] * row;
            }
        }
        workgroupBarrier();
    }
    for (var i = 0u; i < 4u; i++) {
        for (var j = 0u; j < 4u; j++) {
            let m = wg.y * T + 4u * l.y + i;
            let n = wg.x * T + 4u * l.x + j;
            if m < dims.M && n < dims.N {
                c[m * dims.N + n] = acc[i][j];
            }
        }
    }
}
