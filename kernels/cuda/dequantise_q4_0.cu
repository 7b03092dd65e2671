/*--- ktwin
op    = "dequantise"
types = { x = "q4_0" }
args  = ["x", "y", { "R * K // 32" = "u32" }]
grid  = ["ceil(R * K / 32 / 4)", 1, 1]
block = [32, 4, 1]
dims  = { K = "multiple of 32" }
tile  = { K = 32 }
---*/
// A warp a block of 32 weights: 18 bytes, a scale (f16) and 32 halves of bytes, each 8 too large. Weights i and
// i + 16 share byte i.
#include <cuda_fp16.h>

__global__ void dequantise_q4_0(const unsigned char *x, float *y, unsigned blocks)
{
    unsigned block = blockIdx.x * 4 + threadIdx.y;
    if (block >= blocks)
        return;
    const unsigned char *at = x + block * 18;
    float scale = __half2float(__ushort_as_half(at[0] | at[1] << 8));
    unsigned lane = threadIdx.x;
    int pair = at[2 + lane % 16];
    y[block * 32 + lane] = scale * ((lane < 16 ? pair & 15 : pair >> 4) - 8);
}
