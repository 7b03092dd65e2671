/*--- ktwin
op    = "row_sum"
args  = ["x", "y", { R = "u32", D = "u32" }]
grid  = ["ceil(R / 8)", 1, 1]
block = [256, 1, 1]
tile  = { R = 8, D = 128 }
---*/
// fault: misaligned access
// pattern: none
// Four numbers at a time in rows that need not begin at a multiple of four.
struct Sizes {
    unsigned rows, width;
};

__global__ void row_sum(const float *x, float *y, Sizes s)
{
    unsigned row = blockIdx.x * 8 + threadIdx.x / 32, lane = threadIdx.x % 32;
    if (row >= s.rows)
        return;
    const float *in = x + (size_t)row * s.width;
    float sum = 0;
    for (unsigned i = lane; i < s.width / 4; i += 32) {
        float4 v = reinterpret_cast<const float4 *>(in)[i];
        sum += (v.x + v.y) + (v.z + v.w);
    }
    for (unsigned d = s.width / 4 * 4 + lane; d < s.width; d += 32)
        sum += in[d];
    for (int step = 16; step > 0; step /= 2)
        sum += __shfl_xor_sync(0xffffffff, sum, step);
    if (lane == 0)
        y[row] = sum;
}
