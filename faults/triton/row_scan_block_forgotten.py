# --- ktwin
# op     = "row_scan"
# args   = ["x", "y", { D = "i32" }]
# grid   = ["R", 1, 1]
# define = { BLOCK = 256 }
# tile   = { D = 256 }
# ---
# fault: wrong values
# pattern: fails exactly when D >= 513
# What came before a block is only the block before it.
import triton
import triton.language as tl


@triton.jit
def row_scan(x, y, width, BLOCK: tl.constexpr):
    row = tl.program_id(0) * width
    before = tl.full([], 0.0, tl.float32)
    for start in range(0, width, BLOCK):
        at = start + tl.arange(0, BLOCK)
        value = tl.load(x + row + at, mask=at < width, other=0.0)
        tl.store(y + row + at, before + tl.cumsum(value, axis=0), mask=at < width)
        before = tl.sum(value, axis=0)
