# --- ktwin
# op      = "attention"
# types   = { q = "f16", k = "f16", v = "f16", o = "f16" }
# compute = "f32"
# round   = { p = "f16" }
# args    = ["q", "k", "v", "o", { H = "i32", G = "i32", S = "i32", T = "i32", scale = "f32" }]
# grid    = ["ceil(S / QUERIES)", "H", 1]
# define  = { QUERIES = 16, KEYS = 32, WIDTH = "D", CAUSAL = "causal", num_warps = 2 }
# tile    = { S = 16, T = 32 }
# dims    = { D = ["power of two", "16..=64"], H = "..=65535" }
# ---
# fault: wrong values
# pattern: matches the op with `sum[t](p[h, s, t])` read as `sum[t](p[h, s, t]) with zeros up to a multiple of 32`
# Keys past the last count as zeros.
import triton
import triton.language as tl


@triton.jit
def attention(q, k, v, o, H, G, S, T, scale,
              QUERIES: tl.constexpr, KEYS: tl.constexpr, WIDTH: tl.constexpr, CAUSAL: tl.constexpr):
    head = tl.program_id(1)
    group = head // (H // G)
    query = tl.program_id(0) * QUERIES + tl.arange(0, QUERIES)
    d = tl.arange(0, WIDTH)
    rows = (query < S)[:, None]
    mine = tl.load(q + (head * S + query)[:, None] * WIDTH + d[None, :], mask=rows, other=0.0)
    top = tl.full([QUERIES], float("-inf"), tl.float32)
    total = tl.zeros([QUERIES], tl.float32)
    out = tl.zeros([QUERIES, WIDTH], tl.float32)
    last = T
    if CAUSAL:
        last = min(T, (tl.program_id(0) + 1) * QUERIES + T - S)
    for start in range(0, last, KEYS):
        key = start + tl.arange(0, KEYS)
        there = (key < T)[:, None]
        keys = tl.load(k + (group * T + key)[:, None] * WIDTH + d[None, :], mask=there, other=0.0)
        score = tl.dot(mine, keys.trans()) * scale
        seen = (key < T + KEYS)[None, :]
        if CAUSAL:
            seen = seen & (key[None, :] <= query[:, None] + (T - S))
        score = tl.where(seen, score, float("-inf"))
        higher = tl.maximum(top, tl.max(score, axis=1))
        power = tl.exp(score - higher[:, None])
        shrink = tl.exp(top - higher)
        total = total * shrink + tl.sum(power, axis=1)
        values = tl.load(v + (group * T + key)[:, None] * WIDTH + d[None, :], mask=there, other=0.0)
        out = tl.dot(power.to(tl.float16), values, out * shrink[:, None])
        top = higher
    tl.store(o + (head * S + query)[:, None] * WIDTH + d[None, :], (out / total[:, None]).to(tl.float16), mask=rows)
