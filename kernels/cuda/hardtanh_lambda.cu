/*--- ktwin
op    = "clamp"
args  = ["x", "y", { N = "u32", lo = "f32", hi = "f32" }]
block = 128
grid  = ["min(ceil(N / 128), 40)"]
---*/
// One loop for all elementwise kernels, which are lambdas marked __device__: nvcc takes these with --extended-lambda.
struct bounds { unsigned count; float low, high; };

template <class Body>
__device__ void each(unsigned count, Body body)
{
    const unsigned step = gridDim.x * blockDim.x;
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += step)
        body(i);
}

__global__ void hardtanh(const float *__restrict__ x, float *__restrict__ y, bounds s)
{
    auto held = [s] __host__ __device__ (float v) { return fminf(fmaxf(v, s.low), s.high); };
    each(s.count, [=] __device__ (unsigned i) { y[i] = held(x[i]); });
}
