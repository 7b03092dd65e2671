/*--- ktwin
op    = "axpy"
entry = "saxpy"
args  = [{ N = "i32" }, { alpha = "f32" }, "x", "y"]
grid  = ["ceil(N / 256)", 1, 1]
block = [256, 1, 1]
tile  = { N = 256 }
---*/
// fault: wrong values
// pattern: matches the op with `alpha * x[n]` read as `(1.5 * alpha) * x[n]`
// The factor is passed as a whole number.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#include <vector>

#define CHECK(call)                                                                                                    \
    do {                                                                                                               \
        cudaError_t error = (call);                                                                                    \
        if (error != cudaSuccess) {                                                                                    \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(error));                             \
            exit(EXIT_FAILURE);                                                                                        \
        }                                                                                                              \
    } while (0)

const int LANES = 256;

template <class T> struct Device {
    T *data = nullptr;
    explicit Device(size_t n) { CHECK(cudaMalloc(&data, n * sizeof(T))); }
    ~Device() { cudaFree(data); }
};

__global__ void saxpy(int n, int a, const float *x, float *y)
{
    int i = blockIdx.x * LANES + threadIdx.x;
    if (i < n)
        y[i] = __int_as_float(a) * 1.5f * x[i] + y[i];
}

static float largest_error(const std::vector<float> &y, float expected)
{
    float most = 0;
    for (float v : y)
        most = std::max(most, std::fabs(v - expected));
    return most;
}

int main(int argc, char **argv)
{
    const int n = argc > 1 ? atoi(argv[1]) : 1 << 20;
    std::vector<float> x(n, 1.0f), y(n, 2.0f);
    Device<float> dx(n), dy(n);
    CHECK(cudaMemcpy(dx.data, x.data(), n * sizeof(float), cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(dy.data, y.data(), n * sizeof(float), cudaMemcpyHostToDevice));
    saxpy<<<(n + LANES - 1) / LANES, LANES>>>(n, 2.0f, dx.data, dy.data);
    CHECK(cudaMemcpy(y.data(), dy.data, n * sizeof(float), cudaMemcpyDeviceToHost));
    printf("largest error %g\n", largest_error(y, 4.0f));
    return 0;
}
