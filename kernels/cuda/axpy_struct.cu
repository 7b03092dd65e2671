/*--- ktwin
op    = "axpy"
args  = [["x", "y", { alpha = "f32", N = "u32" }]]
grid  = ["ceil(N / 256)", 1, 1]
block = 256
---*/
// One struct with all that the kernel needs, pointers among it.
struct Parameters {
    const float *x;
    float *y;
    float alpha;
    unsigned count;
};

__global__ void axpy(const __grid_constant__ Parameters p)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < p.count)
        p.y[i] = fmaf(p.alpha, p.x[i], p.y[i]);
}
