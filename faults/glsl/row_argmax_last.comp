/*--- ktwin
op   = "row_argmax"
args = ["x", "y"]
push = { D = "u32" }
grid = ["R", 1, 1]
tile = { D = 32 }
dims = { R = "1..=65535" }
---*/
// fault: wrong values
// pattern: every wrong element is the place of another of equal elements: ties are broken differently
// Among equals the later one wins where two lanes are joined.
#version 450
layout(local_size_x = 32) in;
layout(binding = 0) readonly buffer X { float x[]; };
layout(binding = 1) writeonly buffer Y { uint y[]; };
layout(push_constant) uniform Sizes { uint D; };

shared float best[32];
shared uint place[32];

void main() {
    const uint lane = gl_LocalInvocationID.x;
    const uint row = gl_WorkGroupID.x * D;
    float top = lane < D ? x[row + lane] : 0.0;
    uint at = lane < D ? lane : 0xffffffffu;
    for (uint d = lane + 32; d < D; d += 32) {
        if (x[row + d] > top) {
            top = x[row + d];
            at = d;
        }
    }
    best[lane] = top;
    place[lane] = at;
    barrier();
    for (uint s = 16; s > 0; s >>= 1) {
        if (lane < s && place[lane + s] != 0xffffffffu) {
            bool larger = best[lane + s] > best[lane];
            bool earlier = best[lane + s] == best[lane] && place[lane + s] > place[lane];
            if (larger || earlier) {
                best[lane] = best[lane + s];
                place[lane] = place[lane + s];
            }
        }
        barrier();
    }
    if (lane == 0) {
        y[gl_WorkGroupID.x] = place[0];
    }
}
