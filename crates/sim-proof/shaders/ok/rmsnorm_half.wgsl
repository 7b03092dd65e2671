/*--- sim
about   = "rms normalisation with half storage"
grid    = [2, 1, 1]
needs   = ["f16"]
buffers = [
  { type = "f16", len = 256, fill = "uniform", lo = -1.0, hi = 1.0, seed = 1 },
  { type = "f16", len = 128, fill = "uniform", lo = -1.0, hi = 1.0, seed = 2 },
  { type = "f16", len = 256, check = { ulp = 1 } },
]
---*/
enable f16;

@group(0) @binding(0) var<storage, read> x: array<f16>;
@group(0) @binding(1) var<storage, read> w: array<f16>;
@group(0) @binding(2) var<storage, read_write> y: array<f16>;

var<workgroup> part: array<f32, 64>;

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) wg: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let base = wg.x * 128u;
    let p = f32(x[base + lane]);
    let q = f32(x[base + 64u + lane]);
    part[lane] = p * p + q * q;
    workgroupBarrier();
    for (var step = 32u; step > 0u; step /= 2u) {
        if lane < step {
            part[lane] += part[lane + step];
        }
        workgroupBarrier();
    }
    let scale = inverseSqrt(part[0] / 128.0 + 1e-5);
    y[base + lane] = f16(p * scale * f32(w[lane]));
    y[base + 64u + lane] = f16(q * scale * f32(w[64u + lane]));
}
