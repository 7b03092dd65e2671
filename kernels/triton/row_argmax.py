# --- ktwin
# op     = "row_argmax"
# args   = ["x", "y", { D = "i32" }]
# types  = { y = "i32" }
# grid   = ["R", 1, 1]
# define = { BLOCK = "max(int(exp2(ceil(log2(D)))), 2)" }
# dims   = { D = "..=4096" }
# tile   = { D = 128 }
# ---
# The first of the largest, by Triton's own reduction.
import triton
import triton.language as tl


@triton.jit
def row_argmax(x, y, width, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    value = tl.load(x + row * width + at, mask=at < width, other=float("-inf"))
    tl.store(y + row, tl.argmax(value, axis=0, tie_break_left=True))
