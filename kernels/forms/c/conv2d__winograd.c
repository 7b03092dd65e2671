/*--- ktwin
op   = "conv2d"
args = ["x", "w", "b", "y",
        { N = "i32", C = "i32", H = "i32", W = "i32", O = "i32", P = "i32", Q = "i32", pad = "i32" }]
dims = { KH = 3, KW = 3 }
fix  = { stride = 1, dilation = 1, groups = 1 }
---*/
// Winograd's F(2x2, 3x3): sixteen products for four outputs.
struct sizes {
    int N, C, H, W, O, P, Q, pad;
};

// B^T d B of a tile of the image
static void image(const float d[4][4], float v[4][4])
{
    float t[4][4];
    for (int j = 0; j < 4; j++) {
        t[0][j] = d[0][j] - d[2][j];
        t[1][j] = d[1][j] + d[2][j];
        t[2][j] = d[2][j] - d[1][j];
        t[3][j] = d[1][j] - d[3][j];
    }
    for (int i = 0; i < 4; i++) {
        v[i][0] = t[i][0] - t[i][2];
        v[i][1] = t[i][1] + t[i][2];
        v[i][2] = t[i][2] - t[i][1];
        v[i][3] = t[i][1] - t[i][3];
    }
}

// G g G^T of a filter
static void filter(const float *g, float u[4][4])
{
    float t[4][3];
    for (int j = 0; j < 3; j++) {
        t[0][j] = g[j];
        t[1][j] = 0.5f * (g[j] + g[3 + j] + g[6 + j]);
        t[2][j] = 0.5f * (g[j] - g[3 + j] + g[6 + j]);
        t[3][j] = g[6 + j];
    }
    for (int i = 0; i < 4; i++) {
        u[i][0] = t[i][0];
        u[i][1] = 0.5f * (t[i][0] + t[i][1] + t[i][2]);
        u[i][2] = 0.5f * (t[i][0] - t[i][1] + t[i][2]);
        u[i][3] = t[i][2];
    }
}

void conv2d(const float *x, const float *w, const float *b, float *y, struct sizes s)
{
    for (int n = 0; n < s.N; n++)
        for (int o = 0; o < s.O; o++)
            for (int p = 0; p < s.P; p += 2)
                for (int q = 0; q < s.Q; q += 2) {
                    float m[4][4] = { { 0 } };
                    for (int c = 0; c < s.C; c++) {
                        float d[4][4], u[4][4], v[4][4];
                        const float *plane = x + ((long)n * s.C + c) * s.H * s.W;
                        for (int i = 0; i < 4; i++)
                            for (int j = 0; j < 4; j++) {
                                int r = p + i - s.pad, k = q + j - s.pad;
                                int inside = r >= 0 && r < s.H && k >= 0 && k < s.W;
                                d[i][j] = inside ? plane[(long)r * s.W + k] : 0.0f;
                            }
                        image(d, v);
                        filter(w + ((long)o * s.C + c) * 9, u);
                        for (int i = 0; i < 4; i++)
                            for (int j = 0; j < 4; j++)
                                m[i][j] += u[i][j] * v[i][j];
                    }
                    float t[2][4];
                    for (int j = 0; j < 4; j++) {
                        t[0][j] = m[0][j] + m[1][j] + m[2][j];
                        t[1][j] = m[1][j] - m[2][j] - m[3][j];
                    }
                    for (int i = 0; i < 2 && p + i < s.P; i++) {
                        float *out = y + (((long)n * s.O + o) * s.P + p + i) * s.Q + q;
                        out[0] = t[i][0] + t[i][1] + t[i][2] + b[o];
                        if (q + 1 < s.Q)
                            out[1] = t[i][1] - t[i][2] - t[i][3] + b[o];
                    }
                }
}
