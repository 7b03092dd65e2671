# --- ktwin
# op     = "row_argmax"
# args   = ["x", "y", { D = "i32" }]
# types  = { y = "i32" }
# grid   = ["R", 1, 1]
# define = { BLOCK = "max(int(exp2(ceil(log2(D)))), 2)" }
# dims   = { D = "..=4096" }
# tile   = { D = 128 }
# ---
# fault: wrong values
# pattern: matches the op with `argmax[d](x[r, d])` read as `the last of equals of argmax[d](x[r, d])`
# Of equals the last is taken.
import triton
import triton.language as tl


@triton.jit
def row_argmax(x, y, width, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    value = tl.load(x + row * width + at, mask=at < width, other=float("-inf"))
    tl.store(y + row, BLOCK - 1 - tl.argmax(tl.flip(value, 0), axis=0, tie_break_left=True))
