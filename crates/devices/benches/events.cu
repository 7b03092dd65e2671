// Times kernels of this repository by CUDA's events, without ktwin: what `ktwin bench --device cuda` is held against.
// nvcc -arch=sm_90 -O3 -std=c++17 -o events events.cu
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <vector>

#include "../../../kernels/cuda/rmsnorm.cu"
#include "../../../kernels/cuda/silu.cu"

static void must(cudaError_t error)
{
    if (error != cudaSuccess) {
        std::fprintf(stderr, "%s\n", cudaGetErrorString(error));
        std::exit(1);
    }
}

static double median(std::vector<float> times)
{
    std::sort(times.begin(), times.end());
    return times[times.size() / 2];
}

// Microseconds of one call, in batches of 200 µs or more, and of a single call after the cache was filled.
static void time(const char *name, const std::function<void(int)> &call)
{
    cudaEvent_t first, last;
    must(cudaEventCreate(&first));
    must(cudaEventCreate(&last));
    void *filler;
    size_t cache = 2 * 52428800;
    must(cudaMalloc(&filler, cache));
    auto timed = [&](int calls, int set) {
        float ms;
        must(cudaEventRecord(first));
        for (int i = 0; i < calls; i++)
            call(set);
        must(cudaEventRecord(last));
        must(cudaDeviceSynchronize());
        must(cudaEventElapsedTime(&ms, first, last));
        return ms * 1000 / calls;
    };
    for (int i = 0; i < 20; i++)
        timed(20, i % 3);
    int calls = std::max(1, (int)(200 / timed(20, 0)) + 1);
    std::vector<float> cold, warm;
    for (int i = 0; i < 300; i++) {
        must(cudaMemsetAsync(filler, i, cache));
        cold.push_back(timed(1, i % 3));
        timed(1, i % 3);
        warm.push_back(timed(calls, i % 3));
    }
    std::printf("%-36s cold %8.3f us   warm %8.3f us (%d calls)\n", name, median(cold), median(warm), calls);
    must(cudaFree(filler));
}

struct Arrays {
    float *x, *w, *y;
};

static Arrays drawn(size_t n, size_t d)
{
    std::vector<float> values(n);
    for (auto &v : values)
        v = (float)std::rand() / RAND_MAX * 4 - 2;
    Arrays a;
    must(cudaMalloc(&a.x, n * 4));
    must(cudaMalloc(&a.y, n * 4));
    must(cudaMalloc(&a.w, d * 4));
    must(cudaMemcpy(a.x, values.data(), n * 4, cudaMemcpyHostToDevice));
    must(cudaMemcpy(a.w, values.data(), d * 4, cudaMemcpyHostToDevice));
    return a;
}

int main()
{
    for (unsigned n : {4096u, 1u << 20, 1u << 22, 1u << 24}) {
        Arrays sets[3] = {drawn(n, 1), drawn(n, 1), drawn(n, 1)};
        char name[64];
        std::snprintf(name, sizeof name, "silu N=%u", n);
        time(name, [&](int s) { silu<<<(n + 255) / 256, 256>>>(sets[s].x, sets[s].y, n); });
    }
    for (unsigned r : {256u, 4096u, 16384u}) {
        Arrays sets[3] = {drawn((size_t)r * 1024, 1024), drawn((size_t)r * 1024, 1024), drawn((size_t)r * 1024, 1024)};
        char name[64];
        std::snprintf(name, sizeof name, "rmsnorm R=%u D=1024", r);
        time(name, [&](int s) { rmsnorm<<<r, 256>>>(sets[s].x, sets[s].w, sets[s].y, 1024, 1e-5f); });
    }
    must(cudaGetLastError());
}
