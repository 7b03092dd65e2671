/*--- sim
about   = "root mean square normalisation, one workgroup a row, tree reduction"
grid    = [3, 1, 1]
buffers = [
  { type = "u32", values = [600], space = "uniform" },
  { type = "f32", len = 1800, fill = "uniform", seed = 1 },
  { type = "f32", len = 600, fill = "uniform", seed = 2 },
  { type = "f32", len = 1800, check = { abs = 1e-5 } },
]

[bench]
name    = "rmsnorm 256 x 4096"
grid    = [256, 1, 1]
buffers = [
  { type = "u32", values = [4096], space = "uniform" },
  { type = "f32", len = 1048576, fill = "uniform", seed = 1 },
  { type = "f32", len = 4096, fill = "uniform", seed = 2 },
  { type = "f32", len = 1048576, check = { abs = 1e-5 } },
]
---*/
struct Params { D: u32 }

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> x: array<f32>;
@group(0) @binding(2) var<storage, read> w: array<f32>;
@group(0) @binding(3) var<storage, read_write> y: array<f32>;

var<workgroup> part: array<f32, 256>;

@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) wg: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let D = params.D;
    let base = wg.x * D;
    var s = 0.0;
    for (var d = lane; d < D; d += 256u) {
        let v = x[base + d];
        s += v * v;
    }
    part[lane] = s;
    workgroupBarrier();
    for (var step = 128u; step > 0u; step >>= 1u) {
        if lane < step {
            part[lane] += part[lane + step];
        }
        workgroupBarrier();
    }
    let r = inverseSqrt(part[0] / f32(D) + 1e-5);
    for (var d = lane; d < D; d += 256u) {
        y[base + d] = x[base + d] * r * w[d];
    }
}
