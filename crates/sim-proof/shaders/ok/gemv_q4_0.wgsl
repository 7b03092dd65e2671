/*--- sim
about   = "y = w x, w in q4_0 (blocks of an f16 scale and 32 nibbles, 18 bytes), one workgroup of 64 lanes a row"
grid    = [3, 1, 1]
buffers = [
  { type = "u32", values = [3, 2112], space = "uniform" },
  { type = "q4_0", len = 6336, seed = 1 },
  { type = "f32", len = 2112, fill = "uniform", seed = 2 },
  { type = "f32", len = 3, check = { abs = 1e-3 } },
]

[bench]
name    = "gemv q4_0 1024 x 4096"
grid    = [1024, 1, 1]
buffers = [
  { type = "u32", values = [1024, 4096], space = "uniform" },
  { type = "q4_0", len = 4194304, seed = 1 },
  { type = "f32", len = 4096, fill = "uniform", seed = 2 },
  { type = "f32", len = 1024, check = { abs = 1e-3 } },
]
---*/
struct Dims { N: u32, K: u32 }

@group(0) @binding(0) var<uniform> dims: Dims;
@group(0) @binding(1) var<storage, read> w: array<u32>;
@group(0) @binding(2) var<storage, read> x: array<f32>;
@group(0) @binding(3) var<storage, read_write> y: array<f32>;

var<workgroup> part: array<f32, 64>;

// 18-byte blocks start on even bytes, so a half word is the widest aligned read.
fn half_at(i: u32) -> u32 {
    return (w[i >> 1u] >> ((i & 1u) * 16u)) & 0xffffu;
}

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) wg: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let row = wg.x;
    let blocks = dims.K / 32u;
    var s = 0.0;
    for (var b = lane; b < blocks; b += 64u) {
        let at = (row * blocks + b) * 9u;
        let scale = unpack2x16float(half_at(at)).x;
        let x0 = b * 32u;
        var t = 0.0;
        for (var i = 0u; i < 8u; i++) {
            let q = half_at(at + 1u + i);
            let e = x0 + 2u * i;
            t += (f32(q & 15u) - 8.0) * x[e];
            t += (f32((q >> 4u) & 15u) - 8.0) * x[e + 16u];
            t += (f32((q >> 8u) & 15u) - 8.0) * x[e + 1u];
            t += (f32(q >> 12u) - 8.0) * x[e + 17u];
        }
        s += t * scale;
    }
    part[lane] = s;
    workgroupBarrier();
    for (var step = 32u; step > 0u; step >>= 1u) {
        if lane < step {
            part[lane] += part[lane + step];
        }
        workgroupBarrier();
    }
    if lane == 0u {
        y[row] = part[0];
    }
}
