"""Twins and comparisons: arrays of every kind in, verdicts out."""

import threading
import time

import ml_dtypes
import numpy as np
import pytest

import ktwin

RNG = np.random.default_rng(5)
X = RNG.standard_normal((5, 32)).astype(np.float32)
W = RNG.standard_normal(32).astype(np.float32)


def rmsnorm(x, w, eps=1e-5):
    x32, w32 = x.astype(np.float32), w.astype(np.float32)
    ms = (x32 * x32).mean(axis=-1, keepdims=True, dtype=np.float32)
    return (x32 / np.sqrt(ms + np.float32(eps)) * w32).astype(x.dtype)


def test_a_twin_has_a_value_and_a_bar():
    twin = ktwin.twin("rmsnorm", x=X, w=W, eps=1e-5)
    x = X.astype(np.float64)
    due = x / np.sqrt((x * x).mean(axis=1, keepdims=True) + 1e-5) * W
    assert twin.value.dtype == np.float64
    np.testing.assert_allclose(twin.value, due, rtol=1e-12)
    assert (twin.bar > 0).all() and (twin.bar < 1e-5).all()
    assert (np.abs(rmsnorm(X, W) - twin.value) <= twin.bar).all()
    assert list(twin) == ["y"] and twin["y"].value is twin.value


def test_bars_are_those_of_the_promise():
    wide = ktwin.twin("rmsnorm", x=X, w=W, compute="f16").bar
    assert (wide > 100 * ktwin.twin("rmsnorm", x=X, w=W).bar).all()
    assert (ktwin.twin("rmsnorm", x=X, w=W, types={"y": "f16"}).bar < wide).any()


def test_integers_come_as_integers():
    twin = ktwin.twin("argmax", x=X[0])
    assert twin.value.dtype == np.int64
    np.testing.assert_array_equal(twin.value, X[0].argmax())


@pytest.mark.parametrize("kind", ["float32", "float16", ml_dtypes.bfloat16])
def test_what_is_right_passes_and_what_is_wrong_fails(kind):
    x, w = X.astype(kind), W.astype(kind)
    y = rmsnorm(x, w)
    report = ktwin.assert_twin("rmsnorm", y, x=x, w=w)
    assert report.ok and report.ratio <= 1
    (measured,) = report.measures.values()
    step = float(ml_dtypes.finfo(kind).eps)
    assert measured["nmse"] < step**2 and measured["max_abs"] >= measured["mean_abs"] >= 0
    y[3, 7] += y.dtype.type(0.5)
    with pytest.raises(ktwin.TwinAssertionError) as error:
        ktwin.assert_twin("rmsnorm", y, x=x, w=w)
    assert "y[3, 7]" in str(error.value) and "1 of 160 elements wrong" in str(error.value)
    report = error.value.report
    assert report.verdict == "fail" and report.worst[0]["index"] == [3, 7] and report.worst[0]["output"] == "y"


def test_the_rung_is_named():
    a, b = (RNG.standard_normal((n, 256)).astype(np.float16) for n in (16, 24))
    exact = a.astype(np.float64) @ b.astype(np.float64).T
    coarse = np.zeros((16, 24), np.float16)
    for k in range(256):
        coarse = (coarse + a[:, k, None] * b[None, :, k]).astype(np.float16)
    values = dict(a=a, b=np.ascontiguousarray(b.T))
    assert ktwin.compare("gemm", {"c": exact.astype(np.float16)}, **values).ok
    report = ktwin.compare("gemm", {"c": coarse}, **values)
    assert report.verdict == "fail" and report.rung == "f32/f16", report


def test_fp8_is_read():
    x = RNG.standard_normal(64).astype(ml_dtypes.float8_e4m3fn)
    y = (x.astype(np.float32) * np.float32(0.5)).astype(np.float32)
    assert ktwin.compare("scale", y, x=x, alpha=0.5).verdict == "pass"
    assert ktwin.compare("scale", y * 2, x=x, alpha=0.5).verdict == "fail"


def test_leading_dimensions_are_applications_of_a_twin():
    whole = np.stack([X, 2 * X, X[::-1]]).reshape(3, 1, 5, 32)
    twin = ktwin.twin("rmsnorm", x=whole, w=W)
    assert twin.value.shape == twin.bar.shape == (3, 1, 5, 32)
    for part, value, bar in zip(whole[:, 0], twin.value[:, 0], twin.bar[:, 0]):
        alone = ktwin.twin("rmsnorm", x=part, w=W)
        np.testing.assert_array_equal(value, alone.value)
        np.testing.assert_array_equal(bar, alone.bar)


def test_leading_dimensions_are_applications():
    x = RNG.standard_normal((3, 5, 32)).astype(np.float32)
    y = rmsnorm(x, W)
    assert ktwin.compare("rmsnorm", y, x=x, w=W).ok
    y[2, 0, 0] += 1
    assert ktwin.compare("rmsnorm", y, x=x, w=W).verdict == "fail"
    with pytest.raises(ktwin.KtwinError, match="leading dimensions"):
        ktwin.compare("rmsnorm", y, x=x, w=np.stack([W, W]))


def test_views_are_read_as_they_are():
    wide = RNG.standard_normal((32, 10)).astype(np.float32)
    for x in (wide.T, wide.T[::2], wide.T[::-1, ::-1], np.broadcast_to(W, (4, 32))):
        assert ktwin.compare("rmsnorm", rmsnorm(x, W), x=x, w=W).ok
        assert not ktwin.compare("rmsnorm", rmsnorm(x, W)[..., ::-1], x=x, w=W).ok
    locked = X.copy()
    locked.flags.writeable = False
    assert ktwin.compare("rmsnorm", rmsnorm(X, W), x=locked, w=W).ok


