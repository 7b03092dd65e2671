/*--- ktwin
op      = "wkv6"
compute = "f32"
args    = ["r", "k", "v", "w", "u", "y", { T = "u32", H = "u32", K = "u32", V = "u32" }]
dims    = { K = "..=128" }
---*/
// fault: wrong values
// pattern: y[t, h, v] stays the same whatever u[h, k] is: it is left out
// the present step goes through the state too
#include <stdint.h>

typedef struct {
    uint32_t T, H, K, V;
} sizes;

void wkv6(const float *r, const float *k, const float *v, const float *w, const float *u, float *y, sizes s)
{
    for (uint32_t h = 0; h < s.H; h++)
        for (uint32_t j = 0; j < s.V; j++) {
            float state[128] = {0};
            for (uint32_t t = 0; t < s.T; t++) {
                const uint32_t at = (t * s.H + h) * s.K;
                const float value = v[(t * s.H + h) * s.V + j];
                float sum = 0;
                for (uint32_t i = 0; i < s.K; i++) {
                    const float come = k[at + i] * value;
                    sum += r[at + i] * (w[at + i] * state[i] + come);
                    state[i] = w[at + i] * state[i] + come;
                }
                y[(t * s.H + h) * s.V + j] = sum;
            }
        }
}
