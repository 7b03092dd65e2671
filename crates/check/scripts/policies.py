"""Makes tests/vectors/policies.json: outputs with errors of many sizes, every measure of them, and whether each policy
takes them, by NumPy's own arithmetic and from the formulas alone; calibration.json, pairs of rtol and atol; and
types.json, what the rules that go by the type take of each type.

    python crates/check/scripts/policies.py
"""

import json
import pathlib

import numpy as np

DIGITS = {"f32": 24, "f16": 11, "bf16": 8}
LEAST = {"f32": 2.0**-126, "f16": 2.0**-14, "bf16": 2.0**-126}


def stored(x, dtype):
    """x rounded to the nearest number of a type, ties to even; no range, which these data do not leave."""
    mantissa, exponent = np.frexp(x)
    scale = 2.0 ** DIGITS[dtype]
    return np.ldexp(np.rint(mantissa * scale) / scale, exponent)


def ulp(x, dtype):
    _, exponent = np.frexp(np.maximum(np.abs(x), LEAST[dtype]))
    return np.ldexp(1.0, exponent - DIGITS[dtype])


def measures(e, g, bars, dtype):
    d = np.abs(g - e)
    with np.errstate(divide="ignore", invalid="ignore"):
        relative = np.where(d == 0, 0.0, d / np.abs(e))
        ratio = np.where(d == 0, 0.0, d / bars)
        ulps = np.where(d == 0, 0.0, d / ulp(e, dtype))
    correlation = np.corrcoef(e, g)[0, 1] if d.any() else 1.0
    cosine = np.dot(e, g) / np.linalg.norm(e) / np.linalg.norm(g) if d.any() else 1.0
    return {
        "mse": np.mean(d**2),
        "nmse": np.sum(d**2) / np.sum(e**2),
        "max_abs": d.max(),
        "mean_abs": d.mean(),
        "max_rel": relative.max(),
        "ulps": ulps.max(),
        "correlation": correlation,
        "cosine": cosine,
        "ratio": ratio.max(),
    }


TORCH = {"f32": (1.3e-6, 1e-5), "f16": (1e-3, 1e-5), "bf16": (1.6e-2, 1e-5)}
BY_TYPE = {"f32": (1e-5, 1e-8), "f16": (1e-2, 1e-3), "bf16": (5e-2, 1e-3)}


def close(e, g, rtol, atol):
    return bool(np.allclose(g, e, rtol=rtol, atol=atol))


def residual(e, g, shape, terms, u):
    e, d = e.reshape(shape), np.abs(g - e).reshape(shape)
    if e.ndim < 2:
        e, d = e[:, None], d[:, None]
    e, d = (a.reshape(-1, *a.shape[-2:]) for a in (np.abs(e), d))
    norm = lambda a: a.sum(axis=1).max(axis=1)
    return float(np.max(norm(d) / norm(e)) / (terms * u))


def takes(e, g, bars, rounded, shape, dtype, terms, u):
    """Whether each policy takes the output."""
    d, m = np.abs(g - e), measures(e, g, bars, dtype)
    u = max(u, 2.0 ** -DIGITS[dtype])
    within = lambda limit: bool(np.all(d <= limit))
    return {
        "bar": within(bars),
        "bar:3": within(3 * bars),
        "allclose:rtol=1e-2,atol=1e-3": close(e, g, 1e-2, 1e-3),
        "allclose_1e-4": close(e, g, 1e-4, 1e-4),
        "allclose_5e-2": close(e, g, 5e-2, 5e-2),
        "allclose_max:rtol=1e-2,atol=1e-3": within(np.maximum(1e-3, 1e-2 * np.abs(e))),
        "engine_f16": within(np.maximum(5e-2, 5e-2 * np.abs(e))),
        "kernelbench": close(e, g, 1e-2, 1e-2),
        "torch": close(e, g, *TORCH[dtype]),
        "by_type": close(e, g, *BY_TYPE[dtype]),
        "nmse:1e-6": bool(m["nmse"] <= 1e-6),
        "llama_cpp": bool(m["nmse"] <= 1e-7),
        "llama_cpp_matmul": bool(m["nmse"] <= 5e-4),
        "nmse_q8": bool(m["nmse"] <= 0.005),
        "nmse_q5": bool(m["nmse"] <= 0.01),
        "nmse_q4": bool(m["nmse"] <= 0.015),
        "correlation": bool(m["correlation"] >= 0.999 and m["max_rel"] <= 1e-3),
        "cosine:0.99": bool(m["cosine"] >= 0.99),
        "ulp:4": within(4 * ulp(e, dtype)),
        "exact": bool(np.all(g == stored(e, dtype))),
        "twice": within(2 * np.abs(rounded - e) + 0.5 * ulp(e, dtype)),
        "residual": bool(residual(e, g, shape, terms, u) <= 30),
        "residual:2": bool(residual(e, g, shape, terms, u) <= 2),
    }


