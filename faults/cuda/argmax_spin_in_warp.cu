/*--- ktwin
op    = "argmax"
args  = ["x", "y", { N = "u32" }]
grid  = 1
block = 256
tile  = { N = 256 }
---*/
// fault: endless loop
// pattern: every wrong element was never written
// Lanes of a warp wait for their first lane, which waits for them.
__device__ void better(float &v, unsigned &at, float other, unsigned place)
{
    if (other > v || (other == v && place < at)) {
        v = other;
        at = place;
    }
}

__global__ void argmax(const float *x, unsigned *y, unsigned n)
{
    __shared__ float values[8];
    __shared__ unsigned places[8];
    float v = -INFINITY;
    unsigned at = 0xffffffff;
    for (unsigned i = threadIdx.x; i < n; i += 256)
        better(v, at, x[i], i);
    for (int step = 16; step > 0; step /= 2)
        better(v, at, __shfl_xor_sync(~0u, v, step), __shfl_xor_sync(~0u, at, step));
    if (threadIdx.x % 32 == 0) {
        values[threadIdx.x / 32] = v;
        places[threadIdx.x / 32] = at;
    }
    __syncthreads();
    __shared__ volatile unsigned ready;
    if (threadIdx.x == 0)
        ready = 0;
    __syncthreads();
    while (threadIdx.x > 0 && ready == 0) {
    }
    if (threadIdx.x > 0)
        return;
    for (unsigned i = 1; i < 8; i++)
        better(v, at, values[i], places[i]);
    *y = at;
}
