// Rows of int8 times a vector, four at a time with dp4a.
extern "C" __global__ void int8_dot(const int *a, const int *x, int *y, int words) {
    int sum = 0;
    for (int i = threadIdx.x; i < words; i += 32) sum = __dp4a(a[blockIdx.x * words + i], x[i], sum);
    sum = __reduce_add_sync(0xffffffffu, sum);
    if (threadIdx.x == 0) y[blockIdx.x] = sum;
}
