/*--- ktwin
op    = "max"
args  = ["x", "y", { N = "u32" }]
fill  = { y = "-inf" }
grid  = ["min(ceil(N / 256), 64)", 1, 1]
block = 256
---*/
// CUDA has no atomic maximum of floats: this one swaps until nobody was faster. The first look at `*to` need not be
// atomic, since a stale value only costs another round.
__device__ void atomic_max(float *to, float value)
{
    int *bits = (int *)to;
    int seen = *bits, expected;
    do {
        expected = seen;
        seen = atomicCAS(bits, expected, __float_as_int(fmaxf(value, __int_as_float(expected))));
    } while (seen != expected);
}

__global__ void max_all(const float *x, float *y, unsigned count)
{
    float most = __int_as_float(0xff800000);
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x)
        most = fmaxf(most, x[i]);
    for (int step = 16; step > 0; step /= 2)
        most = fmaxf(most, __shfl_xor_sync(0xffffffff, most, step));
    if (threadIdx.x % 32 == 0)
        atomic_max(y, most);
}
