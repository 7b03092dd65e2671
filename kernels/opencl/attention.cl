/*--- ktwin
op      = "attention"
compute = "f32"
args    = ["q", "k", "v", "o",
           { H = "u32", S = "u32", D = "u32", G = "u32", T = "u32", scale = "f32", causal = "u32" }]
grid    = ["S", "H", 1]
block   = [128, 1, 1]
shared  = "4 * T"
tile    = { T = 128 }
dims    = { T = "..=4096", H = "..=1024" }
---*/
// A work-group a query and head: all scores in local memory, then their softmax, then the values.
struct sizes {
    uint heads, queries, width, groups, keys;
    float scale;
    uint causal;
};

float of_all(float own, __local float *parts, bool largest)
{
    uint item = get_local_id(0);
    barrier(CLK_LOCAL_MEM_FENCE);
    parts[item] = own;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint step = get_local_size(0) / 2; step > 0; step /= 2) {
        if (item < step) {
            float a = parts[item], b = parts[item + step];
            parts[item] = largest ? fmax(a, b) : a + b;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    return parts[0];
}

__kernel void attention(__global const float *q, __global const float *k, __global const float *v, __global float *o,
                        struct sizes s, __local float *scores)
{
    __local float parts[128];
    uint head = get_group_id(1), query = get_group_id(0), first = get_local_id(0), step = get_local_size(0);
    size_t keys = (size_t)(head / (s.heads / s.groups)) * s.keys * s.width;
    size_t at = ((size_t)head * s.queries + query) * s.width;
    uint count = s.causal ? query + (s.keys - s.queries) + 1 : s.keys;
    float top = -INFINITY;
    for (uint t = first; t < count; t += step) {
        float z = 0;
        for (uint d = 0; d < s.width; d++)
            z += q[at + d] * k[keys + (size_t)t * s.width + d];
        scores[t] = z * s.scale;
        top = fmax(top, scores[t]);
    }
    top = of_all(top, parts, true);
    float sum = 0;
    for (uint t = first; t < count; t += step) {
        scores[t] = exp(scores[t] - top);
        sum += scores[t];
    }
    sum = of_all(sum, parts, false);
    for (uint d = first; d < s.width; d += step) {
        float all = 0;
        for (uint t = 0; t < count; t++)
            all += scores[t] * v[keys + (size_t)t * s.width + d];
        o[at + d] = all / sum;
    }
}
