"""The plugin for pytest: what is collected, what passes, and what a failure says."""

import pytest
from conftest import needed

KERNELS = """
import numpy as np
import pytest
import ktwin

def rms(x, w, eps):
    ms = (x * x).mean(axis=1, keepdims=True, dtype=np.float32)
    return x / np.sqrt(ms + np.float32(eps)) * w

@pytest.mark.ktwin(op="rmsnorm", dims={"D": "..=64"})
def test_marked(x, w, eps):
    return rms(x, w, eps)

@ktwin.kernel(op="rmsnorm", dims={"D": "..=64"})
def test_decorated(x, w, eps):
    return rms(x, w, eps)

@pytest.mark.ktwin("rmsnorm", dims={"D": "..=64"}, quick=True)
def test_wrong(x, w, eps):
    return rms(x, w, eps) * np.float32(1.001)
"""
CASES = """
import numpy as np
import pytest

@pytest.mark.ktwin(op="twice.op", per="case", quick=True)
def test_twice(x):
    assert x.size != 2
    return x + x
"""


def test_one_test_a_kernel(pytester):
    pytester.makepyfile(KERNELS)
    result = pytester.runpytest("--ktwin-quick", "--ktwin-seed", "9")
    result.assert_outcomes(passed=2, failed=1)
    result.stdout.fnmatch_lines(
        [
            "ktwin: --ktwin-seed 9",
            "fail test_wrong  rmsnorm on python: *seed 9*",
            "*smallest failing case: R=*",
            '*repeat: test_wrong.test(case="R=*',
        ]
    )
    assert "pytest_plugin.py" not in result.stdout.str()


def test_methods_are_kernels_too_and_parameters_are_not(pytester):
    pytester.path.joinpath("twice.op").write_text("op twice(x[N]) -> y[N]\n\ny[n] = 2 * x[n]\n")
    pytester.makepyfile(
        """
import pytest

class TestTwice:
    @pytest.mark.ktwin(op="twice.op", quick=True)
    def test_method(self, x):
        return x + x
"""
    )
    pytester.runpytest().assert_outcomes(passed=1)
    pytester.makepyfile(
        """
import pytest

@pytest.mark.parametrize("k", [1, 2])
@pytest.mark.ktwin(op="twice.op")
def test_each(x, k):
    return x + x
"""
    )
    result = pytester.runpytest()
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*test_each: the plan chooses a kernel's cases*"])


def test_one_test_a_case_of_an_op_beside_the_test(pytester):
    pytester.makepyfile(CASES)
    pytester.path.joinpath("twice.op").write_text("op twice(x[N]) -> y[N]\n\ny[n] = 2 * x[n]\n")
    outcomes = pytester.runpytest("--ktwin-seed", "9").parseoutcomes()
    assert outcomes["passed"] > 10 and outcomes["failed"] >= 1
    chosen = pytester.runpytest("-k", "N=2 and not N=2_", "--collect-only", "-q")
    assert any("test_twice[N=2,regime=" in line for line in chosen.outlines)


def test_the_amount(pytester):
    pytester.makepyfile(CASES.replace("    assert x.size != 2\n", ""))
    pytester.path.joinpath("twice.op").write_text("op twice(x[N]) -> y[N]\n\ny[n] = 2 * x[n]\n")
    quick = pytester.runpytest().parseoutcomes()["passed"]
    assert pytester.runpytest("--ktwin-standard").parseoutcomes()["passed"] > quick
    assert pytester.runpytest("--ktwin-quick", "--ktwin-standard").ret == pytest.ExitCode.USAGE_ERROR


def test_many_workers_have_one_seed(pytester):
    needed("xdist")
    pytester.makepyfile(KERNELS)
    result = pytester.runpytest("-n", "2", "--ktwin-quick", "--ktwin-seed", "9", "--junitxml", "report.xml")
    result.assert_outcomes(passed=2, failed=1)
    result.stdout.fnmatch_lines(["fail test_wrong  rmsnorm on python: *seed 9*"])
    report = pytester.path.joinpath("report.xml").read_text()
    assert report.count('name="ktwin_seed" value="9"') == 3


def test_mistakes_are_said_when_tests_are_collected(pytester):
    pytester.makepyfile(
        "import pytest\n@pytest.mark.ktwin(op='rmsnrom')\ndef test_it(x):\n    return x\n",
    )
    result = pytester.runpytest()
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*test_it: no op `rmsnrom`, did you mean `rmsnorm`?*"])


def test_other_tests_are_left_alone(pytester):
    pytester.makepyfile("def test_plain(ktwin_seed):\n    assert ktwin_seed == 4\n")
    pytester.runpytest("--ktwin-seed", "4").assert_outcomes(passed=1)


def test_kernels_in_files(pytester):
    text = "/*--- ktwin\nop = 'scale'\nargs = ['x', 'y', { N = 'u32', alpha = 'f32' }]\n---*/\n"
    text += "#include <stdint.h>\nstruct s { uint32_t n; float a; };\n"
    text += (
        "void scale(const float *x, float *y, struct s s) { for (uint32_t i = 0; i < s.n; i++) y[i] = s.a * x[i]; }\n"
    )
    pytester.path.joinpath("good.c").write_text(text)
    pytester.path.joinpath("bad.c").write_text(text.replace("s.a *", "s.a +"))
    pytester.makepyfile(
        "def test_good(ktwin_files):\n    ktwin_files('good.c')\n\ndef test_bad(ktwin_files):\n    ktwin_files('bad.c')\n"
    )
    result = pytester.runpytest("--ktwin-quick", "--ktwin-seed", "9")
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(["*fail */bad.c  scale on native*seed 9*"])
