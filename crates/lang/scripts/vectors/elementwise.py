"""What is done to each element alone, with its gradients."""

import math

import numpy as np

from common import Random, case, gelu, gradients, sigmoid, wide


def silu(x):
    return x * sigmoid(x)


def gelu_exact(x):
    """By erfc, which does not cancel on the negative side."""
    return np.array([value * math.erfc(-value / math.sqrt(2)) / 2 for value in x])


UNARY = {
    "silu": lambda x: silu(wide(x)),
    "gelu": lambda x: gelu(wide(x)),
    "gelu_erf": gelu_exact,
    "relu": lambda x: np.where(x < 0, 0.0, x),
    "sigmoid": lambda x: sigmoid(wide(x)),
    "softplus": lambda x: np.logaddexp(0, wide(x)),
    "tanh": lambda x: 1 - 2 / (np.exp(2 * wide(x)) + 1),
    "exp": lambda x: np.exp(wide(x)),
    "convert": np.copy,
}

BINARY = {
    "add": ("a", "b", "c", np.add),
    "mul": ("a", "b", "c", np.multiply),
    "silu_gate": ("g", "u", "y", lambda g, u: silu(g) * u),
    "gelu_gate": ("g", "u", "y", lambda g, u: gelu(g) * u),
}


def plain():
    for name, function in UNARY.items():
        rand = Random(name)
        for n, scale in [(11, 1.0), (8, 6.0), (1, 2.0)]:
            x = rand.real(n, scale=scale)
            x[0] = 0.0 if n > 1 else x[0]
            case(name, {"N": n}, {}, {"x": x}, {"y": function(x)})
    for name, (first, second, out, function) in BINARY.items():
        rand = Random(name)
        for n, scale in [(10, 1.0), (3, 8.0)]:
            a, b = rand.real(n, scale=scale), rand.real(n)
            case(name, {"N": n}, {}, {first: a, second: b}, {out: function(wide(a), wide(b))})


def with_scalars():
    rand = Random("with_scalars")
    for n, alpha in [(7, -1.25), (4, 3.0)]:
        x = rand.real(n)
        case("scale", {"N": n}, {"alpha": alpha}, {"x": x}, {"y": wide(x) * alpha})
    for n, slope in [(9, 0.2), (5, 0.0)]:
        x = rand.real(n)
        case("leaky_relu", {"N": n}, {"slope": slope}, {"x": x}, {"y": np.maximum(wide(x), wide(x) * slope)})
    for n, lo, hi in [(9, -0.5, 0.75), (6, -1.0, 0.0)]:
        x = rand.real(n)
        case("clamp", {"N": n}, {"lo": lo, "hi": hi}, {"x": x}, {"y": np.clip(x, lo, hi)})


def mixed():
    rand = Random("mixed")
    for n in [9, 4]:
        cond, a, b = rand.whole(0, 2, n), rand.real(n), rand.real(n)
        case("select", {"N": n}, {}, {"cond": cond, "a": a, "b": b}, {"y": np.where(cond, a, b)})
    for r, d in [(3, 5), (4, 2)]:
        x, b = rand.real(r, d), rand.real(d)
        case("add_bias", {"R": r, "D": d}, {}, {"x": x, "b": b}, {"y": wide(x) + np.tile(wide(b), (r, 1))})


def backward():
    for name, function in {"silu_backward": silu, "gelu_backward": gelu}.items():
        rand = Random(name)
        for n, scale in [(9, 1.0), (5, 4.0)]:
            x, dy = rand.real(n, scale=scale), rand.real(n)
            (dx,) = gradients(lambda x: [function(x)], [x], [dy])
            case(name, {"N": n}, {}, {"x": x, "dy": dy}, {"dx": dx})
    rand = Random("relu_backward")
    for n in [9, 4]:
        x, dy = rand.real(n), rand.real(n)
        x[1] = 0.0
        case("relu_backward", {"N": n}, {}, {"x": x, "dy": dy}, {"dx": dy * np.heaviside(x, 0.0)})


def make():
    for family in [plain, with_scalars, mixed, backward]:
        family()
