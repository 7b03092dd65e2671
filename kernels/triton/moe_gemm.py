# --- ktwin
# op      = "moe_gemm"
# types   = { x = "f16", w = "f16", expert = "i32" }
# compute = "f32"
# args    = ["x", "w", "expert", "y", { D = "i32", F = "i32" }]
# grid    = ["T", "ceil(F / WIDE)", 1]
# define  = { WIDE = 32, DEEP = 64 }
# tile    = { F = 32, D = 64 }
# dims    = { F = "..=2097120" }
# ---
# A program takes 32 results of one row, with the matrix of the row's expert.
import triton
import triton.language as tl


@triton.jit
def moe_gemm(x, w, expert, y, D, F, WIDE: tl.constexpr, DEEP: tl.constexpr):
    row = tl.program_id(0)
    f = tl.program_id(1) * WIDE + tl.arange(0, WIDE)
    which = tl.load(expert + row)
    sums = tl.zeros([WIDE], tl.float32)
    for start in range(0, D, DEEP):
        d = start + tl.arange(0, DEEP)
        value = tl.load(x + row * D + d, mask=d < D, other=0.0).to(tl.float32)
        weight = tl.load(w + (which * F + f)[:, None] * D + d[None, :],
                         mask=(f < F)[:, None] & (d < D)[None, :], other=0.0).to(tl.float32)
        sums += tl.sum(weight * value[None, :], axis=1)
    tl.store(y + row * F + f, sums, mask=f < F)
