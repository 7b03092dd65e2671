/*--- ktwin
op    = "scale"
args  = ["x", "y", { N = "u32" }, { alpha = "f32" }]
grid  = ["max(ceil((N - 1) / 1024), 1)", 1, 1]
block = [256, 1, 1]
---*/
// fault: unwritten elements
// pattern: every wrong element was never written
// Four elements a thread; the host counts groups of all but one element, so the last one is left where N = 1025.
__global__ void scale(const float *x, float *y, unsigned n, float alpha)
{
    unsigned first = (blockIdx.x * blockDim.x + threadIdx.x) * 4;
    for (unsigned i = first; i < first + 4 && i < n; i++)
        y[i] = alpha * x[i];
}
