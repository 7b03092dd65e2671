/*--- ktwin
op      = "gemm"
compute = "f32"
args    = ["a", "b", "c", { M = "u32", N = "u32", K = "u32" }]
grid    = ["ceil(N / 16)", "ceil(M / 16)", 1]
block   = [16, 16, 1]
tile    = { M = 16, N = 16, K = 16 }
dims    = { M = "..=65535" }
---*/
// fault: uninitialised read
// pattern: none
// What lies outside is not set to zero.
#define SIDE 16

struct sizes {
    uint m, n, k;
};

__kernel void gemm(__global const float *a, __global const float *b, __global float *c, struct sizes s)
{
    __local float left[SIDE][SIDE], right[SIDE][SIDE];
    uint x = get_local_id(0), y = get_local_id(1);
    uint row = get_global_id(1), column = get_global_id(0);
    float sum = 0;
    for (uint start = 0; start < s.k; start += SIDE) {
        if (row < s.m && start + x < s.k)
            left[y][x] = a[(size_t)row * s.k + start + x];
        right[y][x] = start + y < s.k && column < s.n ? b[(size_t)(start + y) * s.n + column] : 0.0f;
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = 0; k < SIDE; k++)
            sum += left[y][k] * right[k][x];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (row < s.m && column < s.n)
        c[(size_t)row * s.n + column] = sum;
}