def shares(e, g, bars, rounded, shape, dtype, terms, u):
    """How much of what each policy allows an output uses: its largest element, or its one number."""
    d, m = np.abs(g - e), measures(e, g, bars, dtype)
    u = max(u, 2.0 ** -DIGITS[dtype])

    def most(limit):
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.max(np.where(d == 0, 0.0, d / limit))

    both = max((1 - m["correlation"]) / (1 - 0.999), m["max_rel"] / 1e-3)
    return {
        "bar": most(bars),
        "bar:3": most(3 * bars),
        "allclose:rtol=1e-2,atol=1e-3": most(1e-3 + 1e-2 * np.abs(e)),
        "engine_f16": most(np.maximum(5e-2, 5e-2 * np.abs(e))),
        "torch": most(TORCH[dtype][1] + TORCH[dtype][0] * np.abs(e)),
        "by_type": most(BY_TYPE[dtype][1] + BY_TYPE[dtype][0] * np.abs(e)),
        "llama_cpp_matmul": m["nmse"] / 5e-4,
        "correlation": both,
        "cosine:0.99": (1 - m["cosine"]) / (1 - 0.99),
        "ulp:4": most(4 * ulp(e, dtype)),
        "twice": most(2 * np.abs(rounded - e) + 0.5 * ulp(e, dtype)),
        "residual": residual(e, g, shape, terms, u) / 30,
    }


def case(rng, number):
    dtype = ["f32", "f16", "bf16"][number % 3]
    shape = [(24,), (4, 6), (2, 3, 4)][number // 3 % 3]
    e = rng.normal(size=24) * 10.0 ** rng.integers(-2, 3)
    size = 10.0 ** rng.uniform(-8, -0.5)
    kind = number % 4
    if kind == 0:
        g = e * (1 + size * rng.uniform(-1, 1, 24))
    elif kind == 1:
        g = e + size * rng.uniform(-1, 1, 24)
    elif kind == 2:
        g = stored(e, dtype)
    else:
        g = e.copy()
        g[rng.integers(24)] += size
    if number % 5 == 0:
        e[3], g[3] = 0.0, 0.0 if number % 2 else size
    bars = np.abs(e) * 10.0 ** rng.uniform(-7, -1) + 1e-9
    rounded = stored(e * (1 + 2.0 ** -DIGITS[dtype] * rng.uniform(-4, 4, 24)), dtype)
    terms, u = int(rng.integers(1, 4096)), 2.0**-24
    return {
        "dtype": dtype,
        "shape": shape,
        "values": e.tolist(),
        "got": g.tolist(),
        "bars": bars.tolist(),
        "rounded": rounded.tolist(),
        "terms": terms,
        "roundoff": u,
        "measures": {k: None if np.isinf(v) else float(v) for k, v in measures(e, g, bars, dtype).items()},
        "takes": takes(e, g, bars, rounded, shape, dtype, terms, u),
        "shares": {
            k: None if np.isinf(v) else float(v)
            for k, v in shares(e, g, bars, rounded, shape, dtype, terms, u).items()
        },
    }


def pair(y, z, share):
    """The rule of "How wrong is too wrong?" for one case."""
    median = np.median(np.abs(y))
    rho = np.abs(z - y) / (median + np.abs(y))
    rtol = np.quantile(rho, share)
    return rtol, rtol * median


def calibration(rng, number):
    y = rng.normal(size=int(rng.integers(1, 40))) * 10.0 ** rng.integers(-3, 4)
    z = y * (1 + 1e-3 * rng.normal(size=y.size))
    share = float(rng.choice([0.5, 0.75, 0.9, 1.0]))
    rtol, atol = pair(y, z, share)
    return {"due": y.tolist(), "lower": z.tolist(), "share": share, "rtol": rtol, "atol": atol}


# what the rules that go by the type say of each; equality where they say nothing
OF_TYPE = {
    "torch": TORCH | {"f64": (1e-7, 1e-7)},
    "by_type": BY_TYPE | {"i8": (0.0, 0.5)},
}


def of_type(rng, number):
    """Rules that go by the type, for every type: real values, and what came of them, whole numbers where they are."""
    dtype = ["f64", "f32", "f16", "bf16", "i8", "i32"][number % 6]
    whole = dtype.startswith("i")
    e = rng.uniform(-100, 100, 12) if whole else rng.normal(size=12)
    if whole:
        # the nearest whole number, the other neighbour, or the number itself
        g = [np.rint(e), np.where(rng.random(12) < 0.2, np.floor(e), np.rint(e)), e][number // 6 % 3]
        e = np.rint(e) if dtype == "i32" and number // 6 % 2 else e
    else:
        size = 10.0 ** rng.uniform(-9, -1)
        g = e * (1 + size * rng.uniform(-1, 1, 12))
    takes = {rule: close(e, g, *numbers.get(dtype, (0.0, 0.0))) for rule, numbers in OF_TYPE.items()}
    return {"dtype": dtype, "values": e.tolist(), "got": g.tolist(), "takes": takes}


def written(name, cases):
    folder = pathlib.Path(__file__).resolve().parent.parent / "tests" / "vectors"
    text = ",\n".join(json.dumps(c) for c in cases)
    (folder / name).write_text(f"[\n{text}\n]\n")


def main():
    rng = np.random.default_rng(12)
    cases = [case(rng, number) for number in range(60)]
    for policy in cases[0]["takes"]:
        both = {c["takes"][policy] for c in cases}
        assert both == {True, False}, f"every case says the same of {policy}"
    written("policies.json", cases)
    written("calibration.json", [calibration(rng, number) for number in range(20)])
    cases = [of_type(rng, number) for number in range(72)]
    for rule, numbers in OF_TYPE.items():
        for dtype in numbers:
            both = {c["takes"][rule] for c in cases if c["dtype"] == dtype}
            assert both == {True, False}, f"every case of {dtype} says the same of {rule}"
    written("types.json", cases)


if __name__ == "__main__":
    main()
