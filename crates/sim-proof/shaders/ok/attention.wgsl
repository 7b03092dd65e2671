/*--- sim
about   = "causal attention, one workgroup of 64 lanes a query and head, online over blocks of 64 keys"
grid    = [5, 2, 1]
buffers = [
  { type = "u32", values = [5, 70], space = "uniform" },
  { type = "f32", len = 640, fill = "uniform", seed = 1 },
  { type = "f32", len = 8960, fill = "uniform", seed = 2 },
  { type = "f32", len = 8960, fill = "uniform", seed = 3 },
  { type = "f32", len = 640, check = { abs = 2e-5 } },
]

[bench]
name    = "attention H=4 S=T=256 D=64"
grid    = [256, 4, 1]
buffers = [
  { type = "u32", values = [256, 256], space = "uniform" },
  { type = "f32", len = 65536, fill = "uniform", seed = 1 },
  { type = "f32", len = 65536, fill = "uniform", seed = 2 },
  { type = "f32", len = 65536, fill = "uniform", seed = 3 },
  { type = "f32", len = 65536, check = { abs = 2e-5 } },
]
---*/
struct Params { S: u32, T: u32 }

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> q: array<f32>;
@group(0) @binding(2) var<storage, read> k: array<f32>;
@group(0) @binding(3) var<storage, read> v: array<f32>;
@group(0) @binding(4) var<storage, read_write> o: array<f32>;

const D: u32 = 64u;
var<workgroup> query: array<f32, 64>;
var<workgroup> prob: array<f32, 64>;
var<workgroup> part: array<f32, 64>;

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) wg: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let s = wg.x;
    let h = wg.y;
    let S = params.S;
    let T = params.T;
    let last = s + (T - S);
    query[lane] = q[(h * S + s) * D + lane] * 0.125;
    workgroupBarrier();

    var m = -1e30;
    var l = 0.0;
    var acc = 0.0;
    for (var t0 = 0u; t0 <= last; t0 += 64u) {
        // scores: one key a lane
        let t = t0 + lane;
        var z = -1e30;
        if t <= last {
            z = 0.0;
            let key = (h * T + t) * D;
            for (var d = 0u; d < D; d++) {
                z += query[d] * k[key + d];
            }
        }
        part[lane] = z;
        workgroupBarrier();
        for (var step = 32u; step > 0u; step >>= 1u) {
            if lane < step {
                part[lane] = max(part[lane], part[lane + step]);
            }
            workgroupBarrier();
        }
        let m_new = max(m, part[0]);
        let shrink = exp(m - m_new);
        m = m_new;
        prob[lane] = select(0.0, exp(z - m), t <= last);
        workgroupBarrier();

        // values: one column a lane
        l *= shrink;
        acc *= shrink;
        let count = min(64u, last + 1u - t0);
        for (var j = 0u; j < count; j++) {
            let p = prob[j];
            l += p;
            acc += p * v[(h * T + t0 + j) * D + lane];
        }
        workgroupBarrier();
    }
    o[(h * S + s) * D + lane] = acc / l;
}
