/*--- ktwin
op    = "row_sum"
args  = ["x", "y", { D = "u32" }]
grid  = ["R", 1, 1]
block = 64
tile  = { D = 64 }
---*/
// One warp loads, the other adds. Barriers by number hand two buffers over: which, a register says.
__device__ __forceinline__ void wait(unsigned barrier)
{
    asm volatile("bar.sync %0, 64;" ::"r"(barrier) : "memory");
}
__device__ __forceinline__ void arrive(unsigned barrier)
{
    asm volatile("bar.arrive %0, 64;" ::"r"(barrier) : "memory");
}

__global__ void row_sum(const float *x, float *y, unsigned width)
{
    __shared__ float buffer[2][64];
    const unsigned lane = threadIdx.x % 32, chunks = (width + 63) / 64;
    const bool loads = threadIdx.x < 32;
    x += (size_t)blockIdx.x * width;
    float sum = 0.0f;
    for (unsigned chunk = 0; chunk < chunks; chunk++) {
        const unsigned at = chunk % 2, full = 1 + at, empty = 3 + at;
        if (loads) {
            if (chunk >= 2)
                wait(empty);
            for (unsigned i = lane; i < 64; i += 32)
                buffer[at][i] = chunk * 64 + i < width ? x[chunk * 64 + i] : 0.0f;
            arrive(full);
        } else {
            wait(full);
            sum += buffer[at][lane] + buffer[at][lane + 32];
            if (chunk + 2 < chunks)
                arrive(empty);
        }
    }
    if (loads)
        return;
    for (unsigned step = 16; step > 0; step /= 2)
        sum += __shfl_xor_sync(0xffffffff, sum, step);
    if (lane == 0)
        y[blockIdx.x] = sum;
}
