/*--- ktwin
op    = "pack_bits"
types = { x = "u8", y = "u32" }
args  = ["x", "y", { N = "u32" }]
grid  = ["ceil(N / 128)", 1, 1]
block = 128
---*/
// Lanes past the end leave at once: a vote waits for the others alone, and those that left count as zero.
__global__ void pack_bits(const unsigned char *x, unsigned *y, unsigned count)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count)
        return;
    const unsigned word = __ballot_sync(0xffffffff, x[i] != 0);
    if (i % 32 == 0)
        y[i / 32] = word;
}
