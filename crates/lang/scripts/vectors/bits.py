"""Integers of a given width: hashes, packed weights and flags."""

import numpy as np

from common import Random, Wide, case, wide

WORD = 1 << 32


def pcg():
    rand = Random("pcg")
    for n in [9, 4]:
        x = rand.whole(0, WORD, n)
        x[0] = WORD - 1
        word = x.astype(np.uint32) * np.uint32(747796405) + np.uint32(2891336453)
        word = ((word >> ((word >> np.uint32(28)) + np.uint32(4))) ^ word) * np.uint32(277803737)
        case("pcg", {"N": n}, {}, {"x": x}, {"y": (word >> np.uint32(22)) ^ word})


def pack_bits():
    rand = Random("pack_bits")
    for n in [70, 32, 5]:
        x = rand.whole(0, 2, n)
        room = np.zeros(-(-n // 32) * 32, np.uint8)
        room[:n] = x
        words = np.packbits(room, bitorder="little").view("<u4")
        case("pack_bits", {"N": n, "W": len(words)}, {}, {"x": x}, {"y": words})


def gemm_int4():
    rand = Random("gemm_int4")
    for m, n, k, g in [(2, 3, 16, 2), (1, 2, 24, 1), (3, 1, 8, 4)]:
        x, scale = rand.real(m, k), rand.real(n, g)
        codes, zero = rand.whole(0, 16, n, k), rand.whole(0, 16, n, g)
        pairs = (codes[:, 0::2] | codes[:, 1::2] << 4).astype(np.uint8)
        w = np.ascontiguousarray(pairs).view("<u4").astype(np.int64)
        weights = (codes - np.repeat(zero, k // g, 1)) * np.repeat(wide(scale), k // g, 1)
        inputs = {"x": x, "w": w, "scale": scale, "zero": zero}
        dims = {"M": m, "K": k, "N": n, "P": k // 8, "G": g}
        case("gemm_int4", dims, {}, inputs, {"y": wide(x) @ weights.T})


def gemv_ternary():
    rand = Random("gemv_ternary")
    for n, k, scale in [(3, 12, 0.75), (2, 8, -1.5)]:
        weights, x = rand.whole(-1, 2, n, k), rand.real(k)
        places = 4 ** np.arange(4)
        w = ((weights + 1).reshape(n, k // 4, 4) * places).sum(axis=2)
        y = Wide(scale) * (weights @ wide(x))
        case("gemv_ternary", {"N": n, "P": k // 4, "K": k}, {"scale": scale}, {"w": w, "x": x}, {"y": y})


def make():
    for family in [pcg, pack_bits, gemm_int4, gemv_ternary]:
        family()
