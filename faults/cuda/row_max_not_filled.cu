/*--- ktwin
op    = "row_max"
args  = ["x", "y", { R = "u32", D = "u32" }]
grid  = ["ceil(R / 64)", 1, 1]
block = 64
---*/
// fault: uninitialised read
// pattern: every wrong element is zero
// Eight running maxima in a local array, and the last one begins with whatever is there.
struct Sizes {
    unsigned r, d;
};

__global__ void row_max(const float *x, float *y, Sizes s)
{
    unsigned row = blockIdx.x * 64 + threadIdx.x;
    if (row >= s.r)
        return;
    float best[8];
    for (int i = 0; i < 7; i++)
        best[i] = -INFINITY;
    for (unsigned d = 0; d < s.d; d++)
        best[d % 8] = fmaxf(best[d % 8], x[(size_t)row * s.d + d]);
    float all = best[0];
    for (int i = 1; i < 8; i++)
        all = fmaxf(all, best[i]);
    y[row] = all;
}
