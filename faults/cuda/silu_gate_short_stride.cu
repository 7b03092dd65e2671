/*--- ktwin
op    = "silu_gate"
args  = ["g", "u", "y", { N = "u32" }]
grid  = ["min(ceil(N / 256), 4)", 1, 1]
block = [256, 1, 1]
tile  = { N = [256, 1024] }
---*/
// fault: unwritten elements
// pattern: every wrong element was never written
// pattern: fails exactly when N >=
// The stride is twice that of the grid.
extern "C" __global__ void silu_gate(const float *g, const float *u, float *y, unsigned n)
{
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += 2 * gridDim.x * blockDim.x) {
        float v = g[i];
        y[i] = v / (1.0f + expf(-v)) * u[i];
    }
}
