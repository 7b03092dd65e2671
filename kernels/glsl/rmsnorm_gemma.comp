/*--- ktwin
op      = "rmsnorm_gemma"
compute = "f32"
args    = ["x", "w", "y", { D = "u32", eps = "f32" }]
grid    = ["R", 1, 1]
tile    = { D = 32 }
dims    = { R = "1..=65535", D = "1..=8192" }
---*/
// One subgroup a row where subgroups have 32 lanes, and so many of them where they are narrower: what each sums up
// goes through shared memory.
#version 450
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_arithmetic : require
layout(local_size_x = 32) in;
layout(binding = 0) readonly buffer X { float x[]; };
layout(binding = 1) readonly buffer W { float w[]; };
layout(binding = 2) writeonly buffer Y { float y[]; };
layout(binding = 3) uniform Sizes { uint D; float eps; };

shared float part[32];

void main() {
    const uint lane = gl_LocalInvocationID.x;
    const uint row = gl_WorkGroupID.x * D;
    float sum = 0.0;
    for (uint d = lane; d < D; d += 32) {
        sum += x[row + d] * x[row + d];
    }
    sum = subgroupAdd(sum);
    if (subgroupElect()) {
        part[gl_SubgroupID] = sum;
    }
    barrier();
    float total = 0.0;
    for (uint s = 0; s < gl_NumSubgroups; s++) {
        total += part[s];
    }
    float root = sqrt(total / float(D) + eps);
    for (uint d = lane; d < D; d += 32) {
        y[row + d] = x[row + d] / root * (1.0 + w[d]);
    }
}
