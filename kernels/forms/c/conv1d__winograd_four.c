/*--- ktwin
op   = "conv1d"
args = ["x", "w", "b", "y", { N = "i32", C = "i32", L = "i32", O = "i32", P = "i32", pad = "i32" }]
dims = { K = 3 }
fix  = { stride = 1, dilation = 1, groups = 1 }
nan  = "never"
---*/
// Winograd's F(4, 3): six products for four outputs, each of which all six inputs of its tile have a part in.
struct sizes {
    int N, C, L, O, P, pad;
};

static void filter(const float g[3], float u[6])
{
    float outer = (g[0] + g[2]) * (1.0f / 6), inner = g[1] * (1.0f / 6);
    float coarse = g[0] * (1.0f / 24) + g[2] * (1.0f / 6), half = g[1] * (1.0f / 12);
    u[0] = g[0] * 0.25f;
    u[1] = -outer - inner;
    u[2] = -outer + inner;
    u[3] = coarse + half;
    u[4] = coarse - half;
    u[5] = g[2];
}

static void input(const float d[6], float v[6])
{
    v[0] = 4 * d[0] - 5 * d[2] + d[4];
    v[1] = -4 * (d[1] + d[2]) + d[3] + d[4];
    v[2] = 4 * (d[1] - d[2]) - d[3] + d[4];
    v[3] = 2 * (d[3] - d[1]) - d[2] + d[4];
    v[4] = 2 * (d[1] - d[3]) - d[2] + d[4];
    v[5] = 4 * d[1] - 5 * d[3] + d[5];
}

void conv1d(const float *x, const float *w, const float *b, float *y, struct sizes s)
{
    for (int n = 0; n < s.N; n++)
        for (int o = 0; o < s.O; o++)
            for (int p = 0; p < s.P; p += 4) {
                float m[6] = { 0, 0, 0, 0, 0, 0 };
                for (int c = 0; c < s.C; c++) {
                    const float *row = x + ((long)n * s.C + c) * s.L;
                    float d[6], u[6], v[6];
                    for (int i = 0; i < 6; i++) {
                        int l = p + i - s.pad;
                        d[i] = l >= 0 && l < s.L ? row[l] : 0.0f;
                    }
                    filter(w + ((long)o * s.C + c) * 3, u);
                    input(d, v);
                    for (int i = 0; i < 6; i++)
                        m[i] += u[i] * v[i];
                }
                float out[4] = {
                    m[0] + m[1] + m[2] + m[3] + m[4],
                    m[1] - m[2] + 2 * (m[3] - m[4]),
                    m[1] + m[2] + 4 * (m[3] + m[4]),
                    m[1] - m[2] + 8 * (m[3] - m[4]) + m[5],
                };
                for (int i = 0; i < 4 && p + i < s.P; i++)
                    y[((long)n * s.O + o) * s.P + p + i] = b[o] + out[i];
            }
}
