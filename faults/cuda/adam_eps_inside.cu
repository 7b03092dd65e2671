/*--- ktwin
op      = "adam"
compute = "f32"
args    = ["p", "g", "m", "v",
           { N = "u32", step = "i32", lr = "f32", beta1 = "f32", beta2 = "f32", eps = "f32" }]
grid    = ["ceil(N / 256)", 1, 1]
block   = [256, 1, 1]
tile    = { N = 256 }
---*/
// fault: wrong values
// pattern: matches the op with `sqrt(v1[n] / (1 - beta2 ^ step)) + eps` read as `sqrt(v1[n] / (1 - beta2 ^ step) + eps)`
// eps is added below the root.
struct Sizes {
    unsigned n;
    int step;
    float lr, beta1, beta2, eps;
};

__global__ void adam(float *p, const float *g, float *m, float *v, Sizes s)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= s.n)
        return;
    float mean = s.beta1 * m[i] + (1.0f - s.beta1) * g[i];
    float square = s.beta2 * v[i] + (1.0f - s.beta2) * g[i] * g[i];
    m[i] = mean;
    v[i] = square;
    float a = mean / (1.0f - powf(s.beta1, s.step)), b = square / (1.0f - powf(s.beta2, s.step));
    p[i] -= s.lr * a / sqrtf(b + s.eps);
}
