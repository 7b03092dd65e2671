# --- ktwin
# op     = "add"
# args   = ["a", "b", "c", { N = "i32" }]
# grid   = ["ceil(N / BLOCK)", 1, 1]
# define = [{ BLOCK = 128, num_warps = 4 }, { BLOCK = 1024, num_warps = 8 }]
# tile   = { N = [128, 1024] }
# ---
# fault: unwritten elements
# pattern: every wrong element was never written
# A block of 1024 is begun every 1024 elements, and only its first 512 are stored: right with the first set of constants.
import triton
import triton.language as tl


@triton.jit
def add(a, b, c, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < n
    sums = tl.load(a + at, mask=inside) + tl.load(b + at, mask=inside)
    tl.store(c + at, sums, mask=inside & (at % BLOCK < 512))
