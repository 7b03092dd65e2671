/*--- ktwin
op    = "rope"
args  = ["x", "y", { H = "u32", D = "u32", pos = "u32", base = "f32" }]
grid  = ["T", "H", 1]
block = [64, 1, 1]
tile  = { D = 128 }
dims  = { T = "..=65535", H = "..=65535" }
---*/
// fault: wrong values
// pattern: matches the op with `(pos + t) * base ^ (-2 * i / D)` read as `-((pos + t) * base ^ (-2 * i / D))`
// Turned the other way.
struct Sizes {
    unsigned heads, width, pos;
    float base;
};

__global__ void rope(const float *x, float *y, Sizes s)
{
    size_t start = ((size_t)blockIdx.x * s.heads + blockIdx.y) * s.width;
    for (unsigned i = threadIdx.x; i < s.width / 2; i += blockDim.x) {
        float angle = (float)(s.pos + blockIdx.x) * powf(s.base, -2.0f * i / s.width);
        float sine, cosine;
        sincosf(angle, &sine, &cosine);
        float a = x[start + 2 * i], b = x[start + 2 * i + 1];
        y[start + 2 * i] = a * cosine + b * sine;
        y[start + 2 * i + 1] = b * cosine - a * sine;
    }
}
