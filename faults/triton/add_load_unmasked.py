# --- ktwin
# op     = "add"
# args   = ["a", "b", "c", { N = "i32" }]
# grid   = ["ceil(N / BLOCK)", 1, 1]
# define = { BLOCK = 128 }
# tile   = { N = [128, 1024] }
# ---
# fault: out of bounds
# pattern: fails exactly when N is not a multiple of 128
# The second vector is read past its end.
import triton
import triton.language as tl


@triton.jit
def add(a, b, c, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < n
    sums = tl.load(a + at, mask=inside) + tl.load(b + at)
    tl.store(c + at, sums, mask=inside)
