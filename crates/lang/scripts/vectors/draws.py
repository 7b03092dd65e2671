"""Random ops, for given draws: what they give is a function like any other."""

import numpy as np

from common import Random, case, wide

SEEDS = [3, 4000000000, 5]


def uniform(rand, *shape):
    """Draws of 20 bits, never 0."""
    return (rand.whole(0, 1 << 19, *shape) * 2 + 1) / (1 << 20)


def dropout():
    rand = Random("dropout")
    for (r, d), p, seed in zip([(2, 5), (3, 3)], [0.25, 0.5], SEEDS):
        x, u = rand.real(r, d), uniform(rand, r, d)
        y = np.where(u < p, 0, wide(x) / (1 - wide(p)))
        case("dropout", {"R": r, "D": d}, {"p": p, "seed": seed}, {"x": x, "u": u}, {"y": y})


def drawn(z, u):
    """The place at which an exponential variate of rate exp(z) is the first: that of the largest z and noise."""
    return np.argmin(-np.log(wide(u)) * np.exp(-z), axis=1)


SHAPES = [(3, 5), (4, 7), (48, 16)]
TEMPERATURES = [1.0, 0.625, 2.5]


def rows(name):
    rand = Random(name)
    for (r, v), temperature, seed in zip(SHAPES, TEMPERATURES, SEEDS):
        logits, u = rand.real(r, v, scale=2.0), uniform(rand, r, v)
        yield {"R": r, "V": v}, {"temperature": temperature, "seed": seed}, {"logits": logits, "u": u}


def without(z, kept):
    return np.where(kept, z, -np.inf)


def categorical():
    for dims, scalars, inputs in rows("categorical"):
        z = wide(inputs["logits"]) / scalars["temperature"]
        case("categorical", dims, scalars, inputs, {"token": drawn(z, inputs["u"])})


def sample_top_k():
    for (dims, scalars, inputs), k in zip(rows("sample_top_k"), [2, 4, 6]):
        z = wide(inputs["logits"]) / scalars["temperature"]
        kept = z >= np.sort(z, axis=1)[:, -k, None]
        case("sample_top_k", dims, {"k": k, **scalars}, inputs, {"token": drawn(without(z, kept), inputs["u"])})


def sample_top_p():
    for (dims, scalars, inputs), top_p in zip(rows("sample_top_p"), [0.875, 0.5, 0.75]):
        z = wide(inputs["logits"]) / scalars["temperature"]
        p = np.exp(z) / np.exp(z).sum(axis=1, keepdims=True)
        kept = np.zeros(z.shape, bool)
        for row, of in zip(kept, p):
            order = np.argsort(-of)
            row[order[: 1 + np.count_nonzero(np.cumsum(of[order]) < top_p)]] = True
        case("sample_top_p", dims, {"top_p": top_p, **scalars}, inputs, {"token": drawn(without(z, kept), inputs["u"])})


def sample_min_p():
    for (dims, scalars, inputs), min_p in zip(rows("sample_min_p"), [0.0625, 0.25, 0.375]):
        z = wide(inputs["logits"]) / scalars["temperature"]
        p = np.exp(z) / np.exp(z).sum(axis=1, keepdims=True)
        kept = p >= min_p * p.max(axis=1, keepdims=True)
        case("sample_min_p", dims, {"min_p": min_p, **scalars}, inputs, {"token": drawn(without(z, kept), inputs["u"])})


def multinomial():
    rand = Random("multinomial")
    for (r, v), seed in zip(SHAPES, SEEDS):
        weights, u = rand.positive(r, v), uniform(rand, r)
        sums = np.cumsum(wide(weights), axis=1)
        index = [np.searchsorted(row, share * row[-1], side="right") for row, share in zip(sums, u)]
        case("multinomial", {"R": r, "V": v}, {"seed": seed}, {"weights": weights, "u": u}, {"index": np.array(index)})


def stochastic_round():
    rand = Random("stochastic_round")
    for n, seed in zip([9, 5], SEEDS):
        x, u = rand.real(n).astype(np.float32), rand.whole(0, 1 << 16, n)
        below = (x.view(np.uint32) // 65536) * 65536
        share = (x.view(np.uint32) - below) + u >= 65536
        y = (below + share.astype(np.uint32) * 65536).astype(np.uint32).view(np.float32)
        case("stochastic_round", {"N": n}, {"seed": seed}, {"x": x, "u": u}, {"y": y})


def normal():
    rand = Random("normal")
    for n, mu, sd, seed in [(6, 0.0, 1.0, 3), (4, -1.5, 2.25, 4)]:
        u, v = uniform(rand, n), uniform(rand, n)
        point = np.sqrt(-2 * np.log(wide(u))) * np.exp(2j * np.arccos(wide(-1)) * wide(v))
        case("normal", {"N": n}, {"mu": mu, "sd": sd, "seed": seed}, {"u": u, "v": v}, {"y": mu + sd * point.real})


def make():
    for family in [dropout, categorical, sample_top_k, sample_top_p, sample_min_p, multinomial]:
        family()
    stochastic_round()
    normal()
