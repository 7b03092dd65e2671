// Two warps hand a buffer back and forth with named barriers; votes of the whole block; a table of branches; print.
extern "C" __device__ int printf(const char *, ...);
extern "C" __global__ void pipeline(const int *x, int *y, int rounds) {
    __shared__ int buf[32];
    int lane = threadIdx.x % 32;
    if (threadIdx.x < 32) {
        for (int i = 0; i < rounds; i++) {
            buf[lane] = x[i * 32 + lane];
            asm volatile("bar.arrive 1, 64;" ::: "memory");
            asm volatile("bar.sync 2, 64;" ::: "memory");
        }
    } else {
        for (int i = 0; i < rounds; i++) {
            asm volatile("bar.sync 1, 64;" ::: "memory");
            y[i * 32 + lane] = buf[31 - lane];
            asm volatile("bar.arrive 2, 64;" ::: "memory");
        }
    }
    int odd = __syncthreads_count(threadIdx.x & 1), any = __syncthreads_or(threadIdx.x == 9), all = __syncthreads_and(threadIdx.x < 63);
    if (threadIdx.x == 0) {
        y[rounds * 32] = odd * 100 + any * 10 + all;
        printf("%d\n", odd);
    }
    int v = 0;
    switch (threadIdx.x % 9) {
    case 0: v = x[0]; break;
    case 1: v = x[1] * 3; break;
    case 2: v = x[2] - 7; break;
    case 3: v = x[3] ^ 5; break;
    case 4: v = x[4] << 2; break;
    case 5: v = x[5] / 3; break;
    case 6: v = -x[6]; break;
    case 7: v = ~x[7]; break;
    default: v = 42;
    }
    y[rounds * 32 + 1 + threadIdx.x] = v;
}
