// An inclusive scan of each block, by Hillis and Steele, in dynamic shared memory with two buffers.
extern "C" __global__ void scan_block(const int *x, int *y, int n) {
    extern __shared__ int buf[];
    int tid = threadIdx.x, i = blockIdx.x * blockDim.x + tid;
    int *from = buf, *to = buf + blockDim.x;
    from[tid] = i < n ? x[i] : 0;
    __syncthreads();
    for (int o = 1; o < blockDim.x; o *= 2) {
        to[tid] = tid >= o ? from[tid] + from[tid - o] : from[tid];
        __syncthreads();
        int *swap = from; from = to; to = swap;
    }
    if (i < n) y[i] = from[tid];
}
