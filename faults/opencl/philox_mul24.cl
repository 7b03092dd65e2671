/*--- ktwin
op    = "philox"
types = { counter = "u32", key = "u32", y = "u32" }
args  = ["counter", "key", "y", { N = "u32" }]
grid  = ["ceil(N / 64)", 1, 1]
block = 64
tile  = { N = 64 }
---*/
// fault: operand too wide
// pattern: every element is wrong
// mad24 takes factors of 24 bits: what it makes of wider ones, each device decides.
__kernel void philox(__global const uint4 *counter, __global const uint *key, __global uint4 *y, uint n)
{
    uint i = get_global_id(0);
    if (i >= n)
        return;
    uint4 c = counter[i];
    uint2 k = (uint2)(key[0], key[1]);
    for (int round = 0; round < 10; round++) {
        uint high0 = mul_hi(0xd2511f53u, c.x), low0 = 0xd2511f53u * c.x;
        uint high1 = mul_hi(0xcd9e8d57u, c.z), low1 = mad24(0xcd9e8d57u, c.z, 0u);
        c = (uint4)(high1 ^ c.y ^ k.x, low1, high0 ^ c.w ^ k.y, low0);
        k += (uint2)(0x9e3779b9u, 0xbb67ae85u);
    }
    y[i] = c;
}
