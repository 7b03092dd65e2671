"""What only moves numbers: lookups, copies, layouts, borders."""

import numpy as np

from common import Random, case


def lookups():
    rand = Random("lookups")
    for t, v, d in [(5, 4, 3), (2, 7, 6)]:
        ids, table = rand.whole(0, v, t), rand.real(v, d)
        dims = {"T": t, "V": v, "D": d}
        case("embedding", dims, {}, {"ids": ids, "table": table}, {"y": np.take(table, ids, axis=0)})
        dy, dtable = rand.real(t, d), np.zeros((v, d), np.longdouble)
        np.add.at(dtable, ids, dy)
        case("embedding_backward", dims, {}, {"ids": ids, "dy": dy}, {"dtable": dtable})
    for r, d, k in [(3, 5, 4), (2, 3, 7)]:
        x, idx = rand.real(r, d), rand.whole(0, d, r, k)
        y = np.take_along_axis(x, idx, axis=1)
        case("gather", {"R": r, "D": d, "K": k}, {}, {"x": x, "idx": idx}, {"y": y})


def layouts():
    rand = Random("layouts")
    for m, n, e in [(3, 5, 2), (4, 2, 7)]:
        x, other = rand.real(m, n), rand.real(m, e)
        case("transpose", {"M": m, "N": n}, {}, {"x": x}, {"y": x.T})
        joined = np.concatenate([x, other], axis=1)
        case("concat", {"R": m, "D": n, "E": e, "F": n + e}, {}, {"a": x, "b": other}, {"c": joined})
    for r, k in [(2, 64), (3, 32)]:
        x = rand.real(r, k)
        case("quantise", {"R": r, "K": k}, {}, {"x": x}, {"y": x})
        case("dequantise", {"R": r, "K": k}, {}, {"x": x}, {"y": x})


def borders():
    rand = Random("borders")
    for h, w, (top, bottom, left, right), value in [(3, 4, (2, 0, 1, 3), -1.5), (2, 5, (0, 1, 0, 0), 0.0)]:
        x = rand.real(h, w)
        y = np.pad(x, ((top, bottom), (left, right)), constant_values=value)
        scalars = {"top": top, "bottom": bottom, "left": left, "right": right, "value": value}
        case("pad", {"H": h, "W": w, "P": y.shape[0], "Q": y.shape[1]}, scalars, {"x": x}, {"y": y})
    for c, h, w, factor in [(2, 3, 4, 3), (3, 1, 5, 2)]:
        x = rand.real(c, h, w)
        y = np.kron(x, np.ones((1, factor, factor)))
        dims = {"C": c, "H": h, "W": w, "P": factor * h, "Q": factor * w}
        case("upsample", dims, {"factor": factor}, {"x": x}, {"y": y})


def make():
    for family in [lookups, layouts, borders]:
        family()
