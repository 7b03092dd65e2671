"""Packages of the user's that are read as far as a kernel needs them: what ties their modules together is left alone
until somebody asks for it, since it imports all of them."""

import importlib.machinery
import importlib.util
import sys
import types
from pathlib import Path


class Package(types.ModuleType):
    """A package whose own code waits until a name is asked for that it does not have yet."""

    def __getattr__(self, name):
        waiting = self.__dict__.pop("ktwin_waiting", None)
        if waiting is None or name.startswith("__") and name not in ("__all__", "__version__"):
            if waiting is not None:
                self.ktwin_waiting = waiting
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")
        try:
            waiting.exec_module(self)
        except Exception:
            # a module of this name needs none of the others
            if name.startswith("__") or importlib.util.find_spec(f"{self.__name__}.{name}") is None:
                raise
            return importlib.import_module(f"{self.__name__}.{name}")
        return getattr(self, name)


class Waiting:
    """Loads a package without running its code."""

    def __init__(self, loader):
        self.loader = loader

    def create_module(self, spec):
        return Package(spec.name)

    def exec_module(self, module):
        module.ktwin_waiting = self.loader

    def __getattr__(self, name):
        return getattr(self.loader, name)


class OwnPackages:
    """Finds packages in these folders."""

    def __init__(self, folders):
        self.folders = tuple(f"{folder}/" for folder in folders)

    def find_spec(self, name, path=None, target=None):
        spec = importlib.machinery.PathFinder.find_spec(name, path, target)
        own = spec is not None and (spec.origin or "").startswith(self.folders)
        if not own or spec.submodule_search_locations is None:
            return None
        spec.loader = Waiting(spec.loader)
        return spec


def package_of(folders):
    """The package that the first folder is, seen from one of the others: `a.b`, or nothing."""
    own, *others = (Path(folder).resolve() for folder in folders)
    for folder in others:
        if own.is_relative_to(folder) and own != folder:
            parts = own.relative_to(folder).parts
            inner = [Path(folder, *parts[: number + 1]) for number in range(len(parts))]
            if all((path / "__init__.py").is_file() for path in inner):
                return ".".join(parts)
    return ""


