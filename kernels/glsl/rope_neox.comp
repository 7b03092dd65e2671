/*--- ktwin
op      = "rope_neox"
compute = "f32"
args    = ["x", "y"]
push    = { H = "u32", D = "u32", pos = "u32", base = "f32" }
grid    = ["H", "T", 1]
tile    = { D = 128 }
dims    = { T = "1..=65535", H = "1..=65535", D = "multiple of 2" }
---*/
// One workgroup a head of one token, one lane a pair of elements half a head apart.
#version 450
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer X { float x[]; };
layout(binding = 1) writeonly buffer Y { float y[]; };
layout(push_constant) uniform Sizes { uint H; uint D; uint pos; float base; } p;

void main() {
    const uint half_d = p.D / 2;
    const uint head = (gl_WorkGroupID.y * p.H + gl_WorkGroupID.x) * p.D;
    for (uint i = gl_LocalInvocationID.x; i < half_d; i += 64) {
        float angle = float(p.pos + gl_WorkGroupID.y) * exp2(-2.0 * float(i) / float(p.D) * log2(p.base));
        float c = cos(angle), s = sin(angle);
        float a = x[head + i], b = x[head + half_d + i];
        y[head + i] = a * c - b * s;
        y[head + half_d + i] = b * c + a * s;
    }
}
