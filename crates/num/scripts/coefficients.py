"""Prints the polynomial coefficients of src/math: Chebyshev interpolation in 60 digits, then rounded to f64.

python3 scripts/coefficients.py   (needs mpmath)
"""
from mpmath import mp, mpf, chebyfit, exp, log, sin, tanh, sqrt, pi

mp.dps = 60


def show(name, f, interval, terms):
    low_first = chebyfit(f, interval, terms)[::-1]
    error = max(abs(sum(c * x**i for i, c in enumerate(low_first)) - f(x))
                for x in (interval[0] + (interval[1] - interval[0]) * mpf(k) / 997 for k in range(1, 997)))
    print(f"// {name}: {terms} terms, absolute error {mp.nstr(error, 3)}")
    print(f"const {name}: [f64; {terms}] = [")
    for c in low_first:
        print(f"    {float(c)!r},")
    print("];")



half_ln2 = log(2) / 2 * mpf("1.0001")
# (e^r - 1 - r) / r^2
show("EXP", lambda r: (exp(r) - 1 - r) / r**2 if abs(r) > mpf(10)**-15 else mpf(1) / 2 + r / 6,
     [-half_ln2, half_ln2], 10)
# log((1 + s) / (1 - s)) = 2 s + s z LOG(z), z = s^2, for 1 + f in sqrt(1/2)..sqrt(2), s = f / (2 + f)
zmax = ((sqrt(2) - 1) / (sqrt(2) + 1))**2 * mpf("1.0001")
show("LOG", lambda z: (log((1 + sqrt(z)) / (1 - sqrt(z))) / sqrt(z) - 2) / z if z > mpf(10)**-15
     else mpf(2) / 3 + z * 2 / 5, [0, zmax], 8)
# tanh(x) = x + x z TANH(z), z = x^2, for |x| < 0.35
show("TANH", lambda z: (tanh(sqrt(z)) / sqrt(z) - 1) / z if z > mpf(10)**-15 else -mpf(1) / 3 + z * 2 / 15,
     [0, mpf("0.35")**2], 9)
# sin(2 pi v) = v SINE(v^2), |v| <= 1/4
show("SINE", lambda z: sin(2 * pi * sqrt(z)) / sqrt(z) if z > mpf(10)**-15 else 2 * pi - (2 * pi)**3 / 6 * z,
     [0, mpf(1) / 16], 9)

high = mpf(int(log(2) * 2**32)) / 2**32
print("// ln 2 in two parts, the upper one of 32 bits")
print(f"const LN2_HIGH: f64 = {float(high)!r};")
print(f"const LN2_LOW: f64 = {float(log(2) - high)!r};")
