# --- ktwin
# op     = "dropout"
# args   = ["x", "y", { "R * D" = "i32", p = "f32", seed = "u32" }]
# grid   = ["ceil(R * D / BLOCK)", 1, 1]
# define = { BLOCK = 1024, num_warps = 4 }
# tile   = { D = 1024 }
# ---
# fault: wrong law
# pattern: none
# A program draws once for all of its elements.
import triton
import triton.language as tl


@triton.jit
def dropout(x, y, count, p, seed, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < count
    kept = tl.rand(seed, tl.program_id(0)) >= p
    value = tl.load(x + at, mask=inside)
    tl.store(y + at, tl.where(kept, value / (1.0 - p), 0.0), mask=inside)
