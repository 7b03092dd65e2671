"""Optimiser steps, losses between vectors, and bodies under gravity."""

import numpy as np

from common import Random, Wide, case, wide


def adam_step(p, g, m, v, s):
    """The step of the paper (Kingma and Ba, algorithm 1), one parameter at a time."""
    new = []
    for p1, g1, m1, v1 in zip(wide(p), wide(g), wide(m), wide(v)):
        m1 += (1 - Wide(s["beta1"])) * (g1 - m1)
        v1 += (1 - Wide(s["beta2"])) * (g1 * g1 - v1)
        rate = Wide(s["lr"]) / (1 - Wide(s["beta1"]) ** s["step"])
        root = np.sqrt(v1) / np.sqrt(1 - Wide(s["beta2"]) ** s["step"])
        shrunk = p1 * (1 - Wide(s["lr"]) * Wide(s.get("decay", 0)))
        new.append((shrunk - rate * m1 / (root + Wide(s["eps"])), m1, v1))
    return dict(zip("pmv", np.array(new).T))


def adams():
    for name in ["adam", "adamw"]:
        rand = Random(name)
        steps = [(7, 1, 1e-3, 0.9, 0.999, 1e-8), (5, 12, 0.02, 0.8, 0.95, 1e-3)]
        for n, step, lr, beta1, beta2, eps in steps:
            p, g, m, v = rand.real(n), rand.real(n), rand.real(n), rand.positive(n)
            scalars = {"step": step, "lr": lr, "beta1": beta1, "beta2": beta2, "eps": eps}
            if name == "adamw":
                scalars["decay"] = 0.3
            case(name, {"N": n}, scalars, {"p": p, "g": g, "m": m, "v": v}, adam_step(p, g, m, v, scalars))


def sgd():
    rand = Random("sgd")
    for n, lr, momentum, decay in [(7, 0.01, 0.9, 0.1), (4, 0.5, 0.0, 0.0)]:
        p, g, v = rand.real(n), rand.real(n), rand.real(n)
        gradient = wide(g) + Wide(decay) * wide(p)
        after = Wide(momentum) * wide(v) + gradient
        scalars = {"lr": lr, "momentum": momentum, "decay": decay}
        outputs = {"p": wide(p) - Wide(lr) * after, "v": after}
        case("sgd", {"N": n}, scalars, {"p": p, "g": g, "v": v}, outputs)


def mse():
    rand = Random("mse")
    for n in [11, 2]:
        a, b = rand.real(n), rand.real(n)
        difference = wide(a) - wide(b)
        case("mse", {"N": n}, {}, {"a": a, "b": b}, {"loss": np.dot(difference, difference) / n})


def nbody():
    rand = Random("nbody")
    for n, soft in [(5, 0.01), (3, 0.7)]:
        p, mass = rand.real(n, 3), rand.positive(n)
        acc = np.zeros((n, 3), Wide)
        for here in range(n):
            for there in range(n):
                if here != there:
                    arrow = wide(p[there]) - wide(p[here])
                    distance = np.hypot(np.hypot(np.hypot(arrow[0], arrow[1]), arrow[2]), Wide(soft))
                    acc[here] += mass[there] * arrow / distance**3
        case("nbody", {"N": n}, {"soft": soft}, {"p": p, "mass": mass}, {"acc": acc})


def make():
    for family in [adams, sgd, mse, nbody]:
        family()
