"""Twins of ops on arrays, and arrays judged by them."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from . import _arrays, _ktwin
from ._ktwin import KtwinError
from ._report import Report

Facts = dict[str, Any]


@dataclass(frozen=True)
class Twin:
    """One output: what each element must be, and the most that an honest kernel may be off."""

    name: str
    value: npt.NDArray[Any]
    """f64, or i64 where the op gives integers."""
    bar: npt.NDArray[np.float64]
    """Infinite where nothing is promised."""


class Twins(Mapping[str, Twin]):
    """All outputs of an op by name. `value` and `bar` are those of the only output."""

    def __init__(self, op: str, twins: dict[str, Twin]) -> None:
        self._op, self._twins = op, twins

    def __repr__(self) -> str:
        outputs = ", ".join(f"{name}{list(twin.value.shape)}" for name, twin in self._twins.items())
        return f"Twins({self._op}: {outputs})"

    def _only(self) -> Twin:
        if len(self._twins) > 1:
            raise KtwinError(
                f"op {self._op} has the outputs {', '.join(self._twins)}: name one, twin['{next(iter(self))}']"
            )
        return next(iter(self._twins.values()))

    @property
    def value(self) -> npt.NDArray[Any]:
        """What each element of the only output must be."""
        return self._only().value

    @property
    def bar(self) -> npt.NDArray[np.float64]:
        """How far each element of the only output may be off."""
        return self._only().bar

    def __getitem__(self, name: str) -> Twin:
        return self._twins[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._twins)

    def __len__(self) -> int:
        return len(self._twins)


def facts_of(op: str | os.PathLike[str]) -> Facts:
    """What there is of an op of the catalogue, or in an .op file."""
    facts: Facts = json.loads(_ktwin.facts(os.fspath(op)))
    return facts


def named(facts: Facts, what: str) -> list[str]:
    """The names of an op's inputs, outputs or scalars."""
    return [part["name"] for part in facts[what]]


def _setting(name: str, value: Any) -> str:
    if isinstance(value, (bool, np.bool_)):
        return f"{name}={'true' if value else 'false'}"
    if isinstance(value, (int, np.integer)):
        return f"{name}={int(value)}"
    try:
        return f"{name}={float(value)!r}"
    except (TypeError, ValueError):
        raise KtwinError(
            f"{name} is a size or a scalar of the op: give it a number, not {type(value).__name__}"
        ) from None


def _asked(
    op: str | os.PathLike[str], values: dict[str, Any], options: dict[str, Any]
) -> tuple[Facts, str, list[tuple[str, str, tuple[int, ...], bytes]]]:
    facts = facts_of(op)
    inputs = named(facts, "inputs")
    numbers = facts["dims"] + named(facts, "scalars")
    for name in values:
        if name not in inputs and name not in numbers:
            what = "input, size or scalar"
            raise KtwinError(_ktwin.unknown(facts["name"], what, name, inputs + numbers))
    settings = [_setting(name, value) for name, value in values.items() if name not in inputs]
    request = {"op": os.fspath(op), "settings": settings, **options}
    arrays = [_arrays.given(array, name) for name, array in values.items() if name in inputs]
    return facts, json.dumps(request), arrays


_BARS = {"auto": None, "worst": True, "statistical": False}


def _options(
    types: Mapping[str, str] | None,
    language: str,
    compute: str,
    accumulate: str | None,
    round: Mapping[str, str] | None,
    bars: str,
    policy: str | None = None,
) -> dict[str, Any]:
    if bars not in _BARS:
        raise KtwinError(f"bars={bars!r}: there are {', '.join(_BARS)}")
    return {
        "types": dict(types or {}),
        "language": language,
        "compute": compute,
        "accumulate": accumulate,
        "round": dict(round or {}),
        "worst": _BARS[bars],
        "policy": policy,
    }


def twin(
    op: str | os.PathLike[str],
    /,
    *,
    types: Mapping[str, str] | None = None,
    language: str = "c",
    compute: str = "f32",
    accumulate: str | None = None,
    round: Mapping[str, str] | None = None,
    bars: str = "auto",
    **values: Any,
) -> Twins:
    """Evaluates an op on arrays: its outputs, and the error bar of every element.

    `op` is a name of the catalogue or the path of an `.op` file; `values` are its inputs, sizes and scalars.
    The bars are those of a kernel that computes at the rung `compute`, sums at `accumulate` and has the functions of
    `language`. `types` names what arrays stand for where they are not what they are stored as (`w="q4_0"` for
    packed bytes), and the types of outputs. Arrays may have leading dimensions beyond the op's: then the op is applied
    to each index of them.

    >>> import numpy as np, ktwin
    >>> x = np.array([1, 2, 3], dtype=np.float32)
    >>> ktwin.twin("scale", x=x, alpha=0.5).value
    array([0.5, 1. , 1.5])
    """
    options = _options(types, language, compute, accumulate, round, bars)
    facts, request, arrays = _asked(op, values, options)
    twins = {}
    for name, shape, integer, value, bar in _ktwin.twin(request, arrays):
        whole: npt.NDArray[Any] = np.frombuffer(value).reshape(shape)
        whole = whole.astype(np.int64) if integer else whole
        twins[name] = Twin(name, whole, np.frombuffer(bar).reshape(shape))
    return Twins(facts["name"], twins)


def compare(
    op: str | os.PathLike[str],
    /,
    out: Any,
    *,
    types: Mapping[str, str] | None = None,
    language: str = "c",
    compute: str = "f32",
    accumulate: str | None = None,
    round: Mapping[str, str] | None = None,
    bars: str = "auto",
    policy: str | None = None,
    **values: Any,
) -> Report:
    """Judges arrays that any program computed, as `ktwin compare` does.

    `out` is the output, or a dictionary of outputs by name. Arrays may have leading dimensions beyond the op's: then
    the op is applied to each index of them.

    >>> import numpy as np, ktwin
    >>> x = np.array([1, 2, 3], dtype=np.float32)
    >>> report = ktwin.compare("scale", x * np.float32(0.1), x=x, alpha=0.1)
    >>> report.verdict, report.ratio < 1
    ('pass', True)
    """
    options = _options(types, language, compute, accumulate, round, bars, policy)
    facts, request, inputs = _asked(op, values, options)
    names = named(facts, "outputs")
    if not isinstance(out, Mapping):
        if len(names) > 1:
            raise KtwinError(f"op {facts['name']} has the outputs {', '.join(names)}: give out={{'{names[0]}': ...}}")
        out = {names[0]: out}
    outputs = [_arrays.given(array, name) for name, array in out.items()]
    return Report._of(*_ktwin.compare(request, inputs, outputs))


def assert_twin(op: str | os.PathLike[str], /, out: Any, **values: Any) -> Report:
    """`compare`, and TwinAssertionError with the terminal's text unless the verdict is a pass.

    >>> import numpy as np, ktwin
    >>> x = np.array([1, 2, 3], dtype=np.float32)
    >>> ktwin.assert_twin("scale", x * np.float32(0.1), x=x, alpha=0.1)
    <ktwin.Report scale: pass>
    """
    return compare(op, out, **values).check()
