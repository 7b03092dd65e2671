/*--- ktwin
op      = "softmax"
compute = "f32"
args    = ["x", "y"]
push    = { D = "u32" }
grid    = ["R", 1, 1]
tile    = { D = 64 }
dims    = { R = "1..=65535", D = "1..=8192" }
---*/
// fault: race
// pattern: none
// The sums go into the memory of the largest elements while slower lanes still read it.
#version 450
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer X { float x[]; };
layout(binding = 1) writeonly buffer Y { float y[]; };
layout(push_constant) uniform Sizes { uint D; };

shared float part[64];

void main() {
    const uint lane = gl_LocalInvocationID.x;
    const uint row = gl_WorkGroupID.x * D;
    float top = -1.0 / 0.0;
    for (uint d = lane; d < D; d += 64) {
        top = max(top, x[row + d]);
    }
    part[lane] = top;
    barrier();
    for (uint s = 32; s > 0; s >>= 1) {
        if (lane < s) {
            part[lane] = max(part[lane], part[lane + s]);
        }
        barrier();
    }
    top = part[0];
    float sum = 0.0;
    for (uint d = lane; d < D; d += 64) {
        sum += exp(x[row + d] - top);
    }
    part[lane] = sum;
    barrier();
    for (uint s = 32; s > 0; s >>= 1) {
        if (lane < s) {
            part[lane] += part[lane + s];
        }
        barrier();
    }
    for (uint d = lane; d < D; d += 64) {
        y[row + d] = exp(x[row + d] - top) / part[0];
    }
}