class OnlyDlpack:
    """An array of another library, in the processor's memory."""

    def __init__(self, array):
        self.array = array

    def __dlpack__(self, **more):
        return self.array.__dlpack__(**more)

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


class OnDevice(OnlyDlpack):
    def __dlpack_device__(self):
        return (2, 0)


class Nowhere(OnlyDlpack):
    def __dlpack_device__(self):
        raise ValueError("no such device")


class OnlyArray:
    def __init__(self, array):
        self.array = array

    def __array__(self, dtype=None, copy=None):
        return self.array


@pytest.mark.parametrize("kind", [OnlyDlpack, OnlyArray, memoryview, np.ndarray.tolist])
def test_arrays_of_other_libraries(kind):
    x = X if kind is not np.ndarray.tolist else X.astype(np.float64)
    assert ktwin.compare("rmsnorm", rmsnorm(X, W), x=kind(x), w=W).ok


def test_a_tensor_with_a_gradient_is_detached():
    class Tensor(OnlyArray):
        requires_grad = True

        def __array__(self, dtype=None, copy=None):
            raise RuntimeError("call detach() first")

        def detach(self):
            return OnlyArray(self.array)

    assert ktwin.compare("rmsnorm", rmsnorm(X, W), x=Tensor(X), w=W).ok


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"x": X}, r"input w\[D\] of op rmsnorm is not given"),
        ({"x": X, "w": W[:5]}, "D = 5"),
        ({"x": X, "w": W, "esp": 1}, "did you mean `eps`"),
        ({"x": X, "w": W, "eps": "small"}, "give it a number, not str"),
        ({"x": X, "w": W, "eps": -1.0}, "eps"),
        ({"x": X.astype(object), "w": W}, "an array of Python objects"),
        ({"x": X.astype(">f4"), "w": W}, "byte order of another machine"),
        ({"x": X[:0], "w": W}, "no elements"),
        ({"x": X.astype(complex), "w": W}, "type complex128"),
        ({"x": "text", "w": W}, "type <U4"),
        ({"x": OnDevice(X), "w": W}, "x is on a device"),
        ({"x": object(), "w": W}, "x is an array of Python objects"),
        ({"x": Nowhere(X), "w": W}, "x: Nowhere cannot be read as an array: no such device"),
        ({"x": np.ma.masked_array(X, X > 0), "w": W}, "x is a masked array"),
        ({"x": X, "w": W, "types": {"x": "q4_9"}}, "q4_9"),
        ({"x": X, "w": W, "types": {"z": "f16"}}, "no tensor `z`"),
        ({"x": X, "w": W, "compute": "f31"}, "did you mean `f32`"),
        ({"x": X, "w": W, "language": "fortran"}, "fortran"),
        ({"x": X, "w": W, "round": {"q": "f16"}}, "q"),
        ({"x": X, "w": W, "bars": "none"}, "statistical"),
        ({"x": X, "w": W, "R": 1 << 40}, "R"),
    ],
)
def test_bad_input_has_one_clear_message(values, message):
    for call in (ktwin.twin, lambda op, **v: ktwin.compare(op, X, **v)):
        with pytest.raises(ktwin.KtwinError, match=message):
            call("rmsnorm", **values)


def test_ops_by_name_and_by_file(tmp_path):
    assert "rmsnorm" in ktwin.ops()
    with pytest.raises(ktwin.KtwinError, match="did you mean `rmsnorm`"):
        ktwin.twin("rmsnrom", x=X)
    with pytest.raises(ktwin.KtwinError, match="cannot read it"):
        ktwin.twin(tmp_path / "none.op", x=X)
    file = tmp_path / "twice.op"
    file.write_text("op twice(x[N]) -> y[N]\n\ny[n] = 2 * x[n]\n")
    np.testing.assert_array_equal(ktwin.twin(file, x=W).value, 2.0 * W)
    file.write_text("op twice(x[N]) -> y[N]\n\ny[n] = 2 * z[n]\n")
    with pytest.raises(ktwin.KtwinError, match=r"twice.op:3"):
        ktwin.twin(file, x=W)


def test_memory_that_is_not_there_is_refused():
    row = np.ones(1 << 18, np.float32)
    with pytest.raises(ktwin.KtwinError, match="GiB"):
        ktwin.twin("gemm", a=row[:, None], b=row[None, :])


def test_outputs_must_fit():
    with pytest.raises(ktwin.KtwinError, match="no output `z`"):
        ktwin.compare("rmsnorm", {"z": X}, x=X, w=W)
    with pytest.raises(ktwin.KtwinError, match=r"\[4, 32\]"):
        ktwin.compare("rmsnorm", X[:4], x=X, w=W)
    with pytest.raises(ktwin.KtwinError, match="name one"):
        ktwin.twin("topk", x=X, K=2).value


def test_notebooks_get_a_table():
    good = ktwin.compare("rmsnorm", rmsnorm(X, W), x=X, w=W)._repr_html_()
    bad = ktwin.compare("rmsnorm", X, x=X, w=W)._repr_html_()
    assert "pass" in good and "<table>" not in good
    assert "fail" in bad and "<table>" in bad and "<pre" in bad and "expected" in bad


def test_other_threads_run_meanwhile():
    big = np.ones((600, 600), np.float32)
    ticks, over = [], threading.Event()

    def count():
        while not over.is_set():
            ticks.append(time.monotonic())
            time.sleep(0.001)

    thread = threading.Thread(target=count)
    thread.start()
    began = time.monotonic()
    ktwin.twin("gemm", a=big, b=big)
    ended = time.monotonic()
    over.set()
    thread.join()
    pauses = np.diff([t for t in ticks if began <= t <= ended])
    assert ended - began < 0.05 or (len(pauses) and pauses.max() < 0.8 * (ended - began))
