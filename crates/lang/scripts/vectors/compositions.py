"""Ops that call other ops, written out in one piece."""

import numpy as np

from common import Random, case, wide


def gated_mlp():
    rand = Random("gated_mlp")
    for t, d, f in [(3, 6, 5), (1, 4, 7)]:
        x, gate, up, down = rand.real(t, d), rand.real(f, d), rand.real(f, d), rand.real(d, f)
        g, u = wide(x) @ wide(gate).T, wide(x) @ wide(up).T
        y = (g / (1 + np.exp(-g)) * u) @ wide(down).T
        inputs = {"x": x, "gate": gate, "up": up, "down": down}
        case("gated_mlp", {"T": t, "D": d, "F": f}, {}, inputs, {"y": y})


def rmsnorm_gemm():
    rand = Random("rmsnorm_gemm")
    for m, n, k, eps in [(3, 4, 5, 1e-5), (2, 3, 7, 0.25)]:
        x, w, v = rand.real(m, k), rand.real(k), rand.real(n, k)
        scale = 1 / np.sqrt(np.mean(wide(x) ** 2, axis=1, keepdims=True) + eps)
        y = (wide(x) * w) @ wide(v).T * scale
        case("rmsnorm_gemm", {"M": m, "N": n, "K": k}, {"eps": eps}, {"x": x, "w": w, "v": v}, {"y": y})


def make():
    gated_mlp()
    rmsnorm_gemm()
