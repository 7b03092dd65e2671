"""Python functions as kernels."""

import ctypes
import os
import signal
import subprocess
import sys
import time

import ml_dtypes
import numpy as np
import pytest

import ktwin


def rms(x, w, eps):
    ms = (x * x).mean(axis=1, keepdims=True, dtype=np.float32)
    return x / np.sqrt(ms + np.float32(eps)) * w


def try_out(function, op="rmsnorm", **contract):
    return ktwin.kernel(op=op, **contract)(function).test(quick=True, seed=7)


def test_an_honest_function_passes():
    report = try_out(rms, tile={"D": 64}, dims={"D": "1..=512"})
    assert report.ok, report
    assert report.seed == 7 and report.rung and report.data["sharp"] > 5 and report.data["device"] == "python"


def test_the_same_seed_is_the_same_run():
    def wrong(x, w, eps):
        return rms(x, w, eps) * np.float32(1.001)

    one, other = try_out(wrong), try_out(wrong)
    assert one.verdict == "fail" and one.case == other.case and one.worst == other.worst


def test_half_precision_inside_is_seen():
    def coarse(x, w, eps):
        return rms(x.astype(np.float16), w.astype(np.float16), eps).astype(np.float32)

    report = try_out(coarse)
    assert report.verdict == "fail" and report.rung in ("tf32", "f16"), report


def test_a_formula_that_is_wrong_is_named():
    def forgets_eps(x, w, eps):
        return rms(x, w, 0)

    report = try_out(forgets_eps)
    assert report.verdict == "fail" and any("eps" in pattern for pattern in report.patterns), report


def test_changed_inputs_are_seen():
    def changes(x, w, eps):
        y = rms(x, w, eps)
        w += 1
        return y

    report = try_out(changes)
    assert report.verdict == "fail" and "input w was changed" in str(report)


def test_outputs_that_are_parameters_are_written_in_place():
    def writes(x, w, y, eps):
        y[:] = rms(x, w, eps)

    def forgets_the_last_column(x, w, y, eps):
        y[:, :-1] = rms(x, w, eps)[:, :-1]

    assert try_out(writes).ok
    report = try_out(forgets_the_last_column)
    assert report.verdict == "fail" and "not written" in str(report), report


def test_what_depends_on_the_last_call_is_seen():
    kept = {}

    def remembers(x, w, eps):
        y = kept.get(x.shape)
        kept[x.shape] = rms(x, w, eps)
        return kept[x.shape] if y is None else y

    assert try_out(remembers).verdict == "fail"


def test_writes_beside_an_array_are_seen():
    def strays(x, w, eps):
        y = rms(x, w, eps)
        ctypes.memset(x.ctypes.data + x.nbytes, 1, 4)
        return y

    report = try_out(strays)
    assert report.verdict == "fail" and "x" in str(report), report


def test_reads_beside_an_array_are_seen():
    def reads_on(x, w, eps):
        more = np.lib.stride_tricks.as_strided(x, (x.shape[0], x.shape[1] + 1), x.strides)
        ms = (more * more).mean(axis=1, keepdims=True, dtype=np.float32)
        return x / np.sqrt(ms + np.float32(eps)) * w

    assert try_out(reads_on).verdict == "fail"


def test_types_layouts_and_values():
    def anything(x, w, **values):
        assert isinstance(values["R"], int) and isinstance(values["eps"], float)
        assert x.shape == (values["R"], values["D"]) and x.dtype == ml_dtypes.bfloat16
        x, w = x.astype(np.float32), w.astype(np.float32)
        return rms(x, w, values["eps"]).astype(ml_dtypes.bfloat16)

    assert try_out(anything, types=dict.fromkeys("xwy", "bf16")).ok
    seen = set()

    def laid_out(x, w, eps):
        seen.add(x.flags.c_contiguous)
        return rms(x, w, eps)

    assert try_out(laid_out, layout={"x": ["row", "strided", "transposed"]}).ok
    assert seen == {True, False}


def test_booleans_and_several_shapes():
    def attention(q, k, v, scale, causal):
        assert isinstance(causal, bool)
        (H, S, D), (G, T, _) = q.shape, k.shape
        k, v = np.repeat(k, H // G, axis=0), np.repeat(v, H // G, axis=0)
        z = np.float32(scale) * np.einsum("hsd,htd->hst", q, k)
        if causal:
            z = np.where(np.arange(T) > np.arange(S)[:, None] + (T - S), np.float32(-np.inf), z)
        p = np.exp(z - z.max(axis=-1, keepdims=True))
        return np.einsum("hst,htd->hsd", p, v) / p.sum(axis=-1, keepdims=True)

    small = {"H": "..=4", "G": "..=4", "S": "..=9", "T": "..=33", "D": "..=16"}
    assert try_out(attention, op="attention", dims=small).ok
    wrong = try_out(lambda q, k, v, scale, causal: attention(q, k, v, scale, False), op="attention", dims=small)
    assert wrong.verdict == "fail", wrong


def test_other_libraries_arrays():
    class Tensor:
        def __init__(self, array):
            self.array = array

        def __array__(self, dtype=None, copy=None):
            return self.array

    def wrapped(x, w, eps):
        assert isinstance(x, Tensor)
        return Tensor(rms(x.array, w.array, eps))

    assert try_out(wrapped, to=Tensor).ok


def test_errors_of_the_function_are_told_with_its_line():
    def raises(x, w, eps):
        return x[1000000]

    report = try_out(raises)
    assert report.verdict == "crash"
    assert "IndexError" in str(report) and "test_kernel.py" in str(report) and "x[1000000]" in str(report)


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (lambda x, w, eps: x.astype(np.float64), "it returned y as float64, float32 is due"),
        (lambda x, w, eps: x[None], "it returned y of shape"),
        (lambda x, w, eps: None, "it returned nothing"),
        (lambda x, w, eps: (x, x), "2 arrays, and 1 are due"),
        (lambda x, w, eps: {"z": x}, "it returned z, the op has y"),
        (lambda x, w, eps: x.astype(object), "an array of Python objects"),
    ],
)
def test_results_that_do_not_fit(function, message):
    report = try_out(function)
    assert report.verdict == "invalid" and message in str(report), report


