"""Attention in its forms, rotary positions, and what is done to key-value caches."""

import numpy as np

from common import Random, Wide, case, gradients, softmax, wide


def attend(q, k, v, scale, causal):
    """One query head at a time, one query at a time, over the keys it sees and no others."""
    h, s, d = q.shape
    share, t = h // k.shape[0], k.shape[1]
    out = np.empty((h, s, d), np.result_type(q, k, v))
    for head in range(h):
        keys, values = k[head // share], v[head // share]
        for query in range(s):
            seen = t - s + query + 1 if causal else t
            weights = softmax(scale * (keys[:seen] @ q[head, query]))
            out[head, query] = weights @ values[:seen]
    return out


SHAPES = [  # H, G, S, T, D, scale, causal
    (4, 2, 3, 5, 7, 0.5, True),
    (3, 1, 1, 6, 4, 0.25, True),
    (2, 2, 4, 4, 3, 1.5, True),
    (6, 3, 2, 5, 8, -0.3, False),
    (2, 1, 3, 3, 4, 400.0, True),  # exp of these scores overflows float64
]


def attention():
    rand = Random("attention")
    for h, g, s, t, d, scale, causal in SHAPES:
        q, k, v = rand.real(h, s, d), rand.real(g, t, d), rand.real(g, t, d)
        o = attend(wide(q), wide(k), wide(v), Wide(scale), causal)
        dims = {"H": h, "G": g, "S": s, "T": t, "D": d}
        case("attention", dims, {"scale": scale, "causal": causal}, {"q": q, "k": k, "v": v}, {"o": o})


def attention_kv():
    rand = Random("attention_kv")
    for h, g, s, length, d, scale, causal in SHAPES:
        t = length + 3
        q, k, v = rand.real(h, s, d), rand.real(g, t, d), rand.real(g, t, d)
        k[:, length:], v[:, length:] = np.nan, np.inf
        o = attend(wide(q), wide(k[:, :length]), wide(v[:, :length]), Wide(scale), causal)
        dims = {"H": h, "G": g, "S": s, "T": t, "D": d}
        scalars = {"len": length, "scale": scale, "causal": causal}
        case("attention_kv", dims, scalars, {"q": q, "k": k, "v": v}, {"o": o})


def attention_paged():
    rand = Random("attention_paged")
    shapes = [(3, 4, 2, 5, 7, 3, 2, 0.4), (2, 3, 3, 4, 5, 1, 6, 0.9), (1, 2, 1, 3, 2, 4, 2, -3000.0)]
    for n, h, g, d, u, b, l, scale in shapes:
        q, k, v = rand.real(n, h, d), rand.real(u, b, g, d), rand.real(u, b, g, d)
        table, length = rand.whole(0, u, n, l), rand.whole(1, l * b + 1, n)
        if n == 1:  # its second page is filled up to position 1 only
            table, length = np.array([[1, 0]]), np.array([6])
            k[0, 2:], v[0, 2:] = np.inf, np.nan
        o = []
        for seq in range(n):
            keys, values = (np.concatenate(list(cache[table[seq]]))[: length[seq]] for cache in (k, v))
            keys, values = wide(keys).transpose(1, 0, 2), wide(values).transpose(1, 0, 2)
            o.append(attend(wide(q[seq])[:, None], keys, values, Wide(scale), False)[:, 0])
        dims = {"N": n, "H": h, "D": d, "U": u, "B": b, "G": g, "L": l}
        inputs = {"q": q, "k": k, "v": v, "table": table, "len": length}
        case("attention_paged", dims, {"scale": scale}, inputs, {"o": np.array(o)})


def attention_backward():
    rand = Random("attention_backward")
    shapes = [(4, 2, 2, 3, 5, 0.5, True), (2, 1, 3, 4, 2, 0.8, False), (2, 2, 1, 3, 4, 1.0, True)]
    for h, g, s, t, d, scale, causal in shapes:
        q, k, v, dout = rand.real(h, s, d), rand.real(g, t, d), rand.real(g, t, d), rand.real(h, s, d)
        if s == 1:  # every score is near 400, and exp of twice that overflows float64
            q[..., 0], k[..., 0] = 20.0, 20.0
        carried = gradients(lambda q, k, v: [attend(q, k, v, Wide(scale), causal)], [q, k, v], [dout])
        dims = {"H": h, "G": g, "S": s, "T": t, "D": d}
        inputs = {"q": q, "k": k, "v": v, "dout": dout}
        scalars = {"scale": scale, "causal": causal}
        case("attention_backward", dims, scalars, inputs, dict(zip(["dq", "dk", "dv"], carried)))


def turned(points, t, d, pos, base):
    """Complex points [T, H, D/2] turned by the angle of their position and place."""
    place = np.arange(0, d, 2, dtype=Wide) / d
    angle = np.outer(pos + np.arange(t, dtype=Wide), Wide(base) ** -place)
    return points * np.exp(1j * angle)[:, None, :]


def rope():
    for name in ["rope", "rope_neox"]:
        rand = Random(name)
        for t, h, d, pos, base in [(3, 2, 8, 0, 10000.0), (2, 3, 6, 17, 500.0), (1, 1, 10, 1023, 5e4)]:
            x = rand.real(t, h, d)
            y = np.empty((t, h, d), Wide)
            near, far = np.s_[..., 0::2], np.s_[..., 1::2]
            if name == "rope_neox":
                near, far = np.s_[..., : d // 2], np.s_[..., d // 2 :]
            points = turned(wide(x[near]) + 1j * wide(x[far]), t, d, pos, base)
            y[near], y[far] = points.real, points.imag
            case(name, {"T": t, "H": h, "D": d}, {"pos": pos, "base": base}, {"x": x}, {"y": y})


def caches():
    rand = Random("cache")
    for t, s, d, pos in [(7, 2, 3, 4), (5, 3, 4, 0), (6, 2, 5, 4)]:
        cache, x = rand.real(t, d), rand.real(s, d)
        after = np.vstack([cache[:pos], x, cache[pos + s :]])
        case("kv_write", {"T": t, "D": d, "S": s}, {"pos": pos}, {"cache": cache, "x": x}, {"cache": after})
    for t, d, keep, drop in [(7, 3, 2, 1), (9, 2, 0, 4), (5, 4, 3, 2)]:
        cache = rand.real(t, d)
        after = np.vstack([np.delete(cache, np.s_[keep : keep + drop], axis=0), cache[t - drop :]])
        case("kv_shift", {"T": t, "D": d}, {"keep": keep, "drop": drop}, {"cache": cache}, {"cache": after})


def make():
    for family in [attention, attention_kv, attention_paged, attention_backward, rope, caches]:
        family()
