/*--- ktwin
op      = "conv2d"
compute = "f32"
args    = ["x", "w", "b", "y",
           { N = "u32", C = "u32", H = "u32", W = "u32", O = "u32", I = "u32", KH = "u32", KW = "u32", P = "u32",
             Q = "u32", stride = "i32", pad = "i32", dilation = "i32", groups = "u32" }]
grid    = ["ceil(P * Q / 128)", "O", "N"]
block   = [128, 1, 1]
tile    = { P = 8, Q = 16 }
---*/
// fault: out of bounds
// pattern: none
// The lower edge of the image is let through.
struct Sizes {
    unsigned n, c, h, w, o, i, kh, kw, p, q;
    int stride, pad, dilation;
    unsigned groups;
};

__global__ void conv2d(const float *x, const float *w, const float *b, float *y, Sizes s)
{
    unsigned at = blockIdx.x * blockDim.x + threadIdx.x, o = blockIdx.y;
    if (at >= s.p * s.q)
        return;
    int p = at / s.q, q = at % s.q;
    unsigned first = o / (s.o / s.groups) * s.i;
    float sum = 0;
    for (unsigned i = 0; i < s.i; i++)
        for (int kh = 0; kh < (int)s.kh; kh++)
            for (int kw = 0; kw < (int)s.kw; kw++) {
                int row = p * s.stride + kh * s.dilation - s.pad, column = q * s.stride + kw * s.dilation - s.pad;
                if (row < 0 || row > (int)s.h || column < 0 || column >= (int)s.w)
                    continue;
                sum += w[((o * s.i + i) * s.kh + kh) * s.kw + kw] *
                       x[((blockIdx.z * s.c + first + i) * s.h + row) * s.w + column];
            }
    y[(blockIdx.z * s.o + o) * s.p * s.q + at] = sum + b[o];
}
