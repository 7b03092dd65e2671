/*--- ktwin
op      = "gelu"
compute = "f32"
args    = ["x", "y", { N = "u32" }]
grid    = ["ceil(N / 64)", 1, 1]
tile    = { N = 64 }
dims    = { N = "1..=4194240" }
---*/
// The form with tanh. Its argument is kept from growing: beyond 15 the exponential of a driver's own tanh may overflow.
#version 450
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer X { float x[]; };
layout(binding = 1) writeonly buffer Y { float y[]; };
layout(binding = 2) uniform Sizes { uint N; };

void main() {
    uint n = gl_GlobalInvocationID.x;
    if (n >= N) {
        return;
    }
    float v = x[n];
    float inner = 0.7978845608028654 * (v + 0.044715 * v * v * v);
    y[n] = 0.5 * v * (1.0 + tanh(clamp(inner, -15.0, 15.0)));
}
