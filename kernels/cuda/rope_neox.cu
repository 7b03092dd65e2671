/*--- ktwin
op    = "rope_neox"
args  = ["x", "y", { T = "u32", H = "u32", D = "u32", pos = "u32", base = "f32" }]
grid  = ["ceil(T * H * D / 2 / 128)", 1, 1]
block = [128, 1, 1]
tile  = { D = 64 }
---*/
// A thread a pair, all pairs in one line.
struct Sizes {
    unsigned tokens, heads, width, pos;
    float base;
};

__global__ void rope_neox(const float *x, float *y, Sizes s)
{
    unsigned half = s.width / 2, at = blockIdx.x * blockDim.x + threadIdx.x;
    if (at >= s.tokens * s.heads * half)
        return;
    unsigned pair = at % half, row = at / half, token = row / s.heads;
    float angle = (float)(s.pos + token) * powf(s.base, -2.0f * pair / s.width);
    float a = x[row * s.width + pair], b = x[row * s.width + pair + half];
    y[row * s.width + pair] = a * cosf(angle) - b * sinf(angle);
    y[row * s.width + pair + half] = b * cosf(angle) + a * sinf(angle);
}
