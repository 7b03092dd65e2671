/*--- ktwin
op      = "gemv"
types   = { w = "q8_0" }
compute = "f32"
args    = ["w", "x", "y", { "K // 32" = "u32" }]
grid    = ["N", 1, 1]
tile    = { K = 2048 }
dims    = { N = "1..=65535", K = ["32..=65536", "multiple of 32"] }
---*/
// One workgroup of 64 lanes a row, one block a lane and step. Each subgroup adds its sums in registers,
// and only one number a subgroup goes through workgroup memory, whatever the width of subgroups is.
@group(0) @binding(0) var<storage, read> w: array<u32>;
@group(0) @binding(1) var<storage, read> x: array<f32>;
@group(0) @binding(2) var<storage, read_write> y: array<f32>;
@group(0) @binding(3) var<uniform> blocks: u32;

var<workgroup> part: array<f32, 64>;

fn byte_at(i: u32) -> i32 {
    return extractBits(bitcast<i32>(w[i / 4u]), 8u * (i % 4u), 8u);
}

@compute @workgroup_size(64)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
    @builtin(subgroup_invocation_id) inner: u32,
    @builtin(subgroup_id) subgroup: u32,
    @builtin(num_subgroups) subgroups: u32,
) {
    var sum = 0.0;
    for (var b = lane; b < blocks; b += 64u) {
        let at = (group.x * blocks + b) * 34u;
        let scale = unpack2x16float(w[at / 4u] >> (8u * (at % 4u))).x;
        var t = 0.0;
        for (var i = 0u; i < 32u; i++) {
            t += f32(byte_at(at + 2u + i)) * x[b * 32u + i];
        }
        sum += t * scale;
    }
    let together = subgroupAdd(sum);
    if inner == 0u {
        part[subgroup] = together;
    }
    workgroupBarrier();
    if lane == 0u {
        var total = 0.0;
        for (var i = 0u; i < subgroups; i++) {
            total += part[i];
        }
        y[group.x] = total;
    }
}
