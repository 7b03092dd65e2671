"""What stands for PyTorch where it is not installed: modules with helpers import it, and kernels need nothing of it."""

import abc
import importlib.machinery
import importlib.util
import sys
import types

# PyTorch, and what modules of kernels import beside it
STUBBED = ("torch", "einops", "packaging", "transformers")
# what says by being there that the card is another one
OTHERS = ("hip", "rocm")
# cards that are not there: what asks for them by name would take another way
ABSENT = OTHERS + ("npu", "xpu", "mps", "tpu", "xla", "hpu", "mlu", "musa", "ascend")


def present(*_, **__):
    """Whether there is a card, or Triton: a module that asks would leave its kernels out."""
    return True


def absent(*_, **__):
    """Whether there is a card of another kind."""
    return False


def attribute(name):
    """What a stub has by this name."""
    if name.startswith("__"):
        raise AttributeError(name)
    if name == "is_available" or name.startswith("is_") and name.endswith("_available"):
        return absent if any(part in ABSENT for part in name.split("_")) else present
    if name in OTHERS:
        return None
    return Absent() if name in ABSENT else Stub()


class StubMeta(abc.ABCMeta):
    """A class that has whatever is asked of it."""

    def __getattr__(cls, name):
        return attribute(name)


class StubBase(metaclass=StubMeta):
    """What a class is made from whose base is a stub."""

    def __getattr__(self, name):
        return attribute(name)


class Stub:
    """Anything that such a module has: a function, a type, a number. Every version is new enough."""

    def __init__(self, *_, **__):
        pass

    def __call__(self, *given, **named):
        # a decorator leaves its function as it is
        alone = len(given) == 1 and not named and callable(given[0])
        return given[0] if alone else Stub()

    def __getattr__(self, name):
        return attribute(name)

    def __mro_entries__(self, bases):
        # of several, the first is one for all
        first = next(base for base in bases if isinstance(base, Stub))
        return (StubBase,) if first is self else ()

    def __getitem__(self, _):
        return Stub()

    def __iter__(self):
        return iter(())

    def __or__(self, _):
        return self

    __ror__ = __or__

    def __bool__(self):
        return False

    def __index__(self):
        return 0

    def __lt__(self, _):
        return False

    def __ge__(self, _):
        return True

    __le__, __gt__ = __lt__, __ge__

    def __enter__(self):
        return self

    def __exit__(self, *_):
        return False


class Absent(Stub):
    """What a card of another kind is asked by."""

    is_available = staticmethod(absent)


class StubModule(types.ModuleType):
    """A module that has whatever is asked of it."""

    def __getattr__(self, name):
        return attribute(name)


class Finder:
    """Finds these modules, and all below them, where nobody else does."""

    def find_spec(self, name, path=None, target=None):
        known = name.partition(".")[0] in STUBBED
        return importlib.machinery.ModuleSpec(name, self, is_package=True) if known else None

    def create_module(self, spec):
        module = StubModule(spec.name)
        module.__version__ = "99.0"
        return module

    def exec_module(self, module):
        pass


def without_torch():
    """Stubs for PyTorch and its like from here on, where PyTorch is not installed."""
    if importlib.util.find_spec("torch") is None:
        sys.meta_path.append(Finder())


