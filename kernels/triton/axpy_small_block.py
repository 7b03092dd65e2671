# --- ktwin
# op     = "axpy"
# args   = ["x", "y", { N = "i32", alpha = "f32" }]
# grid   = ["ceil(N / 64)", 1, 1]
# define = { BLOCK = 64, num_warps = 4 }
# tile   = { N = 64 }
# ---
# In place, by twice as many lanes as a block has elements: half of them hold copies, which are loaded and never stored.
import triton
import triton.language as tl


@triton.jit
def axpy(x, y, n, alpha, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < n
    own = tl.load(y + at, mask=inside)
    tl.store(y + at, own + alpha * tl.load(x + at, mask=inside), mask=inside)
