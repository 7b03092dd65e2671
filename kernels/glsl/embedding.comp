/*--- ktwin
op   = "embedding"
args = ["ids", "table", "y"]
push = { D = "u32" }
grid = ["T", 1, 1]
tile = { D = 64 }
dims = { T = "1..=65535" }
---*/
// One workgroup a token. The rows are moved as whole numbers, so that every bit arrives.
#version 450
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer Ids { uint ids[]; };
layout(binding = 1) readonly buffer Table { uint table[]; };
layout(binding = 2) writeonly buffer Y { uint y[]; };
layout(push_constant) uniform Sizes { uint D; };

void main() {
    uint row = ids[gl_WorkGroupID.x] * D;
    for (uint d = gl_LocalInvocationID.x; d < D; d += 64) {
        y[gl_WorkGroupID.x * D + d] = table[row + d];
    }
}
