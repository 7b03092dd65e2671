#version 430
/*--- ktwin
op   = "rmsnorm"
args = ["x", "w", "y", { R = "u32", D = "u32", eps = "f32" }]
grid = ["R"]
---*/
// As OpenGL has it: sizes and scalars are uniforms of their own, which glslang makes one block of.
layout(local_size_x = 128) in;

layout(std430, binding = 0) readonly buffer X { float x[]; };
layout(std430, binding = 1) readonly buffer W { float w[]; };
layout(std430, binding = 2) writeonly buffer Y { float y[]; };

uniform uint rows;
uniform uint columns;
uniform float epsilon;

shared float parts[128];

void main()
{
    const uint row = gl_WorkGroupID.x, lane = gl_LocalInvocationID.x;
    if (row >= rows)
        return;
    float own = 0.0;
    for (uint d = lane; d < columns; d += 128u)
        own += x[row * columns + d] * x[row * columns + d];
    parts[lane] = own;
    for (uint half_ = 64u; half_ > 0u; half_ >>= 1) {
        barrier();
        if (lane < half_)
            parts[lane] += parts[lane + half_];
    }
    barrier();
    const float scale = inversesqrt(parts[0] / float(columns) + epsilon);
    for (uint d = lane; d < columns; d += 128u)
        y[row * columns + d] = x[row * columns + d] * scale * w[d];
}
