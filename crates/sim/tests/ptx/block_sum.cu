// The sum of each block's elements: a tree in shared memory, then shuffles.
extern "C" __global__ void block_sum(const float *x, float *out, int n) {
    __shared__ float part[256];
    int tid = threadIdx.x;
    int i = blockIdx.x * 512 + tid;
    float sum = (i < n ? x[i] : 0.0f) + (i + 256 < n ? x[i + 256] : 0.0f);
    part[tid] = sum;
    __syncthreads();
    for (int s = 128; s >= 32; s /= 2) {
        if (tid < s) part[tid] += part[tid + s];
        __syncthreads();
    }
    if (tid < 32) {
        sum = part[tid];
        for (int o = 16; o > 0; o /= 2) sum += __shfl_down_sync(0xffffffffu, sum, o);
        if (tid == 0) out[blockIdx.x] = sum;
    }
}
