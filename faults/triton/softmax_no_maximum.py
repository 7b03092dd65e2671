# --- ktwin
# op     = "softmax"
# args   = ["x", "y", { D = "i32" }]
# grid   = ["R", 1, 1]
# define = { BLOCK = "int(exp2(ceil(log2(D))))" }
# dims   = { D = "..=4096" }
# tile   = { D = [128, 512] }
# ---
# fault: wrong class
# pattern: matches the op with `x[r, d] - top[r]` read as `x[r, d]`
# The maximum is not taken away before exp.
import triton
import triton.language as tl


@triton.jit
def softmax(x, y, width, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    column = tl.arange(0, BLOCK)
    inside = column < width
    score = tl.load(x + row * width + column, mask=inside, other=float("-inf"))
    power = tl.exp(score)
    tl.store(y + row * width + column, power / tl.sum(power, axis=0), mask=inside)
