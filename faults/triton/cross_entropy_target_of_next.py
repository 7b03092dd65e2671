# --- ktwin
# op     = "cross_entropy"
# args   = ["x", "target", "loss", { V = "i32" }]
# grid   = ["T", 1, 1]
# types  = { target = "i64" }
# define = { BLOCK = 256 }
# tile   = { V = 256 }
# ---
# fault: out of bounds
# pattern: none
# The score of the class after the right one is taken.
import triton
import triton.language as tl


@triton.jit
def cross_entropy(x, target, loss, classes, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    x += row * classes
    lane = tl.arange(0, BLOCK)
    top = tl.full([], float("-inf"), tl.float32)
    total = tl.full([], 0.0, tl.float32)
    for start in range(0, classes, BLOCK):
        score = tl.load(x + start + lane, mask=start + lane < classes, other=float("-inf"))
        higher = tl.maximum(top, tl.max(score, axis=0))
        total = total * tl.exp(top - higher) + tl.sum(tl.exp(score - higher), axis=0)
        top = higher
    right = tl.load(x + tl.load(target + row) + 1)
    tl.store(loss + row, tl.log(total) - (right - top))
