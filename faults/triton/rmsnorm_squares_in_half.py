# --- ktwin
# op      = "rmsnorm"
# types   = { x = "f16", w = "f16", y = "f16" }
# compute = "f32"
# args    = ["x", "w", "y", { "x.stride0" = "i32", D = "i32", eps = "f32" }]
# grid    = ["R", 1, 1]
# define  = { BLOCK = 256 }
# tile    = { D = [256, 1024] }
# layout  = { x = "strided" }
# ---
# fault: wrong values
# pattern: y[r, d] stays the same whatever x[r, d] is: its own element is left out
# Squares are added in f16.
import triton
import triton.language as tl


@triton.jit
def rmsnorm(x, w, y, stride, width, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    lane = tl.arange(0, BLOCK)
    squares = tl.zeros([BLOCK], tl.float16)
    for start in range(0, width, BLOCK):
        value = tl.load(x + row * stride + start + lane, mask=start + lane < width, other=0.0)
        squares += value * value
    scale = 1.0 / tl.sqrt(tl.sum(squares.to(tl.float32), axis=0) / width + eps)
    for start in range(0, width, BLOCK):
        column = start + lane
        inside = column < width
        value = tl.load(x + row * stride + column, mask=inside).to(tl.float32)
        weight = tl.load(w + column, mask=inside).to(tl.float32)
        tl.store(y + row * width + column, value * scale * weight, mask=inside)
