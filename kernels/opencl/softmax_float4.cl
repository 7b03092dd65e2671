/*--- ktwin
op      = "softmax"
entry   = "softmax_rows"
args    = ["x", "y", { D = "u32" }]
grid    = ["R", 1, 1]
block   = [64, 1, 1]
shared  = "64 * 4"
tile    = { D = 256 }
dims    = { D = ["multiple of 4", "..=8192"] }
define  = { GROUP = 64 }
---*/
// Two kernels in a file, a tree as a macro, four elements at a time.
#define JOIN(how, room, value) \
    do { \
        (room)[item] = (value); \
        barrier(CLK_LOCAL_MEM_FENCE); \
        for (uint step_ = GROUP >> 1; step_ > 0; step_ >>= 1) { \
            if (item < step_) \
                (room)[item] = how((room)[item], (room)[item + step_]); \
            barrier(CLK_LOCAL_MEM_FENCE); \
        } \
        (value) = (room)[0]; \
        barrier(CLK_LOCAL_MEM_FENCE); \
    } while (0)
#define ADD(a, b) ((a) + (b))

typedef struct { float4 top; float sum; } state;

__kernel void clear(__global float *y)
{
    y[get_global_id(0)] = 0;
}

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1)))
void softmax_rows(__global const float *restrict x, __global float *restrict y, const uint width, __local float *room)
{
    const size_t row = get_group_id(0);
    const uint item = (uint)get_local_id(0), count = width / 4;
    x += row * width;
    y += row * width;
    state own;
    own.top = (float4)(-INFINITY);
    own.sum = 0;
    for (uint at = item; at < count; at += GROUP)
        own.top = fmax(own.top, vload4(at, x));
    float top = fmax(fmax(own.top.x, own.top.y), fmax(own.top.z, own.top.w));
    JOIN(fmax, room, top);
    for (uint at = item; at < count; at += GROUP) {
        float4 e = exp(vload4(at, x) - top);
        vstore4(e, at, y);
        own.sum += dot(e, (float4)(1.0f));
    }
    float sum = own.sum;
    JOIN(ADD, room, sum);
    for (uint at = item; at < count; at += GROUP)
        vstore4(vload4(at, y) * (1.0f / sum), at, y);
}
