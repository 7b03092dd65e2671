"""Python functions tested as kernels."""

from __future__ import annotations

import functools
import inspect
import json
import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from . import _arrays, _call, _contract, _ktwin
from ._isolated import Isolated, found
from ._ktwin import KtwinError
from ._report import Report
from ._twin import facts_of, named

F = TypeVar("F", bound=Callable[..., Any])


@dataclass(frozen=True)
class Plan:
    """The cases that a kernel is tested with."""

    cases: list[tuple[str, str]]
    """Each case, and why it was chosen."""
    gaps: list[str]
    """What they leave out, and why."""


@dataclass(frozen=True)
class Case:
    """One case with its inputs."""

    text: str
    """The case as a line, which repeats it."""
    dims: dict[str, int]
    """Its sizes."""
    scalars: dict[str, Any]
    """Its scalars."""
    inputs: dict[str, _arrays.Array]
    """Its inputs, in the types and layouts that the contract names."""

    @property
    def values(self) -> dict[str, Any]:
        """Inputs and scalars together, for `ktwin.twin(op, **case.values)`."""
        return {**self.inputs, **self.scalars}


class Kernel(Generic[F]):
    """A Python function with its contract. Calling it calls the function."""

    def __init__(
        self,
        function: F,
        op: str | os.PathLike[str],
        *,
        isolate: bool = False,
        timeout: float = 10.0,
        to: Callable[[Any], Any] | None = None,
        **contract: Any,
    ) -> None:
        self.function = function
        self.name: str = getattr(function, "__qualname__", type(function).__qualname__)
        functools.update_wrapper(self, function, updated=())
        self.op = _contract.op_path(op, _file_of(function))
        facts = facts_of(self.op)
        self.contract = _contract.toml(self.op, facts, contract)
        inplace = {str(k): str(v) for k, v in dict(contract.get("inplace", {})).items()}
        layouts = tuple(_contract.strided(contract))
        parameters = _parameters(function, facts, contract)
        self._how = _call.Calling(facts, parameters, inplace, layouts, to)
        self._isolate, self._timeout = isolate, timeout
        _ktwin.plan(self.name, self.contract, True)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.function(*args, **kwargs)

    def __repr__(self) -> str:
        return f"<ktwin.Kernel {self.name}: {self.op}>"

    def plan(self, *, quick: bool = False) -> Plan:
        """The cases that `test` runs."""
        plan = json.loads(_ktwin.plan(self.name, self.contract, quick))
        return Plan([(case["case"], case["why"]) for case in plan["cases"]], plan["gaps"])

    def cases(self, *, quick: bool = True, seed: int | None = None) -> Iterator[Case]:
        """The cases of the plan, each with its inputs."""
        for text, _ in self.plan(quick=quick).cases:
            yield self.case(text, seed=seed)

    def case(self, text: str, *, seed: int | None = None) -> Case:
        """One case with its inputs, by its line. `seed` replaces that of the line; without either, one is drawn."""
        whole, parts, inputs = _ktwin.inputs(self.name, self.contract, text, _checked(seed))
        case = json.loads(parts)
        arrays = {n: _arrays.from_bytes(raw, kind, shape, steps) for n, kind, shape, steps, raw in inputs}
        return Case(whole, case["dims"], case["scalars"], arrays)

    def test(self, *, quick: bool = False, seed: int | None = None, case: str | None = None) -> Report:
        """Tests the function by its whole plan, or by one case alone, and returns what is said of it."""
        call, done = self._caller()
        try:
            made = _ktwin.test(
                (self.name, self.contract), call, (quick, _checked(seed), case), (f'{self.name}.test(case="', '")')
            )
        finally:
            done()
        return Report._of(*made)

    def check(self, *, quick: bool = False, seed: int | None = None, case: str | None = None) -> Report:
        """The same, and TwinAssertionError unless it passes. A single case that could not have failed is fine."""
        report = self.test(quick=quick, seed=seed, case=case)
        return report if case is not None and report.verdict == "blind" else report.check()

    def _caller(self) -> tuple[Callable[..., tuple[str, str]], Callable[[], None]]:
        if not self._isolate:
            return functools.partial(_call.call, self.function, self._how), lambda: None
        module = getattr(self.function, "__module__", "")
        try:
            same = found(module, self.name) is self.function
        except Exception:
            same = False
        if not same:
            raise KtwinError(
                f"{self.name} is not a name of module {module}: a function with isolate=True is imported by a "
                "process of its own, so define it at the top of a file"
            )
        isolated = Isolated(module, self.name, self._how, self._timeout)
        return isolated, isolated.close


