/*--- ktwin
op      = "silu"
compute = "f32"
args    = ["x", "y"]
push    = { N = "u32" }
grid    = ["ceil(N / 256)", 1, 1]
tile    = { N = 256 }
dims    = { N = "1..=16776960" }
---*/
// fault: out of bounds
// pattern: none
// The lanes of the last workgroup go past the end.
#version 450
layout(local_size_x = 256) in;
layout(binding = 0) readonly buffer X { float x[]; };
layout(binding = 1) writeonly buffer Y { float y[]; };
layout(push_constant) uniform Sizes { uint N; };

void main() {
    uint n = gl_GlobalInvocationID.x;
    y[n] = x[n] / (1.0 + exp(-x[n]));
}
