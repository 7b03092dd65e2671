# --- ktwin
# op      = "gemm_nt"
# types   = { a = "e4m3", b = "e4m3" }
# compute = "f32"
# args    = ["a", "b", "c", { M = "i32", N = "i32", K = "i32" }, { "a.stride0" = "i32", "b.stride0" = "i32" }]
# grid    = ["ceil(M / TALL)", "ceil(N / WIDE)", 1]
# define  = { TALL = 32, WIDE = 64, DEEP = 64, num_warps = 4, num_stages = 3 }
# tile    = { M = 32, N = 64, K = 64 }
# dims    = { N = "..=4194240" }
# layout  = { a = "strided", b = "strided" }
# arch    = "sm_89"
# ---
# fault: wrong values
# pattern: the wrong elements agree to
# The sums are kept in f16.
import triton
import triton.language as tl


@triton.jit
def matmul(a, b, c, M, N, K, a_row, b_row, TALL: tl.constexpr, WIDE: tl.constexpr, DEEP: tl.constexpr):
    m = tl.program_id(0) * TALL + tl.arange(0, TALL)
    n = tl.program_id(1) * WIDE + tl.arange(0, WIDE)
    k = tl.arange(0, DEEP)
    sums = tl.zeros((TALL, WIDE), tl.float16)
    for start in range(0, K, DEEP):
        deep = start + k < K
        left = tl.load(a + m[:, None] * a_row + (start + k)[None, :], mask=(m < M)[:, None] & deep[None, :], other=0.0)
        right = tl.load(b + n[:, None] * b_row + (start + k)[None, :], mask=(n < N)[:, None] & deep[None, :], other=0.0)
        sums = tl.dot(left, right.trans(), sums, out_dtype=tl.float16)
    tl.store(c + m[:, None] * N + n[None, :], sums, mask=(m < M)[:, None] & (n < N)[None, :])
