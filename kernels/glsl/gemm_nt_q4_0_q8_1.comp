/*--- ktwin
op      = "gemm_nt"
types   = { a = "q8_1", b = "q4_0" }
compute = "f32"
args    = ["a", "b", "c"]
push    = { M = "u32", N = "u32", "K // 32" = "u32" }
grid    = ["ceil(N / 8)", "ceil(M / 8)", 1]
tile    = { M = 8, N = 8, K = 32 }
dims    = { M = "1..=16384", N = "1..=16384", K = ["32..=16384", "multiple of 32"] }
---*/
// One lane an element of the result. Four bits are spread over four bytes at once; the 8 that every weight is too large
// by is taken off as eight times the sum of the activations, which is a whole number too.
#version 450
#extension GL_EXT_shader_explicit_arithmetic_types : require
layout(local_size_x = 8, local_size_y = 8) in;
struct BlockA {
    float16_t d;
    float16_t s;
    int qs[8];
};
struct BlockB {
    float16_t d;
    uint16_t qs[8];
};
layout(binding = 0) readonly buffer A { BlockA a[]; };
layout(binding = 1) readonly buffer B { BlockB b[]; };
layout(binding = 2) writeonly buffer C { float c[]; };
layout(push_constant) uniform Sizes { uint M; uint N; uint blocks; } p;

int dot4(int x, int y) {
    i16vec4 products = i16vec4(unpack8(x)) * i16vec4(unpack8(y));
    return int(products.x) + int(products.y) + int(products.z) + int(products.w);
}

void main() {
    const uint m = gl_GlobalInvocationID.y, n = gl_GlobalInvocationID.x;
    if (m >= p.M || n >= p.N) {
        return;
    }
    float sum = 0.0;
    for (uint k = 0; k < p.blocks; k++) {
        const uint at = m * p.blocks + k, bt = n * p.blocks + k;
        int whole = 0;
        for (uint i = 0; i < 4; i++) {
            uint q = uint(b[bt].qs[2 * i]) | uint(b[bt].qs[2 * i + 1]) << 16;
            int low = a[at].qs[i], high = a[at].qs[i + 4];
            whole += dot4(int(q & 0x0f0f0f0fu), low) + dot4(int(q >> 4 & 0x0f0f0f0fu), high);
            whole -= dot4(0x08080808, low) + dot4(0x08080808, high);
        }
        sum += float(whole) * (float(a[at].d) * float(b[bt].d));
    }
    c[m * p.N + n] = sum;
}
