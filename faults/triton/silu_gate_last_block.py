# --- ktwin
# op      = "silu_gate"
# types   = { g = "bf16", u = "bf16", y = "bf16" }
# compute = "f32"
# args    = ["g", "u", "y", { N = "i32" }]
# grid    = ["max(N // BLOCK, 1)", 1, 1]
# define  = { BLOCK = 512 }
# tile    = { N = 512 }
# ---
# fault: unwritten elements
# pattern: every wrong element was never written
# The grid leaves the last block out where it is not full.
import triton
import triton.language as tl


@triton.jit
def silu(x):
    return x * tl.sigmoid(x)


@triton.jit
def silu_gate(g, u, y, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < n
    gate = tl.load(g + at, mask=inside).to(tl.float32)
    up = tl.load(u + at, mask=inside).to(tl.float32)
    tl.store(y + at, (silu(gate) * up).to(tl.bfloat16), mask=inside)
