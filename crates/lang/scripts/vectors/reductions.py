"""Sums, extremes, moments, running sums, counts and orders."""

import math

import numpy as np

from common import Random, case, wide


def spread(values):
    """Variance from the squares of all differences, which needs no mean."""
    values = wide(values)
    return ((values[:, None] - values[None, :]) ** 2).sum() / (2 * values.size**2)


FULL = {
    "sum": math.fsum,
    "mean": lambda x: math.fsum(x) / len(x),
    "max": lambda x: np.sort(x)[-1],
    "argmax": np.argmax,
    "variance": spread,
}

ROWS = {
    "row_sum": math.fsum,
    "row_mean": lambda x: math.fsum(x) / len(x),
    "row_max": lambda x: np.sort(x)[-1],
    "row_argmax": np.argmax,
    "row_variance": spread,
}


def full():
    for name, function in FULL.items():
        rand = Random(name)
        for n in [13, 40, 1]:
            x = rand.real(n)
            if n == 13:
                x[[4, 9]] = 3.5
            case(name, {"N": n}, {}, {"x": x}, {"y": np.asarray(function(x))})


def by_rows():
    for name, function in ROWS.items():
        rand = Random(name)
        for r, d in [(4, 9), (2, 17)]:
            x = rand.real(r, d)
            x[1, [2, 5]] = 3.5
            case(name, {"R": r, "D": d}, {}, {"x": x}, {"y": np.array([function(row) for row in x])})
    rand = Random("col_sum")
    for r, d in [(4, 3), (7, 2)]:
        x = rand.real(r, d)
        case("col_sum", {"R": r, "D": d}, {}, {"x": x}, {"y": np.ones(r) @ wide(x)})


def running():
    rand = Random("scan")
    for n in [9, 1, 20]:
        x = rand.real(n)
        sums = np.cumsum(wide(x))
        case("scan", {"N": n}, {}, {"x": x}, {"y": sums})
        case("scan_exclusive", {"N": n}, {}, {"x": x}, {"y": np.concatenate([[0], sums[:-1]])})
    for r, d in [(3, 5), (2, 8)]:
        x = rand.real(r, d)
        case("row_scan", {"R": r, "D": d}, {}, {"x": x}, {"y": wide(x) @ np.triu(np.ones((d, d)))})


def counts_and_orders():
    rand = Random("orders")
    for n, b in [(17, 5), (6, 9)]:
        x = rand.whole(0, b, n)
        case("histogram", {"N": n, "B": b}, {}, {"x": x}, {"y": np.bincount(x, minlength=b)})
    for n in [12, 1]:
        x = np.round(rand.real(n), 1)
        case("sort", {"N": n}, {}, {"x": x}, {"y": np.sort(x)})
        case("argsort", {"N": n}, {}, {"x": x}, {"idx": np.argsort(x, kind="stable")})
    for r, d, count in [(3, 9, 4), (2, 5, 5), (4, 7, 1)]:
        x = np.round(rand.real(r, d), 1)
        idx = np.argsort(-x, axis=1, kind="stable")[:, :count]
        outputs = {"y": np.take_along_axis(x, idx, axis=1), "idx": idx}
        case("topk", {"R": r, "D": d, "K": count}, {"count": count}, {"x": x}, outputs)


def of_unknown_length():
    rand = Random("compaction")
    for n, limit in [(9, 0.0), (1, -0.5), (16, 0.75)]:
        x = np.where(rand.real(n) > 0.6, 0.0, np.round(rand.real(n), 2))
        x[[0, n // 2]] = limit  # what is at the limit comes before and after what is above it
        kept, places = x[x > limit], np.flatnonzero(x)
        fill = lambda some: np.concatenate([some, np.zeros(n - len(some), some.dtype)])
        case("compact", {"N": n}, {"limit": limit}, {"x": x}, {"y": fill(kept), "count": np.array(len(kept))})
        case("nonzero", {"N": n}, {}, {"x": x}, {"at": fill(places), "count": np.array(len(places))})


def make():
    for family in [full, by_rows, running, counts_and_orders, of_unknown_length]:
        family()
