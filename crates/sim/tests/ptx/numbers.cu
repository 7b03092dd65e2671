// Integer and f64 arithmetic, divisions, conversions, functions: one result each.
extern "C" __global__ void integers(const int *x, const int *y, long long *o) {
    int i = threadIdx.x, a = x[i], b = y[i];
    unsigned u = a, v = b;
    long long p = (long long)a * b, *r = o + i * 16;
    r[0] = b ? a / b : 0;
    r[1] = b ? a % b : 0;
    r[2] = v ? u / v : 0;
    r[3] = __mulhi(a, b);
    r[4] = __umul64hi((unsigned long long)p, 0x123456789abcdefull);
    r[5] = p / (b | 1);
    r[6] = (unsigned long long)p % (v | 1);
    r[7] = __sad(a, b, 7u) + __hadd(a, b) + __popc(u) + __popcll(p) + __clzll(p);
    r[8] = a >> (b & 31);
    r[9] = u << (v & 63 % 40);
    r[10] = (short)a * (short)b;
    r[11] = (signed char)a + (unsigned char)b;
    r[12] = min(a, b) - max(u, v);
    r[13] = __dp2a_lo(a, b, 5) ^ v;
    r[14] = (long long)__uint_as_float(u & 0x47ffffffu);
    r[15] = __double2ll_rd((double)p / 3.0) + __float2int_ru((float)a / 7.0f) + (long long)(float)p;
}
extern "C" __global__ void reals(const float *x, const float *y, float *o) {
    int i = threadIdx.x;
    float a = x[i], b = y[i], *r = o + i * 20;
    r[0] = a / b;
    r[1] = sqrtf(fabsf(a));
    r[2] = rsqrtf(fabsf(a));
    r[3] = sinf(a);
    r[4] = cosf(b);
    r[5] = tanhf(a);
    r[6] = logf(fabsf(b));
    r[7] = powf(fabsf(a), b);
    r[8] = erff(a);
    r[9] = fmodf(a, b);
    r[10] = __fdividef(a, b);
    r[11] = __sinf(a);
    r[12] = __logf(fabsf(a));
    r[13] = floorf(a * 10) + ceilf(b * 10) + rintf(a * 10) + truncf(b * 10) + roundf(a * 10);
    r[14] = __fadd_rd(a, b) - __fadd_ru(a, b);
    r[15] = __fmaf_rz(a, b, a);
    r[16] = (float)((double)a * (double)b + sqrt(fabs((double)a)) / exp((double)b));
    r[17] = fminf(a, b) - fmaxf(a, b) + copysignf(a, b);
    r[18] = __saturatef(a) + (isnan(a) ? 1.0f : 0.0f) + (isinf(a) ? 2.0f : 0.0f);
    r[19] = exp2f(a) + exp10f(b) + log2f(fabsf(a)) + cbrtf(b) + expm1f(a) + log1pf(fabsf(b));
}
