"""Correctly rounded values of WGSL's functions in f32, from mpmath at 60 digits: tests/nearest.txt.

python nearest.py > ../tests/nearest.txt (needs mpmath and numpy)
"""
import mpmath
import numpy as np

mpmath.mp.dps = 60
RNG = np.random.default_rng(20)


def around(lo, hi):
    return RNG.uniform(lo, hi, 96).astype(np.float32)


def octaves(lo, hi, both=True):
    x = np.exp2(RNG.uniform(lo, hi, 96))
    return (x * np.where(RNG.uniform(size=96) < 0.5, -1, 1) if both else x).astype(np.float32)


def near_one():
    return np.float32(1) + octaves(-20, -2)


UNARY = {
    "sin": (mpmath.sin, [octaves(-10, 12), around(-7, 7)]),
    "cos": (mpmath.cos, [octaves(-10, 12), around(-7, 7)]),
    "tan": (mpmath.tan, [octaves(-10, 12), around(-7, 7)]),
    "asin": (mpmath.asin, [around(-1, 1), octaves(-20, -1)]),
    "acos": (mpmath.acos, [around(-1, 1), octaves(-20, -1)]),
    "atan": (mpmath.atan, [octaves(-20, 30), around(-3, 3)]),
    "sinh": (mpmath.sinh, [octaves(-15, 6), around(-9, 9)]),
    "cosh": (mpmath.cosh, [octaves(-15, 6), around(-9, 9)]),
    "tanh": (mpmath.tanh, [octaves(-15, 4), around(-3, 3)]),
    "asinh": (mpmath.asinh, [octaves(-15, 60), around(-9, 9)]),
    "acosh": (mpmath.acosh, [octaves(0, 60, False) + np.float32(1), around(1, 3)]),
    "atanh": (mpmath.atanh, [around(-1, 1), octaves(-15, -1)]),
    "exp": (mpmath.exp, [octaves(-20, 6), around(-80, 80)]),
    "exp2": (lambda x: mpmath.power(2, x), [octaves(-20, 6), around(-120, 120)]),
    "log": (mpmath.log, [octaves(-120, 120, False), near_one()]),
    "log2": (lambda x: mpmath.log(x, 2), [octaves(-120, 120, False), near_one()]),
    "sqrt": (mpmath.sqrt, [octaves(-120, 120, False), near_one()]),
    "inverseSqrt": (lambda x: 1 / mpmath.sqrt(x), [octaves(-120, 120, False), near_one()]),
}
BINARY = {
    "pow": (mpmath.power, octaves(-8, 8, False), around(-12, 12)),
    "atan2": (mpmath.atan2, octaves(-20, 20), octaves(-20, 20)),
}


def nearest(x):
    """The f32 nearest to an mpf, ties to even; none where that is not normal."""
    if x == 0:
        return np.float32(0)
    mantissa, exponent = mpmath.frexp(abs(x))
    if not -125 <= exponent <= 128:
        return None
    scaled = mpmath.ldexp(mantissa, 24)
    whole = int(mpmath.floor(scaled))
    rest = scaled - whole
    if rest > 0.5 or (rest == 0.5 and whole % 2 == 1):
        whole += 1
    value = np.float32(float(mpmath.ldexp(whole, exponent - 24)))
    return -value if x < 0 else value


def bits(x):
    return f"{np.float32(x).view(np.uint32):08x}"


print("# Made by scripts/nearest.py: function, arguments and correctly rounded result, as bits of f32.")
for name, (function, inputs) in UNARY.items():
    for x in np.concatenate(inputs):
        y = nearest(function(mpmath.mpf(float(x))))
        if y is not None and np.isfinite(y):
            print(name, bits(x), bits(y))
for name, (function, left, right) in BINARY.items():
    for x, z in zip(left, right):
        y = nearest(function(mpmath.mpf(float(x)), mpmath.mpf(float(z))))
        if y is not None and np.isfinite(y):
            print(name, bits(x), bits(z), bits(y))
