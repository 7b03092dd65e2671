# --- ktwin
# op   = "scale"
# args = ["x", "y", { alpha = "f32", N = "i32" }]
# grid = ["ceil(N / BLOCK)", 1, 1]
# tile = { N = [128, 1024] }
# ---
"""Scales a vector; each configuration that autotuning may choose is tested."""
import triton
import triton.language as tl


@triton.autotune(
    configs=[
        triton.Config({"BLOCK": 128}, num_warps=4),
        triton.Config({"BLOCK": 1024}, num_warps=8),
    ],
    key=["n"],
)
@triton.jit
def scale(x, y, alpha, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < n
    tl.store(y + at, alpha * tl.load(x + at, mask=inside), mask=inside)
