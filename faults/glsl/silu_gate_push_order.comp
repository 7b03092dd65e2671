/*--- ktwin
op      = "silu_gate"
types   = { g = "f16", u = "f16", y = "f16" }
compute = "f32"
args    = ["g", "u", "y"]
push    = [{ N = "u32" }, { N = "u32" }, { "1" = "u32" }]
define  = { LANES = 128 }
block   = [128, 1, 1]
grid    = ["ceil(N / 128)", 1, 1]
tile    = { N = 128 }
dims    = { N = "1..=8388480" }
---*/
// fault: unwritten elements
// pattern: every wrong element was never written
// The push constants are read in another order than they are given: the step is taken for the
// number of elements.
#version 450
#extension GL_EXT_shader_16bit_storage : require
layout(local_size_x_id = 0) in;
layout(constant_id = 0) const uint LANES = 32;
layout(binding = 0) readonly buffer G { float16_t g[]; };
layout(binding = 1) readonly buffer U { float16_t u[]; };
layout(binding = 2) writeonly buffer Y { float16_t y[]; };
layout(push_constant) uniform Sizes { uint stride; uint KX; uint KY; } p;

void main() {
    uint n = gl_WorkGroupID.x * LANES + gl_LocalInvocationID.x;
    if (n >= p.KX || n >= p.KY) {
        return;
    }
    float a = float(g[n * p.stride]);
    y[n] = float16_t(a / (1.0 + exp(-a)) * float(u[n]));
}
