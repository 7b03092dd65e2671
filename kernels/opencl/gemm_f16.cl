/*--- ktwin
op      = "gemm"
types   = { a = "f16", b = "f16", c = "f16" }
compute = "f32"
args    = ["a", "b", "c", { M = "u32", N = "u32", K = "u32" }]
grid    = ["ceil(N / 32)", "ceil(M / 8)", 1]
block   = [8, 8, 1]
tile    = { M = 8, N = 32, K = 1 }
dims    = { M = "..=65535" }
---*/
// Halves as a type of their own (cl_khr_fp16), four columns a work-item, sums in single precision.
#pragma OPENCL EXTENSION cl_khr_fp16 : enable

struct sizes {
    uint m, n, k;
};

__kernel void gemm(__global const half *a, __global const half *b, __global half *c, struct sizes s)
{
    uint row = get_global_id(1), column = 4 * get_global_id(0);
    if (row >= s.m || column >= s.n)
        return;
    float4 sum = 0;
    uint left = min(s.n - column, 4u);
    for (uint k = 0; k < s.k; k++) {
        __global const half *at = b + (size_t)k * s.n + column;
        half4 w = 0;
        if (left == 4)
            w = vload4(0, at);
        else {
            w.x = at[0];
            w.y = left > 1 ? at[1] : 0;
            w.z = left > 2 ? at[2] : 0;
        }
        sum = fma((float4)(float)a[(size_t)row * s.k + k], convert_float4(w), sum);
    }
    half4 rounded = convert_half4_rte(sum);
    __global half *to = c + (size_t)row * s.n + column;
    if (left == 4)
        vstore4(rounded, 0, to);
    else {
        to[0] = rounded.x;
        if (left > 1)
            to[1] = rounded.y;
        if (left > 2)
            to[2] = rounded.z;
    }
}
