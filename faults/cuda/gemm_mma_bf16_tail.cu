/*--- ktwin
op      = "gemm_nt"
types   = { a = "bf16", b = "bf16" }
compute = "f32"
args    = ["a", "b", "c", { M = "u32", N = "u32", K = "u32" }]
grid    = ["ceil(N / 32)", "ceil(M / 32)", 1]
block   = [128, 1, 1]
tile    = { M = 32, N = 32, K = 32 }
dims    = { M = "..=65535", K = "multiple of 8" }
---*/
// fault: wrong values
// pattern: fails only where K >= 24, in 24 of 25 such cases
// The last step of sixteen of each tile is left out.
#include <cuda_bf16.h>

#define DEEP 32
#define ROW (DEEP + 8)

struct Sizes {
    unsigned m, n, k;
};

typedef __nv_bfloat16 Tile[32][ROW];

__device__ unsigned shared_address(const void *p) { return (unsigned)__cvta_generic_to_shared(p); }

// 32 rows of 32 numbers, 16 bytes a thread; of those outside no byte is read, and zeros are written
__device__ void bring(Tile &to, const __nv_bfloat16 *from, unsigned top, unsigned rows, unsigned k, unsigned width)
{
    unsigned row = threadIdx.x / 4, eight = threadIdx.x % 4 * 8;
    bool inside = top + row < rows && k + eight < width;
    const __nv_bfloat16 *source = inside ? from + (size_t)(top + row) * width + k + eight : from;
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(shared_address(&to[row][eight])),
                 "l"(__cvta_generic_to_global(source)), "r"(inside ? 16 : 0));
}

__device__ void load_four(unsigned (&r)[4], const void *at)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                 : "r"(shared_address(at)));
}

__device__ void multiply(float (&d)[4], const unsigned (&a)[4], unsigned b0, unsigned b1)
{
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
                 "{%0, %1, %2, %3};"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

__global__ void __launch_bounds__(128) gemm_nt(const __nv_bfloat16 *a, const __nv_bfloat16 *b, float *c, Sizes s)
{
    __shared__ __align__(16) Tile left[2], right[2];
    unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    unsigned top = blockIdx.y * 32, first = blockIdx.x * 32, y = warp / 2 * 16, x = warp % 2 * 16;
    float d[2][4] = {};
    bring(left[0], a, top, s.m, 0, s.k);
    bring(right[0], b, first, s.n, 0, s.k);
    asm volatile("cp.async.commit_group;");
    for (unsigned k = 0, now = 0; k < s.k; k += DEEP, now ^= 1) {
        if (k + DEEP < s.k) {
            bring(left[now ^ 1], a, top, s.m, k + DEEP, s.k);
            bring(right[now ^ 1], b, first, s.n, k + DEEP, s.k);
        }
        asm volatile("cp.async.commit_group;");
        asm volatile("cp.async.wait_group 1;");
        __syncthreads();
        for (unsigned step = 0; step < DEEP - 16; step += 16) {
            unsigned p[4], q[4];
            load_four(p, &left[now][y + lane % 16][step + lane / 16 * 8]);
            load_four(q, &right[now][x + lane % 8 + lane / 16 * 8][step + lane / 8 % 2 * 8]);
            multiply(d[0], p, q[0], q[1]);
            multiply(d[1], p, q[2], q[3]);
        }
        __syncthreads();
    }
    for (unsigned i = 0; i < 8; i++) {
        unsigned row = top + y + lane / 4 + i % 4 / 2 * 8, column = first + x + i / 4 * 8 + lane % 4 * 2 + i % 2;
        if (row < s.m && column < s.n)
            c[(size_t)row * s.n + column] = d[i / 4][i % 4];
    }
}
