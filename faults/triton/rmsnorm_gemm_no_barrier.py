# --- ktwin
# op      = "rmsnorm_gemm"
# types   = { x = "f16", w = "f16", v = "f16" }
# compute = "f32"
# round   = { h = "f16" }
# args    = ["x", "w", "v", "y", "normal", { M = "i32", N = "i32", K = "i32", eps = "f32" }]
# grid    = ["ceil(M / ROWS)", 1, 1]
# define  = { ROWS = 16, WIDE = 32, DEEP = 32, BLOCK = 128, num_warps = 4 }
# tile    = { M = 16, N = 32, K = [32, 128] }
# scratch = { normal = "f16[M * K]" }
# ---
# fault: race
# pattern: fails exactly when M >= 2
# The rows are read back without waiting for what other lanes store.
import triton
import triton.language as tl


@triton.jit
def rmsnorm_gemm(x, w, v, y, normal, M, N, K, eps,
                 ROWS: tl.constexpr, WIDE: tl.constexpr, DEEP: tl.constexpr, BLOCK: tl.constexpr):
    m = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    rows = (m < M)[:, None]
    squares = tl.zeros([ROWS], tl.float32)
    for start in range(0, K, BLOCK):
        k = start + tl.arange(0, BLOCK)
        value = tl.load(x + m[:, None] * K + k[None, :], mask=rows & (k < K)[None, :], other=0.0).to(tl.float32)
        squares += tl.sum(value * value, axis=1)
    scale = 1.0 / tl.sqrt(squares / K + eps)
    for start in range(0, K, BLOCK):
        k = start + tl.arange(0, BLOCK)
        inside = rows & (k < K)[None, :]
        value = tl.load(x + m[:, None] * K + k[None, :], mask=inside, other=0.0).to(tl.float32)
        weight = tl.load(w + k, mask=k < K, other=0.0).to(tl.float32)
        value = value * scale[:, None] * weight[None, :]
        tl.store(normal + m[:, None] * K + k[None, :], value.to(tl.float16), mask=inside)
    for column in range(0, N, WIDE):
        n = column + tl.arange(0, WIDE)
        sums = tl.zeros([ROWS, WIDE], tl.float32)
        for start in range(0, K, DEEP):
            k = start + tl.arange(0, DEEP)
            left = tl.load(normal + m[:, None] * K + k[None, :], mask=rows & (k < K)[None, :], other=0.0)
            right = tl.load(v + n[:, None] * K + k[None, :], mask=(n < N)[:, None] & (k < K)[None, :], other=0.0)
            sums = tl.dot(left, right.trans(), sums)
        tl.store(y + m[:, None] * N + n[None, :], sums, mask=rows & (n < N)[None, :])
