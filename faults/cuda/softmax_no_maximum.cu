/*--- ktwin
op      = "softmax"
compute = "f32"
args    = ["x", "y", { D = "u32" }]
grid    = ["R", 1, 1]
block   = [128, 1, 1]
tile    = { D = 128 }
---*/
// fault: wrong class
// pattern: matches the op with `x[r, d] - top[r]` read as `x[r, d]`
// pattern: every wrong element is NaN
// The maximum is not taken away before exp.
#define LANES 128

template <class Join> __device__ float tree(float v, Join join)
{
    __shared__ float all[LANES];
    __syncthreads();
    all[threadIdx.x] = v;
    __syncthreads();
    for (unsigned half = LANES / 2; half > 0; half /= 2) {
        if (threadIdx.x < half)
            all[threadIdx.x] = join(all[threadIdx.x], all[threadIdx.x + half]);
        __syncthreads();
    }
    return all[0];
}

extern "C" __global__ void softmax(const float *x, float *y, unsigned width)
{
    x += (size_t)blockIdx.x * width;
    y += (size_t)blockIdx.x * width;
    float top = -INFINITY;
    for (unsigned d = threadIdx.x; d < width; d += LANES)
        top = fmaxf(top, x[d]);
    top = 0.0f;
    float sum = 0;
    for (unsigned d = threadIdx.x; d < width; d += LANES)
        sum += expf(x[d] - top);
    sum = tree(sum, [](float a, float b) { return a + b; });
    for (unsigned d = threadIdx.x; d < width; d += LANES)
        y[d] = expf(x[d] - top) / sum;
}
