/*--- ktwin
op      = "gemm"
compute = "f32"
args    = ["a", "b", "c"]
push    = { M = "u32", N = "u32", K = "u32" }
define  = { BM = 32, BN = 16, BK = 8 }
block   = [64, 1, 1]
grid    = ["ceil(N / 16)", "ceil(M / 32)", 1]
tile    = { M = 32, N = 16, K = 8 }
dims    = { M = "1..=4096", N = "1..=4096", K = "1..=4096" }
---*/
// fault: out of bounds
// pattern: every wrong element is zero
// The rows of the tile are padded where they are used, and not where the memory is declared.
#version 450
#extension GL_EXT_control_flow_attributes : enable
layout(local_size_x = 64) in;
layout(constant_id = 0) const uint BM = 64;
layout(constant_id = 1) const uint BN = 64;
layout(constant_id = 2) const uint BK = 16;
const uint TM = 4;
const uint TN = 2;
layout(binding = 0) readonly buffer A { float a[]; };
layout(binding = 1) readonly buffer B { float b[]; };
layout(binding = 2) writeonly buffer C { float c[]; };
layout(push_constant) uniform Sizes { uint M; uint N; uint K; } p;

shared float tile_a[BM * BK];
shared float tile_b[BK * (BN + 1)];

void main() {
    const uint lane = gl_LocalInvocationID.x;
    const uint m0 = gl_WorkGroupID.y * BM, n0 = gl_WorkGroupID.x * BN;
    const uint row = lane / (BN / TN) * TM, column = lane % (BN / TN) * TN;
    float sums[TM * TN];
    [[unroll]] for (uint i = 0; i < TM * TN; i++) {
        sums[i] = 0.0;
    }
    for (uint k0 = 0; k0 < p.K; k0 += BK) {
        for (uint i = lane; i < BM * BK; i += gl_WorkGroupSize.x) {
            const uint m = m0 + i / BK, k = k0 + i % BK;
            tile_a[i / BK * (BK + 1) + i % BK] = m < p.M && k < p.K ? a[m * p.K + k] : 0.0;
        }
        for (uint i = lane; i < BK * BN; i += gl_WorkGroupSize.x) {
            const uint k = k0 + i / BN, n = n0 + i % BN;
            tile_b[i / BN * (BN + 1) + i % BN] = k < p.K && n < p.N ? b[k * p.N + n] : 0.0;
        }
        barrier();
        [[unroll]] for (uint k = 0; k < BK; k++) {
            [[unroll]] for (uint i = 0; i < TM; i++) {
                [[unroll]] for (uint j = 0; j < TN; j++) {
                    sums[i * TN + j] += tile_a[(row + i) * (BK + 1) + k] * tile_b[k * (BN + 1) + column + j];
                }
            }
        }
        barrier();
    }
    for (uint i = 0; i < TM; i++) {
        for (uint j = 0; j < TN; j++) {
            if (m0 + row + i < p.M && n0 + column + j < p.N) {
                c[(m0 + row + i) * p.N + n0 + column + j] = sums[i * TN + j];
            }
        }
    }
}
