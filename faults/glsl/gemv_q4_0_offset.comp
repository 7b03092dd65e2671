/*--- ktwin
op      = "gemv"
types   = { w = "q4_0" }
compute = "f32"
args    = ["w", "x", "y"]
push    = [{ N = "u32" }, { "K // 32" = "u32" }]
define  = { BLOCK = 64, ROWS = 2 }
block   = [64, 1, 1]
grid    = ["ceil(N / 2)", 1, 1]
tile    = { N = 2, K = 2048 }
dims    = { N = "1..=65535", K = ["32..=65536", "multiple of 32"] }
---*/
// fault: wrong values
// pattern: none
// Four-bit weights are 8 too large, and 7 is taken off.
#version 450
#extension GL_EXT_control_flow_attributes : enable
#extension GL_EXT_shader_explicit_arithmetic_types : require
layout(local_size_x_id = 0) in;
layout(constant_id = 0) const uint BLOCK = 32;
layout(constant_id = 1) const uint ROWS = 1;
struct Block {
    float16_t d;
    uint8_t qs[16];
};
layout(binding = 0) readonly buffer W { Block w[]; };
layout(binding = 1) readonly buffer X { float x[]; };
layout(binding = 2) writeonly buffer Y { float y[]; };
layout(push_constant) uniform Sizes { uint N; uint blocks; } p;

shared float part[ROWS][BLOCK];

float times(uint b, uint k) {
    float sum = 0.0;
    for (uint i = 0; i < 16; i++) {
        uint q = uint(w[b].qs[i]);
        sum += (float(q & 15) - 7.0) * x[k + i] + (float(q >> 4) - 8.0) * x[k + 16 + i];
    }
    return sum * float(w[b].d);
}

void main() {
    const uint lane = gl_LocalInvocationID.x;
    const uint first = gl_WorkGroupID.x * ROWS;
    float sums[ROWS];
    [[unroll]] for (uint r = 0; r < ROWS; r++) {
        sums[r] = 0.0;
        if (first + r < p.N) {
            for (uint b = lane; b < p.blocks; b += BLOCK) {
                sums[r] += times((first + r) * p.blocks + b, 32 * b);
            }
        }
        part[r][lane] = sums[r];
    }
    barrier();
    for (uint s = BLOCK / 2; s > 0; s >>= 1) {
        if (lane < s) {
            [[unroll]] for (uint r = 0; r < ROWS; r++) {
                part[r][lane] += part[r][lane + s];
            }
        }
        barrier();
    }
    if (lane < ROWS && first + lane < p.N) {
        y[first + lane] = part[lane][0];
    }
}
