// The same kernel by Google Benchmark; built and called by by_hand.sh.
#include <benchmark/benchmark.h>
#include <cstdlib>
#include <vector>

extern "C" void silu(const float *x, float *y, unsigned n);

static void by_google(benchmark::State &state)
{
    const char *size = std::getenv("SIZE");
    std::vector<float> x(size ? std::atol(size) : 4096), y(x.size());
    std::srand(1);
    for (float &v : x)
        v = 6.0f * std::rand() / static_cast<float>(RAND_MAX) - 3.0f;
    for (auto _ : state) {
        silu(x.data(), y.data(), static_cast<unsigned>(x.size()));
        benchmark::DoNotOptimize(y.data());
        benchmark::ClobberMemory();
    }
}
BENCHMARK(by_google)->UseRealTime();
BENCHMARK_MAIN();
