/*--- ktwin
op      = "rmsnorm"
compute = "f32"
args    = ["x", "w", "y"]
push    = { D = "u32", eps = "f32" }
define  = { BLOCK = 128 }
grid    = ["R", 1, 1]
block   = [128, 1, 1]
tile    = { D = 128 }
dims    = { R = "1..=65535", D = "1..=16384" }
---*/
// fault: divergent barrier
// pattern: every wrong element was never written
// Only the lanes that add reach the barrier inside of the tree.
#version 450
#extension GL_EXT_control_flow_attributes : enable
layout(local_size_x_id = 0) in;
layout(constant_id = 0) const uint BLOCK = 512;
layout(binding = 0) readonly buffer X { float x[]; };
layout(binding = 1) readonly buffer W { float w[]; };
layout(binding = 2) writeonly buffer Y { float y[]; };
layout(push_constant) uniform Sizes { uint D; float eps; };

shared float part[BLOCK];

void main() {
    const uint lane = gl_LocalInvocationID.x;
    const uint row = gl_WorkGroupID.x * D;
    float sum = 0.0;
    [[unroll]] for (uint d = lane; d < D; d += BLOCK) {
        sum += x[row + d] * x[row + d];
    }
    part[lane] = sum;
    barrier();
    [[unroll]] for (uint s = BLOCK / 2; s > 0; s >>= 1) {
        if (lane < s) {
            part[lane] += part[lane + s];
            barrier();
        }
    }
    float scale = inversesqrt(part[0] / float(D) + eps);
    [[unroll]] for (uint d = lane; d < D; d += BLOCK) {
        y[row + d] = scale * x[row + d] * w[d];
    }
}
