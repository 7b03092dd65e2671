/*--- ktwin
op    = "silu"
args  = ["x", "y", { N = "u32" }]
grid  = ["ceil(N / 256)", 1, 1]
block = [256, 1, 1]
tile  = { N = 256 }
---*/
// fault: unwritten elements
// pattern: every wrong element was never written
// pattern: wrong exactly where n >= 256: past the first tile of 256
// The number within the work-group, as if there were only one.
__kernel void silu(__global const float *x, __global float *y, uint n)
{
    uint i = get_local_id(0);
    if (i < n)
        y[i] = x[i] / (1.0f + exp(-x[i]));
}
