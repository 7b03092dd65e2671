# --- ktwin
# op      = "sum"
# tile    = { N = [256, 1024] }
# define  = { BLOCK = 1024 }
# scratch = { parts = "f32[ceil(N / 1024)]" }
# chain   = [
#     { entry = "parts_of", args = ["x", "parts", { N = "i32" }], grid = ["ceil(N / 1024)", 1, 1] },
#     { entry = "whole", args = ["parts", "y", { "ceil(N / 1024)" = "i32" }], grid = [1, 1, 1] },
# ]
# ---
# Two kernels: a sum for every 1024 elements, then the sum of those.
import triton
import triton.language as tl


@triton.jit
def parts_of(x, parts, count, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(parts + tl.program_id(0), tl.sum(tl.load(x + at, mask=at < count, other=0.0), axis=0))


@triton.jit
def whole(parts, y, count, BLOCK: tl.constexpr):
    sums = tl.zeros([BLOCK], tl.float32)
    for start in range(0, count, BLOCK):
        at = start + tl.arange(0, BLOCK)
        sums += tl.load(parts + at, mask=at < count, other=0.0)
    tl.store(y, tl.sum(sums, axis=0))
