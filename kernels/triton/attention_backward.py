# --- ktwin
# op      = "attention_backward"
# types   = { q = "bf16", k = "bf16", v = "bf16", dout = "bf16", dq = "bf16", dk = "bf16", dv = "bf16" }
# compute = "f32"
# round   = { p = "bf16", dz = "bf16" }
# define  = { QUERIES = 16, KEYS = 32, WIDTH = "D", CAUSAL = "causal", num_warps = 2 }
# tile    = { S = 16, T = 32 }
# dims    = { D = ["power of two", "16..=64"], H = "..=65535" }
# scratch = { lse = "f32[H * S]", delta = "f32[H * S]" }
#
# [[chain]]
# entry = "rows"
# args  = ["q", "k", "v", "dout", "lse", "delta", { H = "i32", G = "i32", S = "i32", T = "i32", scale = "f32" }]
# grid  = ["ceil(S / QUERIES)", "H", 1]
#
# [[chain]]
# entry = "of_keys"
# args  = ["q", "k", "v", "dout", "lse", "delta", "dk", "dv",
#          { H = "i32", G = "i32", S = "i32", T = "i32", scale = "f32" }]
# grid  = ["ceil(T / KEYS)", "G", 1]
#
# [[chain]]
# entry = "of_queries"
# args  = ["q", "k", "v", "dout", "lse", "delta", "dq",
#          { H = "i32", G = "i32", S = "i32", T = "i32", scale = "f32" }]
# grid  = ["ceil(S / QUERIES)", "H", 1]
# ---
# Flash attention, backwards, without atomics. The first kernel runs attention forwards and keeps of each row its
# log-sum-exp and delta, the product of the output and its gradient. The other two make the probabilities again from
# these, by blocks: one for each block of keys, whose group's heads it adds up, one for each block of queries. Queries
# past the last are zero, and so is all that they add.
import triton
import triton.language as tl


@triton.jit
def block(x, row, rows, d, WIDTH: tl.constexpr):
    return tl.load(x + row[:, None] * WIDTH + d[None, :], mask=(row < rows)[:, None], other=0.0)


@triton.jit
def sees(query, key, S, T, CAUSAL: tl.constexpr):
    seen = key < T
    if CAUSAL:
        seen = seen & (key <= query + (T - S))
    return seen


@triton.jit
def rows(q, k, v, dout, lse, delta, H, G, S, T, scale,
         QUERIES: tl.constexpr, KEYS: tl.constexpr, WIDTH: tl.constexpr, CAUSAL: tl.constexpr):
    head = tl.program_id(1)
    group = head // (H // G)
    query = tl.program_id(0) * QUERIES + tl.arange(0, QUERIES)
    d = tl.arange(0, WIDTH)
    mine = block(q + head * S * WIDTH, query, S, d, WIDTH)
    top = tl.full([QUERIES], float("-inf"), tl.float32)
    total = tl.zeros([QUERIES], tl.float32)
    out = tl.zeros([QUERIES, WIDTH], tl.float32)
    last = T
    if CAUSAL:
        last = min(T, (tl.program_id(0) + 1) * QUERIES + T - S)
    for start in range(0, last, KEYS):
        key = start + tl.arange(0, KEYS)
        score = tl.dot(mine, block(k + group * T * WIDTH, key, T, d, WIDTH).trans()) * scale
        score = tl.where(sees(query[:, None], key[None, :], S, T, CAUSAL), score, float("-inf"))
        higher = tl.maximum(top, tl.max(score, axis=1))
        power = tl.exp(score - higher[:, None])
        shrink = tl.exp(top - higher)
        total = total * shrink + tl.sum(power, axis=1)
        out = tl.dot(power.to(tl.bfloat16), block(v + group * T * WIDTH, key, T, d, WIDTH), out * shrink[:, None])
        top = higher
    along = tl.sum(out * block(dout + head * S * WIDTH, query, S, d, WIDTH), axis=1) / total
    tl.store(lse + head * S + query, top + tl.log(total), mask=query < S)
    tl.store(delta + head * S + query, along, mask=query < S)


