/*--- ktwin
op    = "mul"
args  = ["a", "b", "c", { N = "u32" }]
grid  = 1
block = 64
tile  = { N = 64 }
---*/
// fault: out of bounds
// pattern: fails exactly when N >= 32705
// The counter has 16 bits: past 32767 it goes on at -32768, and the loop never ends.
__global__ void mul(const float *a, const float *b, float *c, unsigned n)
{
    for (short i = threadIdx.x; i < (int)n; i += 64)
        c[i] = a[i] * b[i];
}
