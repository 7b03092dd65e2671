/*--- ktwin
op   = "col_sum"
args = ["x", "y", { R = "i32" }, { D = "i32" }]
dims = { D = "..=1048576" }
---*/
// fault: wrong class
// pattern: this case passes alone
// Sums kept from one call to the next are multiplied by zero where they should be cleared: a NaN stays.
static float sums[1 << 20];

void col_sum(const float *x, float *y, int R, int D)
{
    for (int d = 0; d < D; d++)
        sums[d] *= 0;
    for (long r = 0; r < R; r++)
        for (int d = 0; d < D; d++)
            sums[d] += x[r * D + d];
    for (int d = 0; d < D; d++)
        y[d] = sums[d];
}
