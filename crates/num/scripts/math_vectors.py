"""Writes tests/golden/math.txt: values of elementary functions to 106 bits, and prints the constants of src/dd.

python3 scripts/math_vectors.py   (needs mpmath)
"""
import random
import struct
from pathlib import Path

from mpmath import mp, mpf

mp.prec = 2000


def bits(x):
    return f"{struct.unpack('<Q', struct.pack('<d', x))[0]:016x}"


def parts(x, n=2):
    """x as a sum of n f64."""
    out = []
    for _ in range(n):
        out.append(float(x))
        x -= mpf(out[-1])
    return out


def points(lo, hi, n=24):
    rng = random.Random(f"{lo} {hi}")
    return [rng.uniform(lo, hi) for _ in range(n)]


WIDE = points(-1, 1) + points(-10, 10) + [1e-9, -1e-9, 1e-30, 0.5, -0.25]
POSITIVE = points(0, 2) + points(0, 1e6) + [1 + 1e-9, 1 - 1e-12, 0.96, 1.04, 1e-300, 1e300, 3.0]
FUNCTIONS = {
    "sqrt": (mp.sqrt, POSITIVE),
    "exp": (mp.exp, WIDE + points(-600, 700)),
    "expm1": (mp.expm1, WIDE),
    "exp2": (lambda x: mpf(2)**x, WIDE + points(-900, 1000)),
    "log": (mp.log, POSITIVE),
    "log1p": (mp.log1p, points(-0.9, 3) + [1e-9, -1e-20]),
    "log2": (lambda x: mp.log(x) / mp.log(2), POSITIVE),
    "log10": (mp.log10, POSITIVE),
    "sin": (mp.sin, WIDE + points(-1e6, 1e6)),
    "cos": (mp.cos, WIDE + points(-1e6, 1e6)),
    "tan": (mp.tan, WIDE),
    "sinh": (mp.sinh, WIDE + points(-600, 600)),
    "cosh": (mp.cosh, WIDE + points(-600, 600)),
    "tanh": (mp.tanh, WIDE + points(-30, 30)),
    "atan": (mp.atan, WIDE + points(-1e6, 1e6) + [1.0, -1.0]),
    "erf": (mp.erf, WIDE),
    "sigmoid": (lambda x: 1 / (1 + mp.exp(-x)), WIDE + points(-600, 100)),
    "rsqrt": (lambda x: 1 / mp.sqrt(x), POSITIVE),
}

with open(Path(__file__).parent.parent / "tests/golden/math.txt", "w") as out:
    print("# made by scripts/math_vectors.py: function, x, and the value as the sum of two f64, all as f64 bits", file=out)
    for name, (f, xs) in FUNCTIONS.items():
        for x in xs:
            hi, lo = parts(f(mpf(x)))
            print(name, bits(x), bits(hi), bits(lo), file=out)
    for x, y in zip(points(0, 50), points(-20, 20)):
        hi, lo = parts(mpf(x)**mpf(y))
        print("pow", bits(x), bits(hi), bits(lo), bits(y), file=out)

for name, value, n in [("HALF_PI", mp.pi / 2, 3), ("LN_2", mp.log(2), 3), ("LN_10", mp.log(10), 2),
                       ("TWO_BY_ROOT_PI", 2 / mp.sqrt(mp.pi), 2), ("PI", mp.pi, 2)]:
    print(name, [repr(p) for p in parts(value, n)])
