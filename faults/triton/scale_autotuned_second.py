# --- ktwin
# op   = "scale"
# args = ["x", "y", { alpha = "f32", N = "i32" }]
# grid = ["ceil(N / BLOCK)", 1, 1]
# tile = { N = [128, 256] }
# ---
"""Half of each block is stored in the second of the configurations that autotuning may choose."""
# fault: unwritten elements
# pattern: every wrong element was never written
import triton
import triton.language as tl

CONFIGS = [
    triton.Config({"BLOCK": 128, "STORED": 128}, num_warps=4, num_stages=2),
    triton.Config({"BLOCK": 256, "STORED": 128}, num_warps=4, num_stages=2),
]


@triton.autotune(configs=CONFIGS, key=["n"])
@triton.jit
def scale(x, y, alpha, n, BLOCK: tl.constexpr, STORED: tl.constexpr):
    lane = tl.arange(0, BLOCK)
    at = tl.program_id(0) * BLOCK + lane
    inside = at < n
    tl.store(y + at, alpha * tl.load(x + at, mask=inside), mask=inside & (lane < STORED))
