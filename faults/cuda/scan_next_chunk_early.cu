/*--- ktwin
op    = "scan"
args  = ["x", "y", { N = "u32" }]
grid  = 1
block = 256
tile  = { N = 256 }
---*/
// fault: race
// pattern: fails exactly when N >=
// No barrier at the end of a chunk: the next one overwrites the last sum.
__global__ void scan(const float *x, float *y, unsigned n)
{
    __shared__ float sums[2][256];
    float before = 0;
    for (unsigned start = 0; start < n; start += 256) {
        unsigned at = start + threadIdx.x, side = 0;
        sums[0][threadIdx.x] = at < n ? x[at] : 0.0f;
        __syncthreads();
        for (unsigned step = 1; step < 256; step *= 2) {
            float v = sums[side][threadIdx.x];
            if (threadIdx.x >= step)
                v += sums[side][threadIdx.x - step];
            side = 1 - side;
            sums[side][threadIdx.x] = v;
            __syncthreads();
        }
        if (at < n)
            y[at] = before + sums[side][threadIdx.x];
        before += sums[side][255];
    }
}
