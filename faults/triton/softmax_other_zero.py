# --- ktwin
# op     = "softmax"
# args   = ["x", "y", { D = "i32" }]
# grid   = ["R", 1, 1]
# define = { BLOCK = 256 }
# tile   = { D = 256 }
# ---
# fault: wrong values
# pattern: matches the op with `sum[d](e[r, d])` read as `sum[d](e[r, d]) with zeros up to a multiple of 256`
# What is past the end of a row counts as 0, which is above every negative score, and adds to the sum.
import triton
import triton.language as tl


@triton.jit
def softmax(x, y, width, BLOCK: tl.constexpr):
    x += tl.program_id(0).to(tl.int64) * width
    y += tl.program_id(0).to(tl.int64) * width
    lane = tl.arange(0, BLOCK)
    top = tl.full((), float("-inf"), tl.float32)
    total = tl.full((), 0.0, tl.float32)
    for start in range(0, width, BLOCK):
        score = tl.load(x + start + lane, mask=start + lane < width, other=0.0)
        higher = tl.maximum(top, tl.max(score, axis=0))
        total = total * tl.exp(top - higher) + tl.sum(tl.exp(score - higher), axis=0)
        top = higher
    for start in range(0, width, BLOCK):
        inside = start + lane < width
        score = tl.load(x + start + lane, mask=inside)
        tl.store(y + start + lane, tl.exp(score - top) / total, mask=inside)
