# --- ktwin
# op     = "layernorm"
# args   = ["x", "w", "b", "y", { D = "i32", eps = "f32" }]
# grid   = ["R", 1, 1]
# define = { BLOCK = 256 }
# tile   = { D = 256 }
# ---
# fault: wrong values
# pattern: matches the op with `sum[d]((x[r, d] - mu[r])^2)` read as `sum[d]((x[r, d] - mu[r])^2) with zeros up to a multiple of 256`
# Lanes past the end of the row add the square of the mean.
import triton
import triton.language as tl


@triton.jit
def layernorm(x, w, b, y, width, eps, BLOCK: tl.constexpr):
    x += tl.program_id(0) * width
    y += tl.program_id(0) * width
    lane = tl.arange(0, BLOCK)
    sums = tl.zeros([BLOCK], tl.float32)
    for start in range(0, width, BLOCK):
        sums += tl.load(x + start + lane, mask=start + lane < width, other=0.0)
    mean = tl.sum(sums, axis=0) / width
    squares = tl.zeros([BLOCK], tl.float32)
    for start in range(0, width, BLOCK):
        inside = start + lane < width
        apart = tl.load(x + start + lane, mask=inside, other=0.0) - mean
        squares += apart * apart
    scale = 1.0 / tl.sqrt(tl.sum(squares, axis=0) / width + eps)
    for start in range(0, width, BLOCK):
        column = start + lane
        inside = column < width
        value = (tl.load(x + column, mask=inside) - mean) * scale
        value = value * tl.load(w + column, mask=inside) + tl.load(b + column, mask=inside)
        tl.store(y + column, value, mask=inside)
