/*--- ktwin
op    = "scan"
args  = ["x", "y", { N = "u32" }]
grid  = 1
block = 256
tile  = { N = 256 }
---*/
// fault: race
// pattern: none
// One half of shared memory instead of two: sums are read while they are raised.
__global__ void scan(const float *x, float *y, unsigned n)
{
    __shared__ float sums[2][256];
    float before = 0;
    for (unsigned start = 0; start < n; start += 256) {
        unsigned at = start + threadIdx.x;
        sums[0][threadIdx.x] = at < n ? x[at] : 0.0f;
        __syncthreads();
        for (unsigned step = 1; step < 256; step *= 2) {
            float v = sums[0][threadIdx.x];
            if (threadIdx.x >= step)
                v += sums[0][threadIdx.x - step];
            sums[0][threadIdx.x] = v;
            __syncthreads();
        }
        if (at < n)
            y[at] = before + sums[0][threadIdx.x];
        before += sums[0][255];
        __syncthreads();
    }
}
