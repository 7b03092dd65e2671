/*--- ktwin
op   = "conv1d"
args = ["x", "w", "b", "y", { N = "i32", C = "i32", L = "i32", O = "i32", P = "i32", pad = "i32" }]
dims = { K = 3 }
fix  = { stride = 1, dilation = 1, groups = 1 }
---*/
// Winograd's F(2, 3): four products for two outputs.
struct sizes {
    int N, C, L, O, P, pad;
};

static float at(const float *row, int L, int i) { return i >= 0 && i < L ? row[i] : 0.0f; }

void conv1d(const float *x, const float *w, const float *b, float *y, struct sizes s)
{
    for (int n = 0; n < s.N; n++)
        for (int o = 0; o < s.O; o++)
            for (int p = 0; p < s.P; p += 2) {
                float m[4] = { 0, 0, 0, 0 };
                for (int c = 0; c < s.C; c++) {
                    const float *row = x + ((long)n * s.C + c) * s.L;
                    const float *g = w + ((long)o * s.C + c) * 3;
                    float d[4];
                    for (int i = 0; i < 4; i++)
                        d[i] = at(row, s.L, p + i - s.pad);
                    m[0] += (d[0] - d[2]) * g[0];
                    m[1] += (d[1] + d[2]) * ((g[0] + g[1] + g[2]) * 0.5f);
                    m[2] += (d[2] - d[1]) * ((g[0] - g[1] + g[2]) * 0.5f);
                    m[3] += (d[1] - d[3]) * g[2];
                }
                float *out = y + ((long)n * s.O + o) * s.P + p;
                out[0] = b[o] + m[0] + m[1] + m[2];
                if (p + 1 < s.P)
                    out[1] = b[o] + m[1] - m[2] - m[3];
            }
}
