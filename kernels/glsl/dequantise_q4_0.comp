/*--- ktwin
op   = "dequantise"
types = { x = "q4_0", y = "f32" }
args = ["x", "y"]
push = { R = "u32", "K // 32" = "u32" }
grid = ["ceil(R * K / 32 / 64)", 1, 1]
tile = { K = 32 }
dims = { R = "1..=4096", K = ["32..=4096", "multiple of 32"] }
---*/
// One block a lane: a scale of 16 bits, and 16 bytes with weights i and i + 16 in the halves of byte i.
#version 450
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_shader_8bit_storage : require
layout(local_size_x = 64) in;
struct Block {
    float16_t d;
    uint8_t qs[16];
};
layout(binding = 0) readonly buffer X { Block x[]; };
layout(binding = 1) writeonly buffer Y { float y[]; };
layout(push_constant) uniform Sizes { uint R; uint blocks; };

void main() {
    uint b = gl_GlobalInvocationID.x;
    if (b >= R * blocks) {
        return;
    }
    float d = float(x[b].d);
    for (uint i = 0; i < 16; i++) {
        uint q = uint(x[b].qs[i]);
        y[32 * b + i] = (float(q & 15) - 8.0) * d;
        y[32 * b + 16 + i] = (float(q >> 4) - 8.0) * d;
    }
}
