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
# fault: wrong class
# pattern: every wrong element is NaN
# Rows are taken to lie as far apart as they are wide, whatever their stride.
import triton
import triton.language as tl


@triton.jit
def rmsnorm(x, w, y, stride, width, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    lane = tl.arange(0, BLOCK)
    squares = tl.zeros([BLOCK], tl.float32)
    for start in range(0, width, BLOCK):
        value = tl.load(x + row * width + start + lane, mask=start + lane < width, other=0.0).to(tl.float32)
        squares += value * value
    scale = 1.0 / tl.sqrt(tl.sum(squares, axis=0) / width + eps)
    for start in range(0, width, BLOCK):
        column = start + lane
        inside = column < width
        value = tl.load(x + row * width + column, mask=inside).to(tl.float32)
        weight = tl.load(w + column, mask=inside).to(tl.float32)
        tl.store(y + row * width + column, value * scale * weight, mask=inside)
