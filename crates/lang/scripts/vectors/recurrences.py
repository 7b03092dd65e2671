"""What is computed step by step, and what runs along a row: filters, states, triangular systems."""

import numpy as np

from common import Random, Wide, case, wide

WORD = 1 << 32


def states():
    """In closed form: what came in at each step, times all decays since."""
    rand = Random("linear_recurrence")
    for t, d in [(6, 3), (9, 1)]:
        a, b, h0 = rand.real(t, d), rand.real(t, d), rand.real(d)
        h = np.empty((t, d), Wide)
        for at in range(t):
            kept = [np.prod(wide(a[s + 1 : at + 1]), axis=0) * wide(b[s]) for s in range(at + 1)]
            h[at] = np.sum(kept, axis=0) + np.prod(wide(a[: at + 1]), axis=0) * wide(h0)
        case("linear_recurrence", {"T": t, "D": d}, {}, {"a": a, "b": b, "h0": h0}, {"h": h})


def filters():
    rand = Random("filters")
    for r, n, alpha in [(2, 9, 0.125), (3, 5, 0.75)]:
        x = rand.real(r, n)
        weights = Wide(alpha) * (1 - Wide(alpha)) ** np.arange(n)
        y = np.empty((r, n), Wide)
        for row in range(r):
            first = (1 - Wide(alpha)) ** np.arange(n) * (1 - Wide(alpha)) * wide(x[row, 0])
            y[row] = np.convolve(wide(x[row]), weights)[:n] + first
        case("ema", {"R": r, "N": n}, {"alpha": alpha}, {"x": x}, {"y": y})
    for r, n, b0, b1, a1 in [(2, 8, 0.25, 0.25, -0.5), (1, 11, 1.0, -1.0, 0.75)]:
        x = rand.real(r, n)
        answer = np.zeros(n, Wide)
        for k in range(n):
            answer[k] = Wide(b0) * (-Wide(a1)) ** k + (Wide(b1) * (-Wide(a1)) ** (k - 1) if k else 0)
        y = np.array([np.convolve(wide(row), answer)[:n] for row in x])
        case("iir", {"R": r, "N": n}, {"b0": b0, "b1": b1, "a1": a1}, {"x": x}, {"y": y})


def running():
    rand = Random("running")
    for r, d in [(3, 7), (2, 4)]:
        x = rand.real(r, d)
        case("cummax", {"R": r, "D": d}, {}, {"x": x}, {"y": np.maximum.accumulate(x, axis=1)})
        case("cumprod", {"R": r, "D": d}, {}, {"x": x}, {"y": np.cumprod(wide(x), axis=1)})


def scans():
    rand = Random("selective_scan")
    for t, d, n in [(5, 3, 2), (4, 2, 4)]:
        x, b, c, skip = rand.real(t, d), rand.real(t, n), rand.real(t, n), rand.real(d)
        dt, a = rand.positive(t, d), -rand.positive(d, n)
        total = np.cumsum(wide(dt), axis=0)
        y = wide(skip) * wide(x)
        for at in range(t):
            for s in range(at + 1):
                decay = np.exp((total[at] - total[s])[:, None] * wide(a))
                came = (wide(dt[s]) * wide(x[s]))[:, None] * wide(b[s])
                y[at] += (decay * came) @ wide(c[at])
        inputs = {"x": x, "dt": dt, "a": a, "b": b, "c": c, "skip": skip}
        case("selective_scan", {"T": t, "D": d, "N": n}, {}, inputs, {"y": y})


def attention_states():
    rand = Random("wkv6")
    for t, h, k, v in [(5, 2, 3, 2), (3, 1, 2, 4)]:
        r, key, value, u = rand.real(t, h, k), rand.real(t, h, k), rand.real(t, h, v), rand.real(h, k)
        w = np.round(rand.state.uniform(0.1, 0.9, (t, h, k)), 3)
        y = np.zeros((t, h, v), Wide)
        for at in range(t):
            for s in range(at + 1):
                weight = np.prod(wide(w[s + 1 : at]), axis=0) if s < at else wide(u)
                y[at] += (wide(r[at]) * weight * wide(key[s])).sum(axis=1)[:, None] * wide(value[s])
        inputs = {"r": r, "k": key, "v": value, "w": w, "u": u}
        case("wkv6", {"T": t, "H": h, "K": k, "V": v}, {}, inputs, {"y": y})
    rand = Random("gated_delta")
    for t, k, v in [(5, 3, 2), (4, 2, 4)]:
        q, key, value = rand.real(t, k), rand.real(t, k), rand.real(t, v)
        alpha, beta = np.round(rand.state.uniform(0.1, 0.9, (2, t)), 3)
        state, o = np.zeros((k, v), Wide), []
        for at in range(t):
            along = np.outer(wide(key[at]), wide(key[at]))
            change = wide(alpha[at]) * (np.eye(k) - wide(beta[at]) * along)
            state = change @ state + wide(beta[at]) * np.outer(wide(key[at]), wide(value[at]))
            o.append(wide(q[at]) @ state)
        inputs = {"q": q, "k": key, "v": value, "alpha": alpha, "beta": beta}
        case("gated_delta", {"T": t, "K": k, "V": v}, {}, inputs, {"o": np.array(o)})


def inverse(lower):
    """Of a lower triangular matrix, by its diagonal and the powers of what is below it."""
    n = len(lower)
    diagonal = np.diag(1 / np.diag(wide(lower)))
    below = -diagonal @ np.tril(wide(lower), -1)
    power, total = np.eye(n, dtype=Wide), np.eye(n, dtype=Wide)
    for _ in range(n - 1):
        power = power @ below
        total = total + power
    return total @ diagonal


def triangles():
    rand = Random("triangles")
    for n, m in [(5, 2), (3, 1)]:
        l, b = rand.real(n, n), rand.real(n, m)
        l[np.arange(n), np.arange(n)] = rand.positive(n)
        x = inverse(l) @ wide(b)
        case("tri_solve", {"N": n, "M": m}, {}, {"l": l, "b": b}, {"x": x})


def philox_block(counter, key):
    c, k = [int(v) for v in counter], [int(v) for v in key]
    for _ in range(10):
        first, second = 0xD2511F53 * c[0], 0xCD9E8D57 * c[2]
        c = [second // WORD ^ c[1] ^ k[0], second % WORD, first // WORD ^ c[3] ^ k[1], first % WORD]
        k = [(k[0] + 0x9E3779B9) % WORD, (k[1] + 0xBB67AE85) % WORD]
    return c


def philox():
    """The three blocks that its authors publish are among the cases."""
    known = [
        ([0] * 4, [0] * 2, [0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8]),
        ([WORD - 1] * 4, [WORD - 1] * 2, [0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD]),
    ]
    rand = Random("philox")
    for counter, key, block in known:
        assert philox_block(counter, key) == block
        counters = np.vstack([[counter], rand.whole(0, WORD, 2, 4)])
        y = np.array([philox_block(c, key) for c in counters])
        inputs = {"counter": counters, "key": np.array(key)}
        case("philox", {"N": 3}, {}, inputs, {"y": y})
    counters, key = rand.whole(0, WORD, 1, 4), rand.whole(0, WORD, 2)
    y = np.array([philox_block(c, key) for c in counters])
    case("philox", {"N": 1}, {}, {"counter": counters, "key": key}, {"y": y})


def make():
    for family in [states, filters, running, scans, attention_states, triangles, philox]:
        family()
