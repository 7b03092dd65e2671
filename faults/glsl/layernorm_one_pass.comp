/*--- ktwin
op      = "layernorm"
compute = "f32"
args    = ["x", "w", "b", "y"]
push    = { D = "u32", eps = "f32" }
grid    = ["R", 1, 1]
tile    = { D = 128 }
dims    = { R = "1..=65535", D = "1..=8192" }
---*/
// fault: wrong values
// pattern: matches the op with `sum[d]((x[r, d] - mu[r])^2)` read as `sum[d]((x[r, d])^2) - D * (mu[r])^2`
// The variance is the mean of the squares less the square of the mean, which cancels.
#version 450
layout(local_size_x = 128) in;
layout(binding = 0) readonly buffer X { float x[]; };
layout(binding = 1) readonly buffer W { float w[]; };
layout(binding = 2) readonly buffer B { float b[]; };
layout(binding = 3) writeonly buffer Y { float y[]; };
layout(push_constant) uniform Sizes { uint D; float eps; };

shared float part[128];

float total(float own) {
    const uint lane = gl_LocalInvocationID.x;
    barrier();
    part[lane] = own;
    barrier();
    for (uint s = 64; s > 0; s /= 2) {
        if (lane < s) {
            part[lane] += part[lane + s];
        }
        barrier();
    }
    return part[0];
}

void main() {
    const uint lane = gl_LocalInvocationID.x;
    const uint row = gl_WorkGroupID.x * D;
    float sum = 0.0;
    for (uint d = lane; d < D; d += 128) {
        sum += x[row + d];
    }
    const float mean = total(sum) / float(D);
    float squares = 0.0;
    for (uint d = lane; d < D; d += 128) {
        squares += x[row + d] * x[row + d];
    }
    const float root = sqrt(total(squares) / float(D) - mean * mean + eps);
    for (uint d = lane; d < D; d += 128) {
        y[row + d] = (x[row + d] - mean) / root * w[d] + b[d];
    }
}
