/*--- ktwin
op      = "sum"
compute = "f32"
args    = ["x", "y"]
push    = { N = "u32" }
grid    = [1, 1, 1]
tile    = { N = 256 }
dims    = { N = "1..=65536" }
---*/
// fault: wrong class
// pattern: every wrong element is NaN
// The sum of a lane begins with whatever is in the register.
#version 450
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_arithmetic : require
layout(local_size_x = 256) in;
layout(binding = 0) readonly buffer X { float x[]; };
layout(binding = 1) writeonly buffer Y { float y; };
layout(push_constant) uniform Sizes { uint N; };

shared float part[256];

void main() {
    const uint lane = gl_LocalInvocationIndex;
    float sum;
    for (uint n = lane; n < N; n += 256) {
        sum += x[n];
    }
    sum = subgroupAdd(sum);
    if (subgroupElect()) {
        part[gl_SubgroupID] = sum;
    }
    barrier();
    if (lane == 0) {
        for (uint s = 1; s < gl_NumSubgroups; s++) {
            sum += part[s];
        }
        y = sum;
    }
}
