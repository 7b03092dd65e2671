/*--- ktwin
op      = "gelu_gate"
compute = "f32"
args    = ["g", "u", "y"]
push    = { N = "u32" }
grid    = ["ceil(N / 1024)", 1, 1]
tile    = { N = [256, 1024] }
dims    = { N = "1..=16777216" }
---*/
// Four elements a lane, 256 apart, so that neighbouring lanes read neighbouring elements.
#version 450
#extension GL_EXT_control_flow_attributes : require
layout(local_size_x = 256) in;
layout(binding = 0) readonly buffer G { float g[]; };
layout(binding = 1) readonly buffer U { float u[]; };
layout(binding = 2) writeonly buffer Y { float y[]; };
layout(push_constant) uniform Sizes { uint N; };

float gelu(float v) {
    float inner = 0.7978845608028654 * (v + 0.044715 * v * v * v);
    return 0.5 * v * (1.0 + tanh(clamp(inner, -15.0, 15.0)));
}

void main() {
    uint first = gl_WorkGroupID.x * 1024 + gl_LocalInvocationID.x;
    [[unroll]] for (uint i = 0; i < 4; i++) {
        uint n = first + 256 * i;
        if (n < N) {
            y[n] = gelu(g[n]) * u[n];
        }
    }
}