def _checked(seed: int | None) -> int | None:
    if seed is not None and not 0 <= seed < 1 << 64:
        raise KtwinError(f"seed={seed}: a seed is a whole number from 0 to {(1 << 64) - 1}")
    return seed


def _file_of(function: Any) -> str | None:
    return getattr(getattr(function, "__code__", None), "co_filename", None)


def _parameters(function: Callable[..., Any], facts: dict[str, Any], contract: Mapping[str, Any]) -> tuple[str, ...]:
    """What the function takes, by name."""
    tensors = named(facts, "inputs") + [n for n in named(facts, "outputs") if n not in named(facts, "inputs")]
    numbers = facts["dims"] + named(facts, "scalars")
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        raise KtwinError(f"{function!r} does not say what it takes: wrap it in a function that does") from None
    taken: list[str] = []
    for parameter in signature.parameters.values():
        if parameter.kind is parameter.VAR_KEYWORD:
            every = [name for name in named(facts, "inputs") + numbers if name not in taken]
            return tuple(taken + every)
        if parameter.name in tensors + numbers and parameter.kind is not parameter.POSITIONAL_ONLY:
            taken.append(parameter.name)
        elif parameter.kind is parameter.VAR_POSITIONAL or parameter.default is not parameter.empty:
            continue
        else:
            wrong = _ktwin.unknown(facts["name"], "input, output, size or scalar", parameter.name, tensors + numbers)
            raise KtwinError(f"{getattr(function, '__qualname__', function)}: {wrong}")
    missing = [name for name in named(facts, "scalars") if name not in taken and name not in contract.get("fix", {})]
    if missing:
        raise KtwinError(
            f"{getattr(function, '__qualname__', function)} does not take the scalar {missing[0]} of op "
            f"{facts['name']}, which plans vary: add a parameter, or fix={{'{missing[0]}': ...}}"
        )
    return tuple(taken)


def kernel(
    op: str | os.PathLike[str],
    *,
    isolate: bool = False,
    timeout: float = 10.0,
    to: Callable[[Any], Any] | None = None,
    **contract: Any,
) -> Callable[[F], Kernel[F]]:
    """Makes a kernel of a function: `ktwin.kernel(op="rmsnorm", types={"x": "f16"}, tile={"D": 128})`.

    The function's parameters are the op's inputs, sizes and scalars, by name; it returns the outputs. An output that is
    a parameter is written in place instead. `to` makes another library's array of each (`torch.from_numpy`). With
    `isolate` the function runs in a process of its own: one that crashes or takes more than `timeout` seconds a call is
    reported as such. All else is the contract: `types`, `dims`, `tile`, `compute` …

    >>> import numpy as np, ktwin
    >>> @ktwin.kernel(op="scale")
    ... def scale(x, alpha):
    ...     return x * np.float32(alpha)
    >>> scale.test(quick=True).verdict
    'pass'
    """
    return lambda function: Kernel(function, op, isolate=isolate, timeout=timeout, to=to, **contract)


def _of_op(op: str | os.PathLike[str], contract: Mapping[str, Any]) -> Kernel[Any]:
    def anything(**values: Any) -> None:
        """A kernel of which only its contract is known."""

    return Kernel(anything, op, **contract)


def cases(
    op: str | os.PathLike[str] | Kernel[Any], *, quick: bool = True, seed: int | None = None, **contract: Any
) -> Iterator[Case]:
    """The cases that a kernel of an op is tested with, each with its inputs: for tests of one's own.

    >>> import numpy as np, ktwin
    >>> for case in ktwin.cases("scale", types={"x": "f16", "y": "f16"}, seed=1):
    ...     x, alpha = case.inputs["x"], np.float32(case.scalars["alpha"])
    ...     y = (x.astype(np.float32) * alpha).astype(np.float16)
    ...     report = ktwin.compare("scale", y, **case.values)
    ...     assert report.verdict in ("pass", "blind"), report
    """
    found = op if isinstance(op, Kernel) else _of_op(op, contract)
    return found.cases(quick=quick, seed=seed)


def plan(kernel: str | os.PathLike[str] | Kernel[Any], *, quick: bool = False) -> Plan:
    """The cases that a kernel is tested with, and what they leave out; of a file, what `ktwin plan` says.

    >>> import ktwin
    >>> @ktwin.kernel(op="scale")
    ... def scale(x, alpha):
    ...     return x * alpha
    >>> len(ktwin.plan(scale).cases) > len(ktwin.plan(scale, quick=True).cases) > 0
    True
    """
    if isinstance(kernel, Kernel):
        return kernel.plan(quick=quick)
    from ._command import plan_of_file

    cases, gaps = plan_of_file(os.fspath(kernel), quick)
    return Plan(cases, gaps)
