# --- ktwin
# op      = "gemm"
# types   = { a = "f16", b = "f16", c = "f16" }
# compute = "f32"
# args    = ["a", "b", "c", { M = "i32", N = "i32", K = "i32" },
#            { "a.stride0" = "i32", "b.stride0" = "i32", "c.stride0" = "i32" }]
# grid    = ["ceil(M / TALL) * ceil(N / WIDE)", 1, 1]
# define  = { TALL = 32, WIDE = 64, DEEP = 32, GROUP = 4 }
# tile    = { M = [32, 64], N = [32, 64], K = [16, 32] }
# layout  = { a = "strided", b = "strided" }
# ---
# fault: wrong values
# pattern: fails only where K >= 17, in 27 of 36 such cases
# The sums are kept in f16.
import triton
import triton.language as tl


@triton.jit
def gemm(a, b, c, M, N, K, a_row, b_row, c_row,
         TALL: tl.constexpr, WIDE: tl.constexpr, DEEP: tl.constexpr, GROUP: tl.constexpr):
    program = tl.program_id(0)
    across = tl.cdiv(N, WIDE)
    first = program // (GROUP * across) * GROUP
    rows_here = min(tl.cdiv(M, TALL) - first, GROUP)
    tile_m = first + program % (GROUP * across) % rows_here
    tile_n = program % (GROUP * across) // rows_here
    m = tile_m * TALL + tl.arange(0, TALL)
    n = tile_n * WIDE + tl.arange(0, WIDE)
    k = tl.arange(0, DEEP)
    sums = tl.zeros((TALL, WIDE), tl.float16)
    for start in range(0, K, DEEP):
        left = tl.load(a + m[:, None] * a_row + (start + k)[None, :],
                       mask=(m[:, None] < M) & (start + k < K)[None, :], other=0.0)
        right = tl.load(b + (start + k)[:, None] * b_row + n[None, :],
                        mask=(start + k < K)[:, None] & (n[None, :] < N), other=0.0)
        sums = tl.dot(left, right, sums, out_dtype=tl.float16)
    tl.store(c + m[:, None] * c_row + n[None, :], sums.to(tl.float16), mask=(m[:, None] < M) & (n[None, :] < N))
