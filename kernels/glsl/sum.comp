/*--- ktwin
op      = "sum"
compute = "f32"
args    = ["x", "y"]
push    = { N = "u32" }
grid    = [1, 1, 1]
tile    = { N = 256 }
dims    = { N = "1..=65536" }
---*/
// One workgroup: every lane a part, then clusters of four lanes, then a tree over the clusters.
#version 450
#extension GL_KHR_shader_subgroup_clustered : require
layout(local_size_x = 256) in;
layout(binding = 0) readonly buffer X { float x[]; };
layout(binding = 1) writeonly buffer Y { float y; };
layout(push_constant) uniform Sizes { uint N; };

shared float part[64];

void main() {
    const uint lane = gl_LocalInvocationIndex;
    float sum = 0.0;
    for (uint n = lane; n < N; n += 256) {
        sum += x[n];
    }
    sum = subgroupClusteredAdd(sum, 4);
    if (lane % 4 == 0) {
        part[lane / 4] = sum;
    }
    barrier();
    for (uint s = 32; s > 0; s >>= 1) {
        if (lane < s) {
            part[lane] += part[lane + s];
        }
        barrier();
    }
    if (lane == 0) {
        y = part[0];
    }
}
