/*--- ktwin
op   = "conv2d"
args = ["x", "w", "b", "y",
        { N = "i32", C = "i32", H = "i32", W = "i32", O = "i32", P = "i32", Q = "i32", pad = "i32" }]
dims = { KH = 3, KW = 3, N = "..=3", C = "..=6", O = "..=6", H = "..=48", W = "..=48" }
fix  = { stride = 1, dilation = 1, groups = 1 }
nan  = "never"
---*/
// Winograd's F(4x4, 3x3): 36 products for 16 outputs.
struct sizes {
    int N, C, H, W, O, P, Q, pad;
};

/* one dimension of each transform, with any stride between elements */
static void filter(const float *g, int step, float *u, int to)
{
    float outer = (g[0] + g[2 * step]) * (1.0f / 6), inner = g[step] * (1.0f / 6);
    float coarse = g[0] * (1.0f / 24) + g[2 * step] * (1.0f / 6), half = g[step] * (1.0f / 12);
    u[0] = g[0] * 0.25f;
    u[to] = -outer - inner;
    u[2 * to] = -outer + inner;
    u[3 * to] = coarse + half;
    u[4 * to] = coarse - half;
    u[5 * to] = g[2 * step];
}

static void input(float *d, int step)
{
    float a = d[0], b = d[step], c = d[2 * step], e = d[3 * step], f = d[4 * step], g = d[5 * step];
    d[0] = 4 * a - 5 * c + f;
    d[step] = -4 * (b + c) + e + f;
    d[2 * step] = 4 * (b - c) - e + f;
    d[3 * step] = 2 * (e - b) - c + f;
    d[4 * step] = 2 * (b - e) - c + f;
    d[5 * step] = 4 * b - 5 * e + g;
}

static void output(const float *m, int step, float *y, int to)
{
    float sum = m[step] + m[2 * step], difference = m[step] - m[2 * step];
    float far = m[3 * step] + m[4 * step], further = m[3 * step] - m[4 * step];
    y[0] = m[0] + sum + far;
    y[to] = difference + 2 * further;
    y[2 * to] = sum + 4 * far;
    y[3 * to] = difference + 8 * further + m[5 * step];
}

static float pixel(const float *image, struct sizes s, int h, int w)
{
    return h >= 0 && h < s.H && w >= 0 && w < s.W ? image[(long)h * s.W + w] : 0.0f;
}

static void tile(const float *x, const float *w, struct sizes s, int p, int q, float m[36])
{
    for (int c = 0; c < s.C; c++) {
        float half[18], u[36], d[36];
        for (int i = 0; i < 3; i++)
            filter(w + c * 9 + i, 3, half + i, 3);
        for (int i = 0; i < 6; i++)
            filter(half + i * 3, 1, u + i * 6, 1);
        for (int i = 0; i < 36; i++)
            d[i] = pixel(x + (long)c * s.H * s.W, s, p + i / 6 - s.pad, q + i % 6 - s.pad);
        for (int i = 0; i < 6; i++)
            input(d + i, 6);
        for (int i = 0; i < 6; i++)
            input(d + i * 6, 1);
        for (int i = 0; i < 36; i++)
            m[i] += u[i] * d[i];
    }
}

void conv2d(const float *x, const float *w, const float *b, float *y, struct sizes s)
{
    for (int n = 0; n < s.N; n++)
        for (int o = 0; o < s.O; o++)
            for (int p = 0; p < s.P; p += 4)
                for (int q = 0; q < s.Q; q += 4) {
                    float m[36] = { 0 }, half[24], out[16];
                    tile(x + (long)n * s.C * s.H * s.W, w + (long)o * s.C * 9, s, p, q, m);
                    for (int i = 0; i < 6; i++)
                        output(m + i, 6, half + i, 6);
                    for (int i = 0; i < 4; i++)
                        output(half + i * 6, 1, out + i * 4, 1);
                    for (int i = 0; i < 16; i++)
                        if (p + i / 4 < s.P && q + i % 4 < s.Q)
                            y[(((long)n * s.O + o) * s.P + p + i / 4) * s.Q + q + i % 4] = b[o] + out[i];
                }
}
