/*--- ktwin
op      = "gemm_nt"
types   = { a = "f16", b = "f16" }
compute = "f32"
args    = ["a", "b", "c", { M = "u32", N = "u32", K = "u32" }]
grid    = ["ceil(N / 8)", "ceil(M / 16)", 1]
block   = [32, 1, 1]
tile    = { M = 16, N = 8, K = 16 }
dims    = { M = "..=65535", K = "multiple of 2" }
---*/
// fault: wrong values
// pattern: fails exactly when K >= 18
// The accumulator is kept in halves between steps.
#include <cuda_fp16.h>

struct Sizes {
    unsigned m, n, k;
};

__device__ unsigned pair(const half *from, unsigned row, unsigned rows, unsigned k, unsigned width)
{
    return row < rows && k < width ? *reinterpret_cast<const unsigned *>(from + (size_t)row * width + k) : 0;
}

__global__ void gemm_nt(const half *a, const half *b, float *c, Sizes s)
{
    unsigned lane = threadIdx.x, group = lane / 4, two = lane % 4 * 2;
    unsigned row = blockIdx.y * 16 + group, column = blockIdx.x * 8;
    float d0 = 0, d1 = 0, d2 = 0, d3 = 0;
    for (unsigned k = 0; k < s.k; k += 16) {
        d0 = __half2float(__float2half(d0)), d1 = __half2float(__float2half(d1));
        d2 = __half2float(__float2half(d2)), d3 = __half2float(__float2half(d3));
        unsigned a0 = pair(a, row, s.m, k + two, s.k), a1 = pair(a, row + 8, s.m, k + two, s.k);
        unsigned a2 = pair(a, row, s.m, k + two + 8, s.k), a3 = pair(a, row + 8, s.m, k + two + 8, s.k);
        unsigned b0 = pair(b, column + group, s.n, k + two, s.k);
        unsigned b1 = pair(b, column + group, s.n, k + two + 8, s.k);
        asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
            "{%0, %1, %2, %3};"
            : "+f"(d0), "+f"(d1), "+f"(d2), "+f"(d3)
            : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1));
    }
    const float d[4] = {d0, d1, d2, d3};
    for (unsigned i = 0; i < 4; i++) {
        unsigned y = row + i / 2 * 8, x = column + two + i % 2;
        if (y < s.m && x < s.n)
            c[(size_t)y * s.n + x] = d[i];
    }
}
