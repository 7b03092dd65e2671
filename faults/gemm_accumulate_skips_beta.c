/*--- ktwin
op   = "gemm_accumulate"
args = ["a", "b", "c", { M = "i32" }, { N = "i32" }, { K = "i32" }, { alpha = "f32" }, { beta = "f32" }]
nan  = "propagate"
---*/
// fault: wrong class
// pattern: matches the op with `alpha * sum[k](a[m, k] * b[k, n]) + beta * c[m, n]` read as `alpha * sum[k](a[m, k] * b[k, n])`
// Nothing is read of c where beta is zero, though a NaN in it must come out.
void gemm_accumulate(const float *a, const float *b, float *c, int M, int N, int K, float alpha, float beta)
{
    for (long m = 0; m < M; m++)
        for (long n = 0; n < N; n++) {
            float sum = 0;
            for (long k = 0; k < K; k++)
                sum += a[m * K + k] * b[k * N + n];
            c[m * N + n] = alpha * sum + (beta == 0 ? 0 : beta * c[m * N + n]);
        }
}
