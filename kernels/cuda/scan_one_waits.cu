/*--- ktwin
op            = "scan"
args          = ["x", "y", "sums", "ticket", { N = "u32" }]
scratch       = { sums = "u64[ceil(N / 32)]", ticket = "u32[1]" }
fill          = { sums = 0, ticket = 0 }
grid          = ["ceil(N / 32)", 1, 1]
block         = 32
tile          = { N = 32 }
---*/
// One lane waits for the block before, the others for that lane. A sum and the flag that it is there travel in one
// word, so that no fence is needed.
__global__ void scan(const float *x, float *y, unsigned long long *sums, unsigned *ticket, unsigned count)
{
    const unsigned lane = threadIdx.x;
    unsigned block = lane == 0 ? atomicAdd(ticket, 1) : 0;
    block = __shfl_sync(0xffffffff, block, 0);
    const unsigned i = block * 32 + lane;
    float sum = i < count ? x[i] : 0.0f;
    for (unsigned step = 1; step < 32; step *= 2) {
        const float before = __shfl_up_sync(0xffffffff, sum, step);
        sum += lane >= step ? before : 0.0f;
    }
    unsigned long long word = 0;
    if (lane == 0 && block > 0)
        do {
            word = atomicAdd(&sums[block - 1], 0ull);
        } while (word >> 32 == 0);
    __syncwarp();
    const float carry = __shfl_sync(0xffffffff, __uint_as_float((unsigned)word), 0);
    if (i < count)
        y[i] = carry + sum;
    if (lane == 31)
        atomicExch(&sums[block], 1ull << 32 | __float_as_uint(carry + sum));
}
