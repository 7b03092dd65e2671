/*--- ktwin
op      = "gemv"
types   = { w = "q8_0" }
compute = "f32"
args    = ["w", "x", "y", { K = "u32" }]
grid    = ["N", 1, 1]
tile    = { K = 128 }
dims    = { N = "1..=65535", K = ["32..=65536", "multiple of 32"] }
---*/
// fault: wrong values
// pattern: matches the op with the numbers of `w` read as unsigned
// Signed bytes are read as unsigned ones.
@group(0) @binding(0) var<storage, read> w: array<u32>;
@group(0) @binding(1) var<storage, read> x: array<f32>;
@group(0) @binding(2) var<storage, read_write> y: array<f32>;
@group(0) @binding(3) var<uniform> K: u32;

var<workgroup> part: array<f32, 128>;

fn scale_at(byte: u32) -> f32 {
    return unpack2x16float(w[byte / 4u] >> (8u * (byte % 4u))).x;
}

fn weight_at(byte: u32) -> f32 {
    return f32(extractBits(w[byte / 4u], 8u * (byte % 4u), 8u));
}

@compute @workgroup_size(128)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let row = group.x * (K / 32u) * 34u;
    var sum = 0.0;
    for (var k = lane; k < K; k += 128u) {
        let block = row + (k / 32u) * 34u;
        sum += weight_at(block + 2u + k % 32u) * scale_at(block) * x[k];
    }
    part[lane] = sum;
    workgroupBarrier();
    for (var half = 64u; half > 0u; half /= 2u) {
        if lane < half {
            part[lane] += part[lane + half];
        }
        workgroupBarrier();
    }
    if lane == 0u {
        y[group.x] = part[0];
    }
}
