/*--- ktwin
op    = "convert"
types = { y = "f16" }
args  = ["x", "y", { N = "u32" }]
grid  = ["ceil(N / 512)", 1, 1]
block = [128, 1, 1]
tile  = { N = 512 }
---*/
// fault: wrong values
// pattern: every wrong element is the right one rounded toward zero (truncated), where storing in f16 rounds to the nearest, ties to even
// The last elements are rounded toward zero.
__kernel void convert(__global const float *x, __global half *y, uint n)
{
    uint at = get_global_id(0), first = 4 * at;
    if (first + 3 < n)
        vstore_half4_rte(vload4(at, x), at, y);
    else
        for (uint i = first; i < n; i++)
            vstore_half_rtz(x[i], i, y);
}
