/*--- ktwin
op    = "histogram"
tile  = { N = 1024, B = 256 }
dims  = { B = "..=1024" }
chain = [
    { entry = "clear", args = ["y", { B = "u32" }], grid = ["ceil(B / 256)", 1, 1], block = 256 },
    { entry = "count", args = ["x", "y", { N = "u32" }, { B = "u32" }], grid = ["ceil(N / 1024)", 1, 1], block = 256, shared = "4 * B" },
]
---*/
// fault: race
// pattern: matches the op with `sum[n where x[n] == b](1)` read as `sum[n where (x[n] == b) and n == max[n_ in 0..N where x[n_] == b](n_)](1)`
// Counting without atomics.
__kernel void clear(__global uint *y, uint bins)
{
    uint i = get_global_id(0);
    if (i < bins)
        y[i] = 0;
}

__kernel void count(__global const uint *x, __global uint *y, uint n, uint bins, __local uint *own)
{
    for (uint b = get_local_id(0); b < bins; b += 256)
        own[b] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint i = 0; i < 4; i++) {
        uint at = get_group_id(0) * 1024 + i * 256 + get_local_id(0);
        if (at < n)
            own[x[at]]++;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint b = get_local_id(0); b < bins; b += 256)
        if (own[b] > 0)
            atomic_add(&y[b], own[b]);
}