@pytest.mark.parametrize(
    ("function", "contract", "message"),
    [
        (lambda x, v, eps: x, {}, "no input, output, size or scalar `v`"),
        (lambda x, w: x, {}, "does not take the scalar eps"),
        (rms, {"tpyes": {}}, "`tpyes` is no key"),
        (rms, {"types": {"x": "f17"}}, "f17"),
        (rms, {"dims": {"Q": "1..=2"}}, "Q"),
        (rms, {"dims": {"D": {1, 2}}}, "not set"),
    ],
)
def test_wrong_contracts_are_refused_at_once(function, contract, message):
    with pytest.raises(ktwin.KtwinError, match=message):
        ktwin.kernel(op="rmsnorm", **contract)(function)


def test_plans_and_cases():
    kernel = ktwin.kernel(op="rmsnorm", dims={"D": "..=64"})(rms)
    plan = ktwin.plan(kernel)
    assert len(plan.cases) > len(ktwin.plan(kernel, quick=True).cases) > 10
    assert all("D=" in case and why for case, why in plan.cases)
    for case in kernel.cases(seed=3):
        assert case.inputs["x"].shape == (case.dims["R"], case.dims["D"]) and case.dims["D"] <= 64
    again = kernel.case(plan.cases[0][0], seed=3)
    np.testing.assert_array_equal(again.inputs["x"], kernel.case(again.text).inputs["x"])
    np.testing.assert_array_equal(again.inputs["x"], kernel.case(plan.cases[0][0], seed=3).inputs["x"])
    assert kernel.check(case=again.text).verdict in ("pass", "blind")
    with pytest.raises(ktwin.KtwinError, match="Q"):
        kernel.case("Q=1")
    assert kernel(np.ones((1, 2), np.float32), np.ones(2, np.float32), 0.0).shape == (1, 2)


PROCESS = """
import ctypes, os, sys, time
import numpy as np
import ktwin

def rms(x, w, eps):
    ms = (x * x).mean(axis=1, keepdims=True, dtype=np.float32)
    return x / np.sqrt(ms + np.float32(eps)) * w

@ktwin.kernel(op="rmsnorm", isolate=True)
def honest(x, w, eps):
    assert os.getpid() != int(os.environ["KTWIN_TESTER"])
    return rms(x, w, eps)

@ktwin.kernel(op="rmsnorm", isolate=True)
def wrong(x, w, eps):
    return rms(x, w, eps) + np.float32(1e-3)

@ktwin.kernel(op="rmsnorm", isolate=True)
def dies(x, w, eps):
    return ctypes.string_at(0)

@ktwin.kernel(op="rmsnorm", isolate=True, timeout=0.5)
def hangs(x, w, eps):
    time.sleep(60)
"""


def test_a_process_of_its_own(tmp_path, monkeypatch):
    (tmp_path / "isolated_kernels.py").write_text(PROCESS)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setenv("KTWIN_TESTER", str(os.getpid()))
    import isolated_kernels as own

    assert own.honest.test(quick=True).ok
    assert own.wrong.test(quick=True).verdict == "fail"
    died = own.dies.test(case="R=1,D=2,regime=normal")
    assert died.verdict == "crash" and "SIGSEGV" in str(died), died
    hung = own.hangs.test(case="R=1,D=2,regime=normal")
    assert hung.verdict == "hang" and "0.5 s" in str(hung), hung
    with pytest.raises(ktwin.KtwinError, match="at the top of a file"):
        ktwin.kernel(op="rmsnorm", isolate=True)(lambda x, w, eps: x).test(quick=True)


@pytest.mark.parametrize(
    "work",
    [
        "ktwin.kernel(op='rmsnorm')(lambda x, w, eps: (time.sleep(0.2), x)[1]).test()",
        "ktwin.compare('gemm', np.ones((3000, 3000), np.float32), a=np.ones((3000, 3000), np.float32), "
        "b=np.ones((3000, 3000), np.float32))",
    ],
)
def test_ctrl_c_ends_it(work):
    # a test run in the background ignores SIGINT, and what it starts would too
    text = "import signal\nsignal.signal(signal.SIGINT, signal.default_int_handler)\n"
    text += "import ktwin, time, numpy as np\nprint('ready', flush=True)\n"
    text += f"try:\n    {work}\nexcept KeyboardInterrupt:\n    print('interrupted')"
    child = subprocess.Popen([sys.executable, "-c", text], stdout=subprocess.PIPE, text=True)
    assert child.stdout.readline() == "ready\n"
    time.sleep(0.6)
    began = time.monotonic()
    child.send_signal(signal.SIGINT)
    out, _ = child.communicate(timeout=30)
    assert out == "interrupted\n" and time.monotonic() - began < 10
