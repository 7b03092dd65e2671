/*--- ktwin
op      = "sort"
scratch = { keys = "f32[2 * N]" }
dims    = { N = "..=65536" }
nan     = "never"
chain   = [
    { entry = "begin", args = ["x", "keys", { N = "i32" }], grid = ["ceil(2 * N / 256)"], block = 256 },
    { entry = "exchange", repeat = ["stage in 1..17", "turn in 0..stage"], when = "2^(stage - 1) < N", args = [
        "keys", { N = "i32" }, { "2^stage" = "i32" }, { "2^(stage - 1 - turn)" = "i32" },
    ], grid = ["ceil(2 * N / 256)"], block = 256 },
    { entry = "finish", args = ["keys", "y", { N = "i32" }], grid = ["ceil(N / 256)"], block = 256 },
]
---*/
// Bitonic sort in global memory: the host starts one exchange for each stage and each distance within it.
// The elements are filled up to a power of two with infinities, which stay at the end.
__global__ void begin(const float *x, float *keys, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < 2 * n) {
        keys[i] = i < n ? x[i] : __int_as_float(0x7f800000);
    }
}

__global__ void exchange(float *keys, int n, int stage, int far) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int other = i ^ far;
    int all = 1;
    while (all < n) {
        all *= 2;
    }
    if (i >= all || other <= i) {
        return;
    }
    float low = keys[i], high = keys[other];
    bool rising = (i & stage) == 0;
    if (low > high == rising) {
        keys[i] = high;
        keys[other] = low;
    }
}

__global__ void finish(const float *keys, float *y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        y[i] = keys[i];
    }
}
