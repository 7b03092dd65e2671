# --- ktwin
# op      = "gemm"
# args    = ["a", "b", "c", { M = "i32", N = "i32", K = "i32" }]
# grid    = ["ceil(M / SIDE)", "ceil(N / SIDE)", 1]
# define  = { SIDE = 32 }
# tile    = { M = 32, N = 32, K = 32 }
# dims    = { N = "..=2097120" }
# ---
# fault: wrong values
# pattern: the wrong elements agree to
# tl.dot rounds to tf32 where it is not told otherwise.
import triton
import triton.language as tl


@triton.jit
def gemm(a, b, c, M, N, K, SIDE: tl.constexpr):
    m = tl.program_id(0) * SIDE + tl.arange(0, SIDE)
    n = tl.program_id(1) * SIDE + tl.arange(0, SIDE)
    sums = tl.zeros((SIDE, SIDE), tl.float32)
    for start in range(0, K, SIDE):
        k = start + tl.arange(0, SIDE)
        left = tl.load(a + m[:, None] * K + k[None, :], mask=(m < M)[:, None] & (k < K)[None, :], other=0.0)
        right = tl.load(b + k[:, None] * N + n[None, :], mask=(k < K)[:, None] & (n < N)[None, :], other=0.0)
        sums += tl.dot(left, right)
    tl.store(c + m[:, None] * N + n[None, :], sums, mask=(m < M)[:, None] & (n < N)[None, :])
