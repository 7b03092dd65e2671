/*--- ktwin
op      = "gemm"
args    = [{ M = "i32", N = "i32", K = "i32" }, "a", "b", "c"]
grid    = ["ceil(N / 16)", "ceil(M / 16)", 1]
block   = [16, 16, 1]
tile    = { M = 16, N = 16, K = 16 }
---*/
// Tiles of both matrices in local memory, a column wider than they are; an inline function fills their edges.
#define SIDE 16
typedef struct { int m, n, k; } sizes;
__constant float none = 0.0f;

inline float at_or_none(__global const float *p, int row, int column, int rows, int columns)
{
    return (row < rows && column < columns) ? p[mad24(row, columns, column)] : none;
}

__kernel void gemm(const sizes s, const __global float *a, const __global float *b, __global float *c)
{
    __local float tile_a[SIDE][SIDE + 1], tile_b[SIDE][SIDE + 1];
    const int2 l = (int2)(get_local_id(0), get_local_id(1));
    const int2 g = (int2)(get_global_id(0), get_global_id(1));
    float sum = 0.0f;
    for (int t = 0; t < (s.k + SIDE - 1) / SIDE; ++t) {
        tile_a[l.y][l.x] = at_or_none(a, g.y, t * SIDE + l.x, s.m, s.k);
        tile_b[l.y][l.x] = at_or_none(b, t * SIDE + l.y, g.x, s.k, s.n);
        barrier(CLK_LOCAL_MEM_FENCE);
        #pragma unroll
        for (int k = 0; k < SIDE; ++k)
            sum = fma(tile_a[l.y][k], tile_b[k][l.x], sum);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (g.y < s.m && g.x < s.n)
        c[g.y * s.n + g.x] = sum;
}
