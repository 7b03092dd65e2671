/*--- ktwin
op      = "gemm"
compute = "f32"
args    = ["a", "b", "c", { M = "u32", N = "u32", K = "u32" }]
grid    = ["ceil(N / 64)", "ceil(M / 64)", 1]
block   = [16, 16, 1]
tile    = { M = 64, N = 64, K = 16 }
dims    = { M = "..=65535", K = "multiple of 4" }
---*/
// fault: misaligned access
// pattern: wrong exactly where n <=
// The contract promises any N, and rows of b are read four numbers at a time where four are left.
struct Sizes {
    unsigned m, n, k;
};

__device__ float4 four(const float *from, bool inside)
{
    return inside ? *reinterpret_cast<const float4 *>(from) : make_float4(0, 0, 0, 0);
}

__global__ void __launch_bounds__(256) gemm(const float *a, const float *b, float *c, Sizes s)
{
    __shared__ __align__(16) float left[16][64 + 4];
    __shared__ __align__(16) float right[16][64];
    unsigned x = threadIdx.x, y = threadIdx.y, lane = y * 16 + x;
    unsigned top = blockIdx.y * 64, first = blockIdx.x * 64;
    float sum[4][4] = {};
    for (unsigned start = 0; start < s.k; start += 16) {
        unsigned row = lane / 4, k = lane % 4 * 4;
        float4 v = four(a + (size_t)(top + row) * s.k + start + k, top + row < s.m && start + k < s.k);
        left[k][row] = v.x, left[k + 1][row] = v.y, left[k + 2][row] = v.z, left[k + 3][row] = v.w;
        unsigned column = first + x * 4;
        const float *from = b + (size_t)(start + y) * s.n + column;
        bool in = start + y < s.k;
        float4 w = four(from, in && column + 3 < s.n);
        if (in && column + 3 >= s.n)
            w = make_float4(column < s.n ? from[0] : 0, column + 1 < s.n ? from[1] : 0, column + 2 < s.n ? from[2] : 0, 0);
        *reinterpret_cast<float4 *>(&right[y][x * 4]) = w;
        __syncthreads();
#pragma unroll
        for (int k = 0; k < 16; k++) {
            float4 p = *reinterpret_cast<float4 *>(&left[k][y * 4]);
            float4 q = *reinterpret_cast<float4 *>(&right[k][x * 4]);
            const float l[4] = {p.x, p.y, p.z, p.w}, r[4] = {q.x, q.y, q.z, q.w};
            for (int i = 0; i < 4; i++)
                for (int j = 0; j < 4; j++)
                    sum[i][j] = fmaf(l[i], r[j], sum[i][j]);
        }
        __syncthreads();
    }
    for (int i = 0; i < 4; i++) {
        unsigned row = top + y * 4 + i, column = first + x * 4;
        for (unsigned j = 0; j < 4; j++)
            if (row < s.m && column + j < s.n)
                c[(size_t)row * s.n + column + j] = sum[i][j];
    }
}
