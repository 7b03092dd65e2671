/*--- sim
about   = "c = a b, 16 x 16 tiles through workgroup memory, one element a lane"
grid    = [3, 2, 1]
buffers = [
  { type = "u32", values = [20, 41, 37, 0], space = "uniform" },
  { type = "f32", len = 740, fill = "uniform", seed = 1 },
  { type = "f32", len = 1517, fill = "uniform", seed = 2 },
  { type = "f32", len = 820, check = { abs = 1e-5 } },
]

[bench]
name    = "gemm 256^3"
grid    = [16, 16, 1]
buffers = [
  { type = "u32", values = [256, 256, 256, 0], space = "uniform" },
  { type = "f32", len = 65536, fill = "uniform", seed = 1 },
  { type = "f32", len = 65536, fill = "uniform", seed = 2 },
  { type = "f32", len = 65536, check = { abs = 1e-4 } },
]
---*/
struct Dims { M: u32, N: u32, K: u32, _pad: u32 }

@group(0) @binding(0) var<uniform> dims: Dims;
@group(0) @binding(1) var<storage, read> a: array<f32>;
@group(0) @binding(2) var<storage, read> b: array<f32>;
@group(0) @binding(3) var<storage, read_write> c: array<f32>;

const T: u32 = 16u;
var<workgroup> ta: array<array<f32, 16>, 16>;
var<workgroup> tb: array<array<f32, 16>, 16>;

@compute @workgroup_size(16, 16)
fn main(@builtin(workgroup_id) wg: vec3<u32>, @builtin(local_invocation_id) lid: vec3<u32>) {
    let row = wg.y * T + lid.y;
    let col = wg.x * T + lid.x;
    var acc = 0.0;
    for (var k0 = 0u; k0 < dims.K; k0 += T) {
        var va = 0.0;
        var vb = 0.0;
        if row < dims.M && k0 + lid.x < dims.K {
            va = a[row * dims.K + k0 + lid.x];
        }
        if k0 + lid.y < dims.K && col < dims.N {
            vb = b[(k0 + lid.y) * dims.N + col];
        }
        ta[lid.y][lid.x] = va;
        tb[lid.y][lid.x] = vb;
        workgroupBarrier();
        for (var k = 0u; k < T; k++) {
            acc += ta[lid.y][k] * tb[k][lid.x];
        }
        workgroupBarrier();
    }
    if row < dims.M && col < dims.N {
        c[row * dims.N + col] = acc;
    }
}
