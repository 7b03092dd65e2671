/*--- ktwin
op    = "convert"
types = { y = "f16" }
args  = ["x", "y", { N = "u32" }]
grid  = ["ceil(N / 512)", 1, 1]
block = [128, 1, 1]
tile  = { N = 512 }
---*/
// fault: out of bounds
// pattern: every wrong element was never written
// pattern: wrong exactly where n >= 4
// The offset counts elements where it should count vectors.
__kernel void convert(__global const float *x, __global half *y, uint n)
{
    uint at = get_global_id(0), first = 4 * at;
    if (first + 3 < n)
        vstore_half4_rte(vload4(at, x), first, y);
    else
        for (uint i = first; i < n; i++)
            vstore_half_rte(x[i], i, y);
}
