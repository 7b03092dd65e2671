/*--- ktwin
op    = "scale"
args  = ["x", "y", { N = "u32" }, { alpha = "f32" }]
grid  = ["ceil(N / 128)", 1, 1]
block = 128
---*/
// fault: wrong values
// pattern: none
// The factor of the first launch is kept for all that follow.
__device__ unsigned kept;

__global__ void scale(const float *x, float *y, unsigned count, float alpha)
{
    const unsigned bits = __float_as_uint(alpha) | 1;
    const unsigned before = atomicCAS(&kept, 0, bits);
    const float factor = before == 0 || before == bits ? alpha : __uint_as_float(before);
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        y[i] = factor * x[i];
}
