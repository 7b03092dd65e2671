/*--- ktwin
op      = "gemv"
types   = { w = "f16" }
compute = "f32"
args    = ["w", "x", "y", { K = "u32" }]
grid    = ["N", 1, 1]
tile    = { K = 64 }
dims    = { N = "1..=65535", K = "1..=65536" }
---*/
// fault: endless loop
// pattern: every wrong element was never written
// The step of the loop was lost.
@group(0) @binding(0) var<storage, read> w: array<u32>;
@group(0) @binding(1) var<storage, read> x: array<f32>;
@group(0) @binding(2) var<storage, read_write> y: array<f32>;
@group(0) @binding(3) var<uniform> K: u32;

var<workgroup> part: array<f32, 64>;

fn w_at(i: u32) -> f32 {
    return unpack2x16float(w[i / 2u] >> (16u * (i % 2u))).x;
}

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let row = group.x * K;
    var sum = 0.0;
    for (var k = lane; k < K; k += 64u) {
        sum += w_at(row + k) * x[k];
    }
    part[lane] = sum;
    workgroupBarrier();
    for (var half = 32u; half > 0u;) {
        if lane < half {
            part[lane] += part[lane + half];
        }
        workgroupBarrier();
    }
    if lane == 0u {
        y[group.x] = part[0];
    }
}
