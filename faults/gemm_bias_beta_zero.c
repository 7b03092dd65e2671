/*--- ktwin
op   = "gemm_bias"
args = ["a", "b", "bias", "c", { M = "i32" }, { N = "i32" }, { K = "i32" }]
---*/
// fault: not repeatable
// pattern: right if c holds zeros before the launch: the kernel adds to what is there, or never sets it
// As a BLAS does it with a factor of zero for what c holds, which is nobody's and may be NaN.
void gemm_bias(const float *a, const float *b, const float *bias, float *c, int M, int N, int K)
{
    const float beta = 0;
    for (long m = 0; m < M; m++)
        for (long n = 0; n < N; n++) {
            float sum = bias[n];
            for (long k = 0; k < K; k++)
                sum += a[m * K + k] * b[k * N + n];
            c[m * N + n] = sum + beta * c[m * N + n];
        }
}
