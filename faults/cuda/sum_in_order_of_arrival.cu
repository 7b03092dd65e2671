/*--- ktwin
op    = "sum"
tile  = { N = 256 }
chain = [
    { entry = "clear", args = ["y"], grid = 1, block = 1 },
    { entry = "sum", args = ["x", "y", { N = "u32" }], grid = ["ceil(N / 256)", 1, 1], block = 256 },
]
---*/
// fault: not repeatable
// pattern: fails only where N >= 33, in 21 of 34 such cases
// Every lane adds to the sum as it comes: another order, other bits.
__global__ void clear(float *y) { *y = 0; }

__global__ void sum(const float *x, float *y, unsigned n)
{
    unsigned i = blockIdx.x * 256 + threadIdx.x;
    if (i < n)
        atomicAdd(y, x[i]);
}
