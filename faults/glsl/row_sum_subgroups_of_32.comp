/*--- ktwin
op      = "row_sum"
compute = "f32"
args    = ["x", "y"]
push    = { D = "u32" }
grid    = ["R", 1, 1]
tile    = { D = 128 }
dims    = { R = "..=65535" }
---*/
// fault: wrong values
// pattern: fails only where a subgroup does not have 32 lanes
// Sums of subgroups go to shared memory as if each had 32 lanes.
#version 450
#extension GL_KHR_shader_subgroup_arithmetic : require
layout(local_size_x = 128) in;
layout(binding = 0) readonly buffer X { float x[]; };
layout(binding = 1) writeonly buffer Y { float y[]; };
layout(push_constant) uniform Sizes { uint D; };

shared float part[4];

void main() {
    const uint lane = gl_LocalInvocationID.x;
    const uint row = gl_WorkGroupID.x;
    float sum = 0.0;
    for (uint d = lane; d < D; d += 128) {
        sum += x[row * D + d];
    }
    sum = subgroupAdd(sum);
    if ((lane & 31) == 0) {
        part[lane >> 5] = sum;
    }
    barrier();
    if (lane == 0) {
        y[row] = part[0] + part[1] + part[2] + part[3];
    }
}
