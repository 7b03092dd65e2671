/*--- ktwin
op      = "gelu_gate"
compute = "f32"
args    = ["g", "u", "y", { N = "u32" }]
---*/
// C++ with a C entry point: the activation is a function object, as a fused layer would have it.
#include <cmath>
#include <cstdint>

namespace {

struct Gelu {
    float operator()(float v) const
    {
        constexpr float root_2_pi = 0.7978845608028654f;
        return 0.5f * v * (1.0f + std::tanh(root_2_pi * (v + 0.044715f * v * v * v)));
    }
};

template <typename Activation>
void gate(const float *g, const float *u, float *y, std::uint32_t count, Activation f)
{
    for (std::uint32_t n = 0; n < count; n++)
        y[n] = f(g[n]) * u[n];
}

} // namespace

extern "C" void gelu_gate(const float *g, const float *u, float *y, std::uint32_t N)
{
    gate(g, u, y, N, Gelu{});
}
