/*--- sim
about   = "layer normalisation, mean and variance in two passes over a row"
grid    = [3, 1, 1]
buffers = [
  { type = "f32", len = 300, fill = "uniform", lo = -2, hi = 5, seed = 1 },
  { type = "f32", len = 100, fill = "uniform", lo = -1.0, hi = 1.0, seed = 2 },
  { type = "f32", len = 100, fill = "uniform", lo = -1.0, hi = 1.0, seed = 3 },
  { type = "f32", len = 300, check = { abs = 2e-5 } },
]
---*/
@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read> w: array<f32>;
@group(0) @binding(2) var<storage, read> b: array<f32>;
@group(0) @binding(3) var<storage, read_write> y: array<f32>;

const D = 100u;
var<workgroup> part: array<f32, 32>;

fn total(lane: u32, mine: f32) -> f32 {
    workgroupBarrier();
    part[lane] = mine;
    workgroupBarrier();
    var s = 0.0;
    for (var j = 0u; j < 32u; j++) {
        s += part[j];
    }
    return s;
}

@compute @workgroup_size(32)
fn main(@builtin(workgroup_id) wg: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    var s = 0.0;
    for (var d = lane; d < D; d += 32u) {
        s += x[wg.x * D + d];
    }
    let mean = total(lane, s) / f32(D);
    s = 0.0;
    for (var d = lane; d < D; d += 32u) {
        let c = x[wg.x * D + d] - mean;
        s += c * c;
    }
    let scale = inverseSqrt(total(lane, s) / f32(D) + 1e-5);
    for (var d = lane; d < D; d += 32u) {
        y[wg.x * D + d] = (x[wg.x * D + d] - mean) * scale * w[d] + b[d];
    }
}
