# --- ktwin
# op     = "histogram"
# args   = ["x", "y", { N = "i32" }]
# types  = { x = "i32", y = "i32" }
# grid   = ["ceil(N / BLOCK)", 1, 1]
# define = { BLOCK = 256 }
# tile   = { N = 256 }
# fill   = { y = 0 }
# ---
# fault: wrong values
# pattern: every wrong element is 1
# Counts are read and written without atomics.
import triton
import triton.language as tl


@triton.jit
def histogram(x, y, count, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    value = tl.load(x + at, mask=at < count, other=0)
    tl.store(y + value, tl.load(y + value, mask=at < count) + 1, mask=at < count)
