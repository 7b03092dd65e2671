"""What the tests share."""

import importlib
import os

import pytest

pytest_plugins = ["pytester"]


def needed(name):
    """A module that not every machine has: without it a test is left out, but not where `KTWIN_REQUIRE` is set."""
    return importlib.import_module(name) if os.environ.get("KTWIN_REQUIRE") else pytest.importorskip(name)
