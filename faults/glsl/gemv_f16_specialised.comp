/*--- ktwin
op      = "gemv"
types   = { w = "f16", x = "f32", y = "f32" }
compute = "f32"
args    = ["w", "x", "y"]
push    = { K = "u32" }
grid    = ["N", 1, 1]
define  = { BLOCK = 64 }
block   = [64, 1, 1]
tile    = { K = 64 }
dims    = { N = "1..=65535", K = "1..=16384" }
---*/
// fault: out of bounds
// pattern: none
// The shared memory is sized for the default of the constant, the lanes for what the launch sets.
#version 450
#extension GL_EXT_shader_16bit_storage : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_arithmetic : require
layout(local_size_x_id = 0) in;
layout(constant_id = 0) const uint BLOCK = 32;
layout(binding = 0) readonly buffer W { float16_t w[]; };
layout(binding = 1) readonly buffer X { float x[]; };
layout(binding = 2) writeonly buffer Y { float y[]; };
layout(push_constant) uniform Sizes { uint K; } p;

shared float part[2];

void main() {
    const uint lane = gl_LocalInvocationID.x;
    float sum = 0.0;
    for (uint k = lane; k < p.K; k += BLOCK) {
        sum += float(w[gl_WorkGroupID.x * p.K + k]) * x[k];
    }
    sum = subgroupAdd(sum);
    part[lane] = sum;
    barrier();
    if (lane == 0) {
        for (uint s = 1; s < gl_NumSubgroups; s++) {
            sum += part[s];
        }
        y[gl_WorkGroupID.x] = sum;
    }
}
