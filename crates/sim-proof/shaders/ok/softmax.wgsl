/*--- sim
about   = "softmax of rows, one workgroup a row: maximum, sum, quotient"
grid    = [3, 1, 1]
buffers = [
  { type = "u32", values = [600], space = "uniform" },
  { type = "f32", len = 1800, fill = "uniform", lo = -8.0, hi = 8.0, seed = 1 },
  { type = "f32", len = 1800, check = { rel = 5e-5, abs = 1e-30 } },
]

[bench]
name    = "softmax 256 x 4096"
grid    = [256, 1, 1]
buffers = [
  { type = "u32", values = [4096], space = "uniform" },
  { type = "f32", len = 1048576, fill = "uniform", lo = -8.0, hi = 8.0, seed = 1 },
  { type = "f32", len = 1048576, check = { rel = 5e-5, abs = 1e-30 } },
]
---*/
struct Params { D: u32 }

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> x: array<f32>;
@group(0) @binding(2) var<storage, read_write> y: array<f32>;

var<workgroup> part: array<f32, 256>;

@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) wg: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let D = params.D;
    let base = wg.x * D;
    var m = -3.402823e38;
    for (var d = lane; d < D; d += 256u) {
        m = max(m, x[base + d]);
    }
    part[lane] = m;
    workgroupBarrier();
    for (var step = 128u; step > 0u; step >>= 1u) {
        if lane < step {
            part[lane] = max(part[lane], part[lane + step]);
        }
        workgroupBarrier();
    }
    m = part[0];
    workgroupBarrier();

    var s = 0.0;
    for (var d = lane; d < D; d += 256u) {
        let e = exp(x[base + d] - m);
        y[base + d] = e;
        s += e;
    }
    part[lane] = s;
    workgroupBarrier();
    for (var step = 128u; step > 0u; step >>= 1u) {
        if lane < step {
            part[lane] += part[lane + step];
        }
        workgroupBarrier();
    }
    let inv = 1.0 / part[0];
    for (var d = lane; d < D; d += 256u) {
        y[base + d] *= inv;
    }
}
