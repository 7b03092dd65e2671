# --- ktwin
# op      = "gemv"
# types   = { w = "q8_0" }
# args    = ["w", "x", "y", { N = "i32", K = "i32" }]
# grid    = ["ceil(N / ROWS)", 1, 1]
# define  = { ROWS = 8 }
# tile    = { N = 8, K = 64 }
# dims    = { K = "multiple of 32" }
# ---
# fault: wrong values
# pattern: matches the op with the numbers of `w` read as unsigned
# Codes are taken to be without a sign.
import triton
import triton.language as tl


@triton.jit
def gemv(w, x, y, N, K, ROWS: tl.constexpr):
    row = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    inside = row < N
    sums = tl.zeros([ROWS], tl.float32)
    for block in range(0, K // 32):
        at = w + (row * (K // 32) + block) * 34
        scale = tl.load(at.to(tl.pointer_type(tl.float16)), mask=inside, other=0.0).to(tl.float32)
        lane = tl.arange(0, 32)
        codes = tl.load(at[:, None] + 2 + lane[None, :], mask=inside[:, None], other=0)
        part = tl.sum(codes.to(tl.float32) * tl.load(x + block * 32 + lane)[None, :], axis=1)
        sums += scale * part
    tl.store(y + row, sums, mask=inside)
