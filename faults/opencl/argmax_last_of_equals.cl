/*--- ktwin
op    = "argmax"
args  = ["x", "y", { N = "u32" }]
grid  = 1
block = 256
tile  = { N = 256 }
---*/
// fault: wrong values
// pattern: matches the op with `argmax[n](x[n])` read as `the last of equals of argmax[n](x[n])`
// Of equals, the last place wins.
bool better(float v, uint at, float other, uint place)
{
    return other > v || (other == v && place > at);
}

__kernel void argmax(__global const float *x, __global uint *y, uint n)
{
    __local float values[256];
    __local uint places[256];
    uint item = get_local_id(0);
    values[item] = -INFINITY;
    places[item] = 0;
    for (uint i = item; i < n; i += 256)
        if (better(values[item], places[item], x[i], i)) {
            values[item] = x[i];
            places[item] = i;
        }
    for (uint step = 128; step > 0; step /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        uint other = item + step;
        if (item < step && better(values[item], places[item], values[other], places[other])) {
            values[item] = values[other];
            places[item] = places[other];
        }
    }
    if (item == 0)
        *y = places[0];
}
