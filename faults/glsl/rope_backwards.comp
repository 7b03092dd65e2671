/*--- ktwin
op      = "rope"
compute = "f32"
args    = ["x", "y", { H = "u32", D = "u32", pos = "u32", base = "f32" }]
grid    = ["H", "T", 1]
tile    = { D = 128 }
dims    = { T = "1..=65535", H = "1..=65535", D = "multiple of 2" }
---*/
// fault: wrong values
// pattern: matches the op with `(pos + t) * base ^ (-2 * i / D)` read as `-((pos + t) * base ^ (-2 * i / D))`
// The pairs are turned the wrong way.
#version 450
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer X { vec2 x[]; };
layout(binding = 1) writeonly buffer Y { vec2 y[]; };
layout(binding = 2) uniform Sizes { uint H; uint D; uint pos; float base; };

void main() {
    const uint pairs = D / 2;
    const uint head = (gl_WorkGroupID.y * H + gl_WorkGroupID.x) * pairs;
    for (uint i = gl_LocalInvocationID.x; i < pairs; i += 64) {
        float angle = float(pos + gl_WorkGroupID.y) * exp2(-2.0 * float(i) / float(D) * log2(base));
        mat2 turn = mat2(cos(angle), -sin(angle), sin(angle), cos(angle));
        y[head + i] = turn * x[head + i];
    }
}
