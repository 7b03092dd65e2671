# --- ktwin
# op     = "gelu_erf"
# args   = ["x", "y", { N = "i32" }]
# grid   = ["ceil(N / BLOCK)", 1, 1]
# define = { BLOCK = 256 }
# tile   = { N = 256 }
# ---
# The exact form, with erf of CUDA's library.
import triton
import triton.language as tl


@triton.jit
def gelu(x, y, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    value = tl.load(x + at, mask=at < n)
    tl.store(y + at, 0.5 * value * (1.0 + tl.erf(value * 0.7071067811865476)), mask=at < n)
