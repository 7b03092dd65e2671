"""`ktwin calibrate` against NumPy: inputs cast down, the pair of every case, and the case in the middle."""

import re
import subprocess

import numpy as np
import pytest

import ktwin

KERNEL = """/*--- ktwin
op = "OP"
args = ["x", "y", { N = "u32" }]
---*/
void f(const float *x, float *y, const unsigned *n) { }
"""


def silu(x, kind):
    """x * sigmoid(x) as the op writes it, each of the two steps rounded to a type."""
    x = x.astype(kind)
    wide = x.astype(np.float64)
    return x * (1 / (1 + np.exp(-wide))).astype(kind)


PAIR = re.compile(r"^  (the median case)? *allclose:rtol=(\S+),atol=(\S+)  (N=\S+)$", re.M)


@pytest.mark.parametrize(("share", "seed"), [("0.75", "7"), ("0.5", "3")])
def test_each_pair_and_the_median_case(tmp_path, share, seed):
    file = tmp_path / "silu.c"
    file.write_text(KERNEL.replace("OP", "silu"))
    args = [ktwin.command(), "calibrate", str(file), "--rung", "f16", "-v", "--share", share, "--seed", seed]
    run = subprocess.run(args, capture_output=True, text=True)
    assert run.returncode in (0, 1) and not run.stderr, run.stderr
    typical, stress = run.stdout.split("\nstress ")
    maker = ktwin.kernel("silu")(lambda x: x)
    for part in (typical, stress):
        found = PAIR.findall(part)
        assert len(found) > 8, part
        largest = []
        for median, rtol, atol, case in found:
            x = maker.case(case).inputs["x"].astype(np.float64)
            with np.errstate(over="ignore", invalid="ignore"):
                y, z = silu(x, np.float64), silu(x, np.float16).astype(np.float64)
            seen = np.isfinite(y) & np.isfinite(z)
            y, z = y[seen], z[seen]
            middle = np.median(np.abs(y))
            size = middle + np.abs(y)
            r = np.quantile(np.abs(z - y)[size > 0] / size[size > 0], float(share))
            assert float(rtol) == pytest.approx(r, rel=0.01), case
            assert float(atol) == pytest.approx(r * middle, rel=0.01), case
            largest.append((max(r, r * middle), bool(median)))
        # the case in the middle is the one that is taken
        by_size = sorted(size for size, _ in largest)
        (taken,) = [size for size, median in largest if median]
        assert taken == by_size[len(by_size) // 2]
