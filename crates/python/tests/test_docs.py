"""Every example of the documentation and of docstrings is run."""

import doctest
import importlib
import pkgutil
import re
from pathlib import Path

import pytest

import ktwin

PAGE = Path(__file__).parents[3] / "docs" / "python.md"


def test_the_page(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    examples = re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.DOTALL)
    assert len(examples) >= 8
    known = {"__name__": "page"}
    for example in examples:
        exec(compile(example, str(PAGE), "exec"), known)


@pytest.mark.parametrize("name", sorted(m.name for m in pkgutil.iter_modules(ktwin.__path__)) + [""])
def test_docstrings(name):
    module = importlib.import_module(f"ktwin.{name}".rstrip("."))
    assert doctest.testmod(module).failed == 0


def test_docstrings_have_examples():
    finder = doctest.DocTestFinder()
    for thing in (
        ktwin,
        ktwin.twin,
        ktwin.compare,
        ktwin.assert_twin,
        ktwin.kernel,
        ktwin.cases,
        ktwin.plan,
        ktwin.test,
    ):
        assert any(test.examples for test in finder.find(thing, "it")), thing


def test_all_names_are_there_and_told_of():
    for name in ktwin.__all__:
        assert getattr(ktwin, name).__doc__, name
