/*--- ktwin
op    = "cummax"
args  = ["x", "y", { D = "u32" }]
grid  = ["R", 1, 1]
block = 64
tile  = { D = 64 }
---*/
// fault: uninitialised read
// pattern: fails only where a subgroup does not have 32 lanes
// The maximum that goes on to the next 64 elements is taken of two subgroups, however many there are.
#pragma OPENCL EXTENSION cl_khr_subgroups : enable
__kernel void cummax(__global const float *x, __global float *y, uint D)
{
    __local float tops[64];
    x += get_group_id(0) * (size_t)D;
    y += get_group_id(0) * (size_t)D;
    float carry = -INFINITY;
    for (uint first = 0; first < D; first += 64) {
        uint d = first + get_local_id(0);
        float top = sub_group_scan_inclusive_max(d < D ? x[d] : -INFINITY);
        if (get_sub_group_local_id() == get_sub_group_size() - 1)
            tops[get_sub_group_id()] = top;
        barrier(CLK_LOCAL_MEM_FENCE);
        float before = carry;
        for (uint i = 0; i < get_sub_group_id(); i++)
            before = fmax(before, tops[i]);
        if (d < D)
            y[d] = fmax(before, top);
        for (uint i = 0; i < 2; i++)
            carry = fmax(carry, tops[i]);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}
