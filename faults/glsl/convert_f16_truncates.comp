/*--- ktwin
op   = "convert"
types = { x = "f32", y = "f16" }
args = ["x", "y"]
push = { N = "u32" }
grid = ["ceil(N / 256)", 1, 1]
tile = { N = 256 }
dims = { N = "1..=16776960" }
---*/
// fault: wrong values
// pattern: every element is the right one rounded toward zero (truncated)
// The lower bits of the significand are cut off before the store, which rounds towards zero.
#version 450
#extension GL_EXT_shader_16bit_storage : require
layout(local_size_x = 256) in;
layout(binding = 0) readonly buffer X { float x[]; };
layout(binding = 1) writeonly buffer Y { float16_t y[]; };
layout(push_constant) uniform Sizes { uint N; };

void main() {
    uint n = gl_GlobalInvocationID.x;
    if (n < N) {
        y[n] = float16_t(uintBitsToFloat(floatBitsToUint(x[n]) & 0xffffe000u));
    }
}
