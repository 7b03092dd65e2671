"""A function's contract: what a user says of it, as the TOML that kernels in files have at their top."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ._ktwin import KtwinError
from ._twin import Facts, named

KEYS = (
    "accumulate",
    "batch_invariant",
    "compute",
    "deterministic",
    "dims",
    "fill",
    "fix",
    "form",
    "inplace",
    "layout",
    "nan",
    "policy",
    "round",
    "tile",
    "ties",
    "types",
    "where",
)


def op_path(op: str | os.PathLike[str], beside: str | None) -> str:
    """An op's name; a path of an .op file from the folder of the file that names it."""
    text = os.fspath(op)
    if not text.endswith(".op") or Path(text).is_absolute():
        return text
    near = Path(beside).parent / text if beside else Path(text)
    return str((near if near.exists() else Path(text)).resolve())


def toml(op: str, facts: Facts, said: Mapping[str, Any]) -> str:
    """The contract. Every tensor is passed, and every value that a shape is made of."""
    for key in said:
        if key not in KEYS:
            raise KtwinError(f"`{key}` is no key of a function's contract (there are {', '.join(KEYS)})")
    inputs = named(facts, "inputs")
    outputs = [name for name in named(facts, "outputs") if name not in inputs and name not in said.get("inplace", {})]
    values = dict(facts["told"])
    if said.get("compute") == "f64":
        values = {name: "f64" if dtype == "f32" else dtype for name, dtype in values.items()}
    for name in strided(said):
        rank = next(len(t["axes"]) for t in facts["inputs"] + facts["outputs"] if t["name"] == name)
        values |= {f"{name}.offset": "i64"} | {f"{name}.stride{along}": "i64" for along in range(rank)}
    args: list[Any] = [*inputs, *outputs, *([values] if values else [])]
    lines = [f"op = {_value(op)}", *(f"{key} = {_value(value)}" for key, value in said.items())]
    return "\n".join([*lines, f"args = {_value(args)}", ""])


def strided(said: Mapping[str, Any]) -> list[str]:
    """Tensors that may lie in memory in other ways than row by row."""
    return list(said.get("layout", {}))


def _value(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        return repr(value)
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{_value(str(key))} = {_value(item)}" for key, item in value.items()) + " }"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(map(_value, value)) + "]"
    if isinstance(value, (str, os.PathLike)):
        return json.dumps(os.fspath(value), ensure_ascii=False)
    raise KtwinError(f"a contract holds text, numbers, lists and dictionaries, not {type(value).__name__}: {value!r}")
