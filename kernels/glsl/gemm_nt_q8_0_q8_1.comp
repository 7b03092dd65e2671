/*--- ktwin
op      = "gemm_nt"
types   = { a = "q8_1", b = "q8_0" }
compute = "f32"
args    = ["a", "b", "c"]
push    = { M = "u32", N = "u32", "K // 32" = "u32" }
grid    = ["ceil(N / 8)", "ceil(M / 8)", 1]
tile    = { M = 8, N = 8, K = 32 }
dims    = { M = "1..=16384", N = "1..=16384", K = ["32..=16384", "multiple of 32"] }
---*/
// One lane an element of the result. Within a block all is whole numbers; blocks of b are read as 16-bit parts, since
// they begin at even bytes, and as bytes of a second view of the same buffer.
#version 450
#extension GL_EXT_shader_explicit_arithmetic_types : require
layout(local_size_x = 8, local_size_y = 8) in;
struct BlockA {
    f16vec2 ds;
    int qs[8];
};
struct BlockB {
    float16_t d;
    int16_t qs[16];
};
struct BytesB {
    float16_t d;
    int8_t qs[32];
};
layout(binding = 0) readonly buffer A { BlockA a[]; };
layout(binding = 1) readonly buffer B { BlockB b[]; };
layout(binding = 1) readonly buffer B8 { BytesB b8[]; };
layout(binding = 2) writeonly buffer C { float c[]; };
layout(push_constant) uniform Sizes { uint M; uint N; uint blocks; } p;

void main() {
    const uint m = gl_GlobalInvocationID.y, n = gl_GlobalInvocationID.x;
    if (m >= p.M || n >= p.N) {
        return;
    }
    float sum = 0.0;
    for (uint k = 0; k < p.blocks; k++) {
        const uint at = m * p.blocks + k, bt = n * p.blocks + k;
        int whole = 0;
        for (uint i = 0; i < 8; i++) {
            i8vec4 q = unpack8(a[at].qs[i]);
            ivec4 r = ivec4(unpack8(b[bt].qs[2 * i]), b8[bt].qs[4 * i + 2], b8[bt].qs[4 * i + 3]);
            ivec4 s = ivec4(q) * r;
            whole += s.x + s.y + s.z + s.w;
        }
        sum += float(whole) * (float(a[at].ds.x) * float(b[bt].d));
    }
    c[m * p.N + n] = sum;
}
