// C = A B with mma.sync in bf16: 32 by 32 tiles, four warps, cp.async into two buffers, ldmatrix.
#include <cuda_bf16.h>
__device__ unsigned shared_address(const void *p) { return (unsigned)__cvta_generic_to_shared(p); }
__device__ void copy16(void *to, const void *from) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;\n" ::"r"(shared_address(to)), "l"(from));
}
extern "C" __global__ void mma_gemm(const __nv_bfloat16 *a, const __nv_bfloat16 *b, float *c, int n, int k) {
    __shared__ __align__(16) __nv_bfloat16 as[2][32][16], bs[2][16][32];
    int tid = threadIdx.x, warp = tid / 32, lane = tid % 32;
    int row = blockIdx.y * 32, col = blockIdx.x * 32;
    auto fetch = [&](int buffer, int t) {
        if (tid < 64) copy16(&as[buffer][tid / 2][tid % 2 * 8], a + (row + tid / 2) * k + t + tid % 2 * 8);
        else copy16(&bs[buffer][(tid - 64) / 4][tid % 4 * 8], b + (t + (tid - 64) / 4) * n + col + tid % 4 * 8);
        asm volatile("cp.async.commit_group;\n");
    };
    float sum[2][4] = {};
    int r = warp / 2 * 16, q = warp % 2 * 16;
    fetch(0, 0);
    for (int t = 0, buffer = 0; t < k; t += 16, buffer ^= 1) {
        if (t + 16 < k) {
            fetch(buffer ^ 1, t + 16);
            asm volatile("cp.async.wait_group 1;\n");
        } else {
            asm volatile("cp.async.wait_group 0;\n");
        }
        __syncthreads();
        unsigned x[4], y[4];
        unsigned at = shared_address(&as[buffer][r + lane % 16][lane / 16 * 8]);
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];\n"
                     : "=r"(x[0]), "=r"(x[1]), "=r"(x[2]), "=r"(x[3]) : "r"(at));
        at = shared_address(&bs[buffer][lane % 16][q + lane / 16 * 8]);
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];\n"
                     : "=r"(y[0]), "=r"(y[1]), "=r"(y[2]), "=r"(y[3]) : "r"(at));
        for (int j = 0; j < 2; j++)
            asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};\n"
                         : "+f"(sum[j][0]), "+f"(sum[j][1]), "+f"(sum[j][2]), "+f"(sum[j][3])
                         : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(y[2 * j]), "r"(y[2 * j + 1]));
        __syncthreads();
    }
    for (int j = 0; j < 2; j++)
        for (int i = 0; i < 4; i++)
            c[(row + r + lane / 4 + i / 2 * 8) * n + col + q + j * 8 + lane % 4 * 2 + i % 2] = sum[j][i];
}
