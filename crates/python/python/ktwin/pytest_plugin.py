"""pytest collects kernels: functions with the mark `ktwin`, and `ktwin.Kernel` objects, one test a kernel or a case.

Nothing of ktwin is loaded before there is such a test.
"""

from __future__ import annotations

import inspect
import secrets
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, cast

import pytest

if TYPE_CHECKING:
    from ._kernel import Kernel
    from ._report import Reports

_SEED = pytest.StashKey[int]()


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("ktwin", "kernels against their twins")
    amount = group.addoption
    amount("--ktwin-quick", action="store_true", help="each size once, in few regimes, and few drawn cases")
    amount("--ktwin-standard", action="store_true", help="the whole plan, also where a mark says quick")
    amount("--ktwin-seed", type=int, help="the seed of all inputs; by default, a new one for each run")


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line(
        "markers",
        'ktwin(op, *, per="kernel", quick=False, isolate=False, to=None, **contract): the function is a kernel of this '
        'op, its parameters are inputs and scalars, and it returns the outputs; per="case" makes a test of every case',
    )
    if config.getoption("ktwin_quick") and config.getoption("ktwin_standard"):
        raise pytest.UsageError("--ktwin-quick and --ktwin-standard exclude each other")
    # a worker of xdist has the seed of all
    given = getattr(config, "workerinput", {}).get("ktwin_seed", config.getoption("ktwin_seed"))
    config.stash[_SEED] = secrets.randbits(32) if given is None else int(given)


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    """xdist starts a worker."""
    node.workerinput["ktwin_seed"] = node.config.stash[_SEED]


def pytest_report_header(config: pytest.Config) -> str:
    return f"ktwin: --ktwin-seed {config.stash[_SEED]}"


def _amount(config: pytest.Config, own: bool) -> bool:
    """Whether the quick plan is run."""
    if config.getoption("ktwin_standard"):
        return False
    return own or bool(config.getoption("ktwin_quick"))


def pytest_pycollect_makeitem(collector: pytest.Module | pytest.Class, name: str, obj: object) -> Any:
    if not collector.funcnamefilter(name):
        return None
    mark = next((m for m in getattr(obj, "pytestmark", []) if m.name == "ktwin"), None)
    if mark is None and type(obj).__module__ != "ktwin._kernel":
        return None
    from ._kernel import Kernel
    from ._ktwin import KtwinError

    if any(m.name == "parametrize" for m in getattr(obj, "pytestmark", [])):
        raise collector.CollectError(f"{name}: the plan chooses a kernel's cases: write a function for each parameter")
    if isinstance(collector, pytest.Class) and mark and inspect.isfunction(collector.obj.__dict__.get(name)):
        obj = getattr(collector.obj(), name)
    args, said = (mark.args, dict(mark.kwargs)) if mark else ((), {})
    per, quick = said.pop("per", "kernel"), bool(said.pop("quick", False))
    if per not in ("kernel", "case"):
        raise collector.CollectError(f"{name}: per={per!r}: write per='kernel' or per='case'")
    try:
        made: Kernel[Any] = obj if isinstance(obj, Kernel) else Kernel(cast(Any, obj), *args, **said)
        cases = [case for case, _ in made.plan(quick=_amount(collector.config, quick)).cases] if per == "case" else []
    except (KtwinError, TypeError) as error:
        said_whose = str(error).startswith(f"{getattr(obj, '__qualname__', name)}: ")
        raise collector.CollectError(str(error) if said_whose else f"{name}: {error}") from None
    if per == "kernel":
        return KernelItem.from_parent(collector, name=name, kernel=made, quick=quick)
    return [KernelItem.from_parent(collector, name=f"{name}[{c}]", kernel=made, quick=quick, case=c) for c in cases]


class KernelItem(pytest.Item):
    """A kernel, or one case of it."""

    def __init__(self, *, kernel: Kernel[Any], quick: bool, case: str | None = None, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.kernel, self.quick, self.case = kernel, quick, case
        function = kernel.function
        self.obj = function
        self.own_markers.extend(m for m in getattr(function, "pytestmark", []) if m.name != "ktwin")

    def runtest(self) -> None:
        seed = self.config.stash[_SEED]
        self.user_properties.append(("ktwin_seed", seed))
        case = None if self.case is None else f"{self.case},seed={seed}"
        self.kernel.check(quick=_amount(self.config, self.quick), seed=seed, case=case)

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """What the terminal of `ktwin test` says, and nothing of ours."""
        from ._ktwin import KtwinError
        from ._report import TwinAssertionError

        if isinstance(excinfo.value, (TwinAssertionError, KtwinError)):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Any, int | None, str]:
        code = getattr(self.kernel.function, "__code__", None)
        return self.path, code.co_firstlineno - 1 if code else None, self.name


class FileTester:
    """What the fixture `ktwin_files` gives."""

    def __init__(self, request: pytest.FixtureRequest) -> None:
        self._request = request

    def __call__(self, *kernels: Any, **options: Any) -> Reports:
        """`ktwin.test` on files beside the test, with the run's seed and plan; fails unless all pass."""
        from ._command import test

        folder = self._request.path.parent
        quick = _amount(self._request.config, bool(options.pop("quick", False)))
        options.setdefault("seed", self._request.config.stash[_SEED])
        found = [folder / kernel if (folder / kernel).exists() else kernel for kernel in kernels]
        return test(*found, quick=quick, **options).check()


@pytest.fixture
def ktwin_files(request: pytest.FixtureRequest) -> FileTester:
    """Tests kernels in files: `ktwin_files("softmax.wgsl")`."""
    return FileTester(request)


@pytest.fixture
def ktwin_seed(request: pytest.FixtureRequest) -> Iterator[int]:
    """The seed of this run."""
    yield request.config.stash[_SEED]
