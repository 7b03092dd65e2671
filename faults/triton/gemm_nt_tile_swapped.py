# --- ktwin
# op      = "gemm_nt"
# types   = { a = "bf16", b = "bf16" }
# compute = "f32"
# args    = ["a", "b", "c", { M = "i32", N = "i32", K = "i32" }]
# grid    = ["ceil(M / SIDE)", "ceil(N / SIDE)", 1]
# define  = { SIDE = 64, DEEP = 32, num_warps = 4, num_stages = 2 }
# tile    = { M = 64, N = 64, K = 32 }
# dims    = { N = "..=4194240", K = "multiple of 16" }
# ---
# fault: unwritten elements
# pattern: every wrong element was never written
# Rows and columns of programs are swapped.
import triton
import triton.language as tl


@triton.jit
def gemm_nt(a, b, c, M, N, K, SIDE: tl.constexpr, DEEP: tl.constexpr):
    m = tl.program_id(2 - 1) * SIDE + tl.arange(0, SIDE)
    n = tl.program_id(0) * SIDE + tl.arange(0, SIDE)
    k = tl.arange(0, DEEP)
    sums = tl.zeros((SIDE, SIDE), tl.float32)
    for start in range(0, K, DEEP):
        deep = start + k < K
        left = tl.load(a + m[:, None] * K + (start + k)[None, :], mask=(m < M)[:, None] & deep[None, :], other=0.0)
        right = tl.load(b + n[:, None] * K + (start + k)[None, :], mask=(n < N)[:, None] & deep[None, :], other=0.0)
        sums = tl.dot(left, right.trans(), sums)
    tl.store(c + m[:, None] * N + n[None, :], sums, mask=(m < M)[:, None] & (n < N)[None, :])
