/*--- ktwin
op     = "relu"
args   = ["x", "y", { N = "i32" }]
grid   = ["ceil(N / 32)", 1, 1]
block  = [32, 1, 1]
tile   = { N = 32 }
shared = "2 * 32 * 4"
---*/
// fault: wrong values
// pattern: every wrong element is zero
// Two arrays that the launch sizes begin at one address: the places are gone once the numbers are stored.
extern __shared__ int place[];
extern __shared__ float number[];

__global__ void relu(const float *x, float *y, int n) {
    int lane = threadIdx.x, i = blockIdx.x * 32 + lane;
    place[lane] = 31 - lane;
    __syncthreads();
    number[31 - lane] = i < n ? x[i] : 0.0f;
    __syncthreads();
    if (i < n) y[i] = fmaxf(number[place[lane] & 31], 0.0f);
}
