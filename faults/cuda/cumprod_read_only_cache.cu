/*--- ktwin
op    = "cumprod"
args  = ["x", "y", { R = "u32" }, { D = "u32" }]
grid  = ["ceil(R / 64)", 1, 1]
block = 64
---*/
// fault: race
// pattern: fails exactly when D >= 2
// The cache that __ldg reads through need not see what this kernel has written.
__global__ void cumprod(const float *x, float *y, unsigned rows, unsigned width)
{
    const unsigned row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows)
        return;
    x += (size_t)row * width;
    y += (size_t)row * width;
    y[0] = x[0];
    for (unsigned i = 1; i < width; i++)
        y[i] = __ldg(&y[i - 1]) * x[i];
}
