/*--- ktwin
op    = "log_softmax"
args  = ["x", "y", { D = "u32" }]
grid  = ["R", 1, 1]
block = [64, 1, 1]
tile  = { D = 64 }
---*/
// Work-items keep maximum and sum together; the pairs are joined in a tree, the logarithm is taken once by every work-item.
__kernel void log_softmax(__global const float *x, __global float *y, uint D)
{
    __local float2 part[64];
    uint lane = get_local_id(0);
    x += get_group_id(0) * (size_t)D;
    y += get_group_id(0) * (size_t)D;
    float top = -FLT_MAX, sum = 0;
    for (uint d = lane; d < D; d += 64) {
        float m = fmax(top, x[d]);
        sum = sum * exp(top - m) + exp(x[d] - m);
        top = m;
    }
    part[lane] = (float2)(top, sum);
    for (uint half_ = 32; half_ > 0; half_ /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lane < half_) {
            float2 a = part[lane], b = part[lane + half_];
            float m = fmax(a.x, b.x);
            part[lane] = (float2)(m, a.y * exp(a.x - m) + b.y * exp(b.x - m));
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    top = part[0].x;
    float l = log(part[0].y);
    for (uint d = lane; d < D; d += 64) y[d] = (x[d] - top) - l;
}