@triton.jit
def of_keys(q, k, v, dout, lse, delta, dk, dv, H, G, S, T, scale,
            QUERIES: tl.constexpr, KEYS: tl.constexpr, WIDTH: tl.constexpr, CAUSAL: tl.constexpr):
    group = tl.program_id(1)
    key = tl.program_id(0) * KEYS + tl.arange(0, KEYS)
    d = tl.arange(0, WIDTH)
    keys = block(k + group * T * WIDTH, key, T, d, WIDTH)
    values = block(v + group * T * WIDTH, key, T, d, WIDTH)
    sum_k = tl.zeros([KEYS, WIDTH], tl.float32)
    sum_v = tl.zeros([KEYS, WIDTH], tl.float32)
    first = 0
    if CAUSAL:
        first = max(0, tl.program_id(0) * KEYS - (T - S)) // QUERIES * QUERIES
    for head in range(group * (H // G), (group + 1) * (H // G)):
        for start in range(first, S, QUERIES):
            query = start + tl.arange(0, QUERIES)
            asked = block(q + head * S * WIDTH, query, S, d, WIDTH)
            came = block(dout + head * S * WIDTH, query, S, d, WIDTH)
            whole = tl.load(lse + head * S + query, mask=query < S, other=0.0)
            along = tl.load(delta + head * S + query, mask=query < S, other=0.0)
            # keys by queries, so that both sums need no transposing
            score = tl.dot(keys, asked.trans()) * scale
            power = tl.exp(score - whole[None, :])
            power = tl.where(sees(query[None, :], key[:, None], S, T, CAUSAL), power, 0.0)
            sum_v = tl.dot(power.to(tl.bfloat16), came, sum_v)
            dz = power * (tl.dot(values, came.trans()) - along[None, :])
            sum_k = tl.dot(dz.to(tl.bfloat16), asked, sum_k)
    at = (group * T + key)[:, None] * WIDTH + d[None, :]
    tl.store(dk + at, (sum_k * scale).to(tl.bfloat16), mask=(key < T)[:, None])
    tl.store(dv + at, sum_v.to(tl.bfloat16), mask=(key < T)[:, None])


@triton.jit
def of_queries(q, k, v, dout, lse, delta, dq, H, G, S, T, scale,
               QUERIES: tl.constexpr, KEYS: tl.constexpr, WIDTH: tl.constexpr, CAUSAL: tl.constexpr):
    head = tl.program_id(1)
    group = head // (H // G)
    query = tl.program_id(0) * QUERIES + tl.arange(0, QUERIES)
    d = tl.arange(0, WIDTH)
    asked = block(q + head * S * WIDTH, query, S, d, WIDTH)
    came = block(dout + head * S * WIDTH, query, S, d, WIDTH)
    whole = tl.load(lse + head * S + query, mask=query < S, other=0.0)
    along = tl.load(delta + head * S + query, mask=query < S, other=0.0)
    sums = tl.zeros([QUERIES, WIDTH], tl.float32)
    last = T
    if CAUSAL:
        last = min(T, (tl.program_id(0) + 1) * QUERIES + T - S)
    for start in range(0, last, KEYS):
        key = start + tl.arange(0, KEYS)
        keys = block(k + group * T * WIDTH, key, T, d, WIDTH)
        values = block(v + group * T * WIDTH, key, T, d, WIDTH)
        score = tl.dot(asked, keys.trans()) * scale
        power = tl.exp(score - whole[:, None])
        power = tl.where(sees(query[:, None], key[None, :], S, T, CAUSAL), power, 0.0)
        dz = power * (tl.dot(came, values.trans()) - along[:, None])
        sums = tl.dot(dz.to(tl.bfloat16), keys, sums)
    at = (head * S + query)[:, None] * WIDTH + d[None, :]
    tl.store(dq + at, (sums * scale).to(tl.bfloat16), mask=(query < S)[:, None])
