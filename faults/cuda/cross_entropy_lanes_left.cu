/*--- ktwin
op      = "cross_entropy"
compute = "f32"
args    = ["x", "target", "loss", { T = "u32", V = "u32" }]
grid    = ["ceil(T / 4)", 1, 1]
block   = [32, 4, 1]
tile    = { T = 4, V = 32 }
---*/
// fault: warp operation
// pattern: every wrong element is NaN
// pattern: fails exactly when V <= 31
// Lanes past the classes return before the shuffles.
struct Sizes {
    unsigned rows, classes;
};

__global__ void cross_entropy(const float *x, const unsigned *target, float *loss, Sizes s)
{
    unsigned row = blockIdx.x * 4 + threadIdx.y;
    if (row >= s.rows)
        return;
    x += (size_t)row * s.classes;
    if (threadIdx.x >= s.classes)
        return;
    float top = -INFINITY, sum = 0;
    for (unsigned v = threadIdx.x; v < s.classes; v += 32)
        top = fmaxf(top, x[v]);
    for (int step = 16; step > 0; step /= 2)
        top = fmaxf(top, __shfl_xor_sync(0xffffffff, top, step));
    for (unsigned v = threadIdx.x; v < s.classes; v += 32)
        sum += expf(x[v] - top);
    for (int step = 16; step > 0; step /= 2)
        sum += __shfl_xor_sync(0xffffffff, sum, step);
    if (threadIdx.x == 0)
        loss[row] = logf(sum) - (x[target[row]] - top);
}
