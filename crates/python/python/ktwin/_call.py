"""One call of a user's function: buffers made into arrays, results written back, and what went wrong in words."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from . import _arrays
from ._ktwin import KtwinError
from ._twin import Facts, named

Buffer = tuple[str, str, bytearray, int, int, bool]
Values = dict[str, "int | float"]
# addresses that vector instructions like
_ALIGNED = 256


class _Mismatch(Exception):
    """What a function returned does not fit its contract."""


@dataclass(frozen=True)
class Calling:
    """How a function is called. Plain data: it travels to another process."""

    facts: Facts
    parameters: tuple[str, ...]
    """What the function takes, by name."""
    inplace: Mapping[str, str]
    """Outputs that are written over an input of another name."""
    layouts: tuple[str, ...]
    """Tensors whose strides and offset are told."""
    to: Callable[[Any], Any] | None
    """What makes another library's array of NumPy's."""


def call(function: Callable[..., Any], how: Calling, buffers: list[Buffer], values: Values) -> tuple[str, str]:
    """Calls the function on buffers, which hold afterwards what it left there: an empty word, or how it failed."""
    try:
        _call(function, how, buffers, values)
    except (_Mismatch, KtwinError) as error:
        return "mismatch", str(error)
    except MemoryError as error:
        return "memory", str(error)
    except (Exception, SystemExit) as error:
        return "crash", _told(error)
    return "", ""


def _told(error: BaseException) -> str:
    """An exception with the user's line, the last that is not ours or a library's."""
    what = "".join(traceback.format_exception_only(type(error), error)).strip()
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename != __file__]
    own = [frame for frame in frames if "site-packages" not in frame.filename] or frames
    return f"{what} ({own[-1].filename}:{own[-1].lineno}: {own[-1].line})" if own else what


def _call(function: Callable[..., Any], how: Calling, buffers: list[Buffer], values: Values) -> None:
    memory = {name: _memory(raw) for name, _, raw, _, _, _ in buffers}
    views = {buffer[0]: _view(how, buffer, memory[buffer[0]], values) for buffer in buffers}
    views |= {output: views[over] for output, over in how.inplace.items()}
    booleans = {scalar["name"] for scalar in how.facts["scalars"] if scalar["type"] == "boolean"}
    given: dict[str, Any] = {}
    for name in how.parameters:
        if name in views:
            given[name] = how.to(views[name]) if how.to else views[name]
        else:
            given[name] = bool(values[name]) if name in booleans else values[name]
    # plans overflow and divide by zero on purpose
    with np.errstate(all="ignore"):
        returned = function(**given)
    outputs = named(how.facts, "outputs")
    for name, array in _returned(returned, [name for name in outputs if name not in how.parameters], outputs):
        _write(name, array, views[name])
    for name, _, raw, _, _, _ in buffers:
        raw[:] = memory[name].tobytes()


def _memory(raw: bytearray) -> _arrays.Array:
    """The bytes in memory of their own, aligned."""
    whole: _arrays.Array = np.empty(len(raw) + _ALIGNED, dtype=np.uint8)
    start = -whole.ctypes.data % _ALIGNED
    memory = whole[start : start + len(raw)]
    memory[:] = np.frombuffer(raw, dtype=np.uint8)
    return memory


def _view(how: Calling, buffer: Buffer, memory: _arrays.Array, values: Values) -> _arrays.Array:
    """A buffer's body as an array of its tensor's shape and layout; packed formats as bytes along the last axis."""
    name, dtype, _, start, end, _ = buffer
    tensor = next(t for t in how.facts["inputs"] + how.facts["outputs"] if t["name"] == name)
    shape = [int(axis) if axis.isdigit() else int(values[axis]) for axis in tensor["axes"]]
    kind = _arrays.dtype_of(dtype)
    body = memory[start:end].view(kind)
    if name in how.layouts:
        steps = [int(values[f"{name}.stride{along}"]) * kind.itemsize for along in range(len(shape))]
        return np.lib.stride_tricks.as_strided(body[int(values[f"{name}.offset"]) :], shape, steps)
    whole = int(np.prod(shape, dtype=np.int64))
    return body.reshape(shape) if body.size == whole else body.reshape([*shape[:-1], -1])


def _returned(returned: Any, due: list[str], outputs: list[str]) -> list[tuple[str, Any]]:
    """What was returned, by the outputs' names. Outputs that the function takes are written there."""
    if isinstance(returned, Mapping):
        wrong = [name for name in returned if name not in outputs] + [name for name in due if name not in returned]
        if wrong:
            raise _Mismatch(
                f"it returned {', '.join(map(str, returned)) or 'nothing'}, the op has {', '.join(outputs)}"
            )
        return list(returned.items())
    if returned is None:
        # an output that is written over an input may be written there
        return [] if not due else _missing(due)
    if not due:
        return []
    several = list(returned) if isinstance(returned, (tuple, list)) else [returned]
    if len(several) != len(due):
        raise _Mismatch(f"it returned {len(several)} arrays, and {len(due)} are due: {', '.join(due)}")
    return list(zip(due, several))


def _missing(due: list[str]) -> list[tuple[str, Any]]:
    raise _Mismatch(f"it returned nothing: return {', '.join(due)}, or take a parameter of that name and write to it")


def _write(name: str, array: Any, view: _arrays.Array) -> None:
    got = _arrays.as_numpy(array, name)
    if got.shape != view.shape:
        raise _Mismatch(f"it returned {name} of shape {got.shape}, {view.shape} is due")
    if got.dtype != view.dtype:
        here, due = got.dtype.name, view.dtype.name
        raise _Mismatch(f"it returned {name} as {here}, {due} is due: convert it, or say types={{'{name}': ...}}")
    view[...] = got
