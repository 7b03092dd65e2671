/*--- ktwin
op      = "gemv"
types   = { w = "q4_0" }
compute = "f32"
args    = ["w", "x", "y", { "K // 32" = "u32" }]
grid    = ["N", 1, 1]
tile    = { K = 2048 }
dims    = { N = "1..=65535", K = ["32..=65536", "multiple of 32"] }
---*/
// fault: wrong values
// pattern: matches the op with the two nibbles of each byte of `w` taken for neighbours, not half a block apart
// The halves of a byte are taken for neighbours: weights 2i and 2i + 1 instead of i and i + 16.
@group(0) @binding(0) var<storage, read> w: array<u32>;
@group(0) @binding(1) var<storage, read> x: array<f32>;
@group(0) @binding(2) var<storage, read_write> y: array<f32>;
@group(0) @binding(3) var<uniform> blocks: u32;

var<workgroup> part: array<f32, 64>;

fn pair_at(i: u32) -> u32 {
    return (w[i / 2u] >> (16u * (i % 2u))) & 0xffffu;
}

fn block_times_x(at: u32, x0: u32) -> f32 {
    let scale = unpack2x16float(pair_at(at)).x;
    var sum = 0.0;
    for (var i = 0u; i < 8u; i++) {
        let q = (vec4(pair_at(at + 1u + i)) >> vec4(0u, 4u, 8u, 12u)) & vec4(15u);
        let k0 = x0 + 4u * i;
        sum += dot(vec4<f32>(q) - 8.0, vec4(x[k0], x[k0 + 1u], x[k0 + 2u], x[k0 + 3u]));
    }
    return sum * scale;
}

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    var sum = 0.0;
    for (var b = lane; b < blocks; b += 64u) {
        sum += block_times_x((group.x * blocks + b) * 9u, b * 32u);
    }
    part[lane] = sum;
    workgroupBarrier();
    for (var half = 32u; half > 0u; half /= 2u) {
        if lane < half {
            part[lane] += part[lane + half];
        }
        workgroupBarrier();
    }
    if lane == 0u {
        y[group.x] = part[0];
    }
}
