/*--- ktwin
op    = "dequantise"
types = { x = "q4_0" }
args  = ["x", "y", { "R * K // 32" = "u32" }]
grid  = ["ceil(R * K / 32 / 4)", 1, 1]
block = [32, 4, 1]
dims  = { K = "multiple of 32" }
tile  = { K = 32 }
---*/
// fault: wrong values
// pattern: matches the op with the two nibbles of each byte of `x` taken for neighbours, not half a block apart
// Nibbles in the order in which they lie.
#include <cuda_fp16.h>

__global__ void dequantise_q4_0(const unsigned char *x, float *y, unsigned blocks)
{
    unsigned block = blockIdx.x * 4 + threadIdx.y;
    if (block >= blocks)
        return;
    const unsigned char *at = x + block * 18;
    float scale = __half2float(__ushort_as_half(at[0] | at[1] << 8));
    unsigned lane = threadIdx.x;
    int pair = at[2 + lane / 2];
    y[block * 32 + lane] = scale * ((lane % 2 == 0 ? pair & 15 : pair >> 4) - 8);
}
