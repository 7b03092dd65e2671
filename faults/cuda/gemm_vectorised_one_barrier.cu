/*--- ktwin
op      = "gemm"
compute = "f32"
args    = ["a", "b", "c", { M = "u32", N = "u32", K = "u32" }]
grid    = ["ceil(N / 64)", "ceil(M / 64)", 1]
block   = [16, 16, 1]
tile    = { M = 64, N = 64, K = 16 }
dims    = { M = "..=65535", N = "multiple of 4", K = "multiple of 4" }
---*/
// fault: race
// pattern: none
// No barrier between writing the tiles and reading them.
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
        float4 w = four(b + (size_t)(start + y) * s.n + column, start + y < s.k && column < s.n);
        *reinterpret_cast<float4 *>(&right[y][x * 4]) = w;
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
        if (row < s.m && column < s.n)
            *reinterpret_cast<float4 *>(c + (size_t)row * s.n + column) =
                make_float4(sum[i][0], sum[i][1], sum[i][2], sum[i][3]);
    }
}
