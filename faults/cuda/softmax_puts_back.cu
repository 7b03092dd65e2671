/*--- ktwin
op    = "softmax"
args  = ["x", "y", { D = "u32" }]
grid  = ["R"]
block = 128
---*/
// fault: input changed
// pattern: none
// Each block keeps exponentials in its row of x and puts x back: right as long as nobody else reads x.
__global__ void softmax(const float *x, float *y, unsigned columns)
{
    __shared__ float top, sum;
    volatile float *row = const_cast<float *>(x) + (size_t)blockIdx.x * columns;
    float *out = y + (size_t)blockIdx.x * columns;
    if (threadIdx.x == 0) {
        top = -INFINITY;
        for (unsigned d = 0; d < columns; d++)
            top = fmaxf(top, row[d]);
        float all = 0.0f;
        for (unsigned d = 0; d < columns; d++)
            all += expf(row[d] - top);
        sum = all;
    }
    __syncthreads();
    for (unsigned d = threadIdx.x; d < columns; d += blockDim.x) {
        const float own = row[d];
        row[d] = expf(own - top);
        out[d] = row[d] / sum;
        row[d] = own;
    }
}
