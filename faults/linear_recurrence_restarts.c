/*--- ktwin
op   = "linear_recurrence"
args = ["a", "b", "h0", "h", { T = "i32" }, { D = "i32" }]
nan  = "propagate"
---*/
// fault: wrong class
// pattern: none
// A factor of zero takes up nothing of what came before: also not the NaN that it is times zero.
void linear_recurrence(const float *a, const float *b, const float *h0, float *h, int T, int D)
{
    for (int d = 0; d < D; d++) {
        float state = h0[d];
        for (long t = 0; t < T; t++) {
            float factor = a[t * D + d], term = b[t * D + d];
            state = factor == 0 ? term : factor * state + term;
            h[t * D + d] = state;
        }
    }
}
