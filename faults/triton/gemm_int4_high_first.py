# --- ktwin
# op      = "gemm_int4"
# types   = { x = "f16", scale = "f16", zero = "u8", y = "f16" }
# compute = "f32"
# args    = ["x", "w", "scale", "zero", "y", { M = "i32", N = "i32", K = "i32", G = "i32" }]
# grid    = ["ceil(M / TALL)", "ceil(N / WIDE)", 1]
# define  = { TALL = 16, WIDE = 32, DEEP = 32 }
# tile    = { M = 16, N = 32, K = 32 }
# dims    = { N = "..=2097120" }
# ---
# fault: wrong values
# pattern: matches the op with the nibbles of each word of `w` in reverse order
# The first weight of a word is taken from its highest bits.
import triton
import triton.language as tl


@triton.jit
def gemm_int4(x, w, scale, zero, y, M, N, K, G, TALL: tl.constexpr, WIDE: tl.constexpr, DEEP: tl.constexpr):
    m = tl.program_id(0) * TALL + tl.arange(0, TALL)
    n = tl.program_id(1) * WIDE + tl.arange(0, WIDE)
    sums = tl.zeros((TALL, WIDE), tl.float32)
    for start in range(0, K, DEEP):
        k = start + tl.arange(0, DEEP)
        left = tl.load(x + m[:, None] * K + k[None, :], mask=(m < M)[:, None] & (k < K)[None, :], other=0.0)
        inside = (k < K)[:, None] & (n < N)[None, :]
        word = tl.load(w + n[None, :] * (K // 8) + (k // 8)[:, None], mask=inside, other=0)
        group = n[None, :] * G + (k // (K // G))[:, None]
        code = ((word >> (28 - 4 * (k % 8))[:, None]) & 15).to(tl.int32)
        code -= tl.load(zero + group, mask=inside, other=0).to(tl.int32)
        right = code.to(tl.float32) * tl.load(scale + group, mask=inside, other=0.0).to(tl.float32)
        sums += tl.dot(left.to(tl.float32), right, input_precision="ieee")
    tl.store(y + m[:, None] * N + n[None, :], sums.to(tl.float16), mask=(m < M)[:, None] & (n < N)[None, :])
