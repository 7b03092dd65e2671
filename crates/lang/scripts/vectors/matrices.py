"""Products of matrices and vectors, dense, batched, sparse and by expert."""

import numpy as np

from common import Random, case, gelu, sigmoid, softmax, wide


def vectors():
    rand = Random("gemv")
    for n, k in [(5, 7), (3, 32), (4, 1)]:
        w, x = rand.real(n, k), rand.real(k)
        case("gemv", {"N": n, "K": k}, {}, {"w": w, "x": x}, {"y": np.matmul(wide(w), wide(x))})
        w = rand.real(k, n)
        rows = np.sum([value * wide(row) for value, row in zip(x, w)], axis=0)
        case("gemv_t", {"K": k, "N": n}, {}, {"w": w, "x": x}, {"y": rows})
    for n in [9, 1]:
        a, b = rand.real(n), rand.real(n)
        case("dot", {"N": n}, {}, {"a": a, "b": b}, {"c": np.dot(wide(a), wide(b))})
        case("nrm2", {"N": n}, {}, {"x": a}, {"y": np.sqrt(np.dot(wide(a), wide(a)))})
    for m, n, alpha in [(4, 3, -2.5), (2, 6, 0.125)]:
        a, b = rand.real(m), rand.real(n)
        case("outer", {"M": m, "N": n}, {}, {"a": a, "b": b}, {"c": np.outer(wide(a), wide(b))})
        x, y = rand.real(m), rand.real(m)
        case("axpy", {"N": m}, {"alpha": alpha}, {"x": x, "y": y}, {"y": wide(y) + alpha * wide(x)})


def products():
    rand = Random("gemm")
    for m, k, n in [(3, 5, 4), (1, 17, 2), (6, 2, 9)]:
        a, b = rand.real(m, k), rand.real(k, n)
        c = np.matmul(wide(a), wide(b))
        dims = {"M": m, "K": k, "N": n}
        case("gemm", dims, {}, {"a": a, "b": b}, {"c": c})
        case("gemm_nt", dims, {}, {"a": a, "b": b.T.copy()}, {"c": c})
        case("gemm_tn", dims, {}, {"a": a.T.copy(), "b": b}, {"c": c})
    for l, m, k, n in [(2, 3, 5, 4), (5, 4, 2, 1)]:
        a, b = rand.real(l, m, k), rand.real(l, k, n)
        c = np.einsum("lmk,lkn->lmn", wide(a), wide(b))
        case("batched_gemm", {"L": l, "M": m, "K": k, "N": n}, {}, {"a": a, "b": b}, {"c": c})
    for m, k, n, alpha, beta in [(3, 4, 5, -1.5, 0.5), (2, 7, 3, 1.0, 0.0)]:
        a, b, c = rand.real(m, k), rand.real(k, n), rand.real(m, n)
        after = beta * wide(c) + alpha * sum(np.outer(wide(a[:, i]), wide(b[i])) for i in range(k))
        scalars = {"alpha": alpha, "beta": beta}
        case("gemm_accumulate", {"M": m, "K": k, "N": n}, scalars, {"a": a, "b": b, "c": c}, {"c": after})


def products_with_bias():
    activations = {
        "gemm_bias": lambda z: z,
        "gemm_bias_relu": lambda z: (z + abs(z)) / 2,
        "gemm_bias_gelu": gelu,
        "gemm_bias_silu": lambda z: z * sigmoid(z),
    }
    for name, activation in activations.items():
        rand = Random(name)
        for m, k, n in [(3, 5, 4), (2, 9, 7)]:
            a, b, bias = rand.real(m, k), rand.real(k, n), rand.real(n)
            z = np.hstack([wide(a), np.ones((m, 1))]) @ np.vstack([wide(b), wide(bias)])
            case(name, {"M": m, "K": k, "N": n}, {}, {"a": a, "b": b, "bias": bias}, {"c": activation(z)})


def gemm_backward():
    """By the textbook: dA = dC B^T, dB = A^T dC."""
    rand = Random("gemm_backward")
    for m, k, n in [(3, 5, 4), (2, 1, 6)]:
        a, b, dc = rand.real(m, k), rand.real(k, n), rand.real(m, n)
        outputs = {"da": wide(dc) @ wide(b).T, "db": wide(a).T @ wide(dc)}
        case("gemm_backward", {"M": m, "K": k, "N": n}, {}, {"a": a, "b": b, "dc": dc}, outputs)


def experts():
    rand = Random("moe")
    for t, d, e, f in [(5, 3, 4, 2), (3, 6, 2, 5)]:
        x, w, expert = rand.real(t, d), rand.real(e, f, d), rand.whole(0, e, t)
        y = np.einsum("td,tfd->tf", wide(x), wide(w)[expert])
        case("moe_gemm", {"T": t, "D": d, "E": e, "F": f}, {}, {"x": x, "w": w, "expert": expert}, {"y": y})
    for t, d, e in [(6, 4, 5), (3, 7, 2), (2, 3, 9)]:
        x, w = rand.real(t, d), rand.real(e, d)
        scores = wide(x) @ wide(w).T
        dims, inputs = {"T": t, "D": d, "E": e}, {"x": x, "w": w}
        order = np.argsort(-scores, axis=1, kind="stable")[:, :2]
        gate = softmax(scores).max(axis=1)
        case("moe_top1", dims, {}, inputs, {"expert": order[:, 0], "gate": gate})
        pair = np.take_along_axis(scores, order, axis=1)
        case("moe_top2", dims, {}, inputs, {"expert": order, "gate": softmax(pair)})


def spmv_csr():
    rand = Random("spmv_csr")
    for counts, n in [([2, 0, 3, 1], 5), ([4], 3)]:
        ptr = np.concatenate([[0], np.cumsum(counts)])
        z = ptr[-1]
        col, val, x = rand.whole(0, n, z), rand.real(z), rand.real(n)
        dense = np.zeros((len(counts), n), wide(x).dtype)
        np.add.at(dense, (np.repeat(np.arange(len(counts)), counts), col), wide(val))
        dims = {"P": len(ptr), "Z": int(z), "N": n, "R": len(counts)}
        case("spmv_csr", dims, {}, {"ptr": ptr, "col": col, "val": val, "x": x}, {"y": dense @ wide(x)})


def make():
    for family in [vectors, products, products_with_bias, gemm_backward, experts, spmv_csr]:
        family()
