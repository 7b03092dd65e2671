"""What is said of arrays and kernels: plain data with the terminal's text, and a table for notebooks."""

from __future__ import annotations

import html
import json
from collections.abc import Iterable
from typing import Any

from . import _ktwin


class TwinAssertionError(AssertionError):
    """A kernel or an array is wrong; `report` has the details."""

    def __init__(self, report: Report) -> None:
        super().__init__(report.text)
        self.report = report

    def __reduce__(self) -> tuple[Any, ...]:
        return TwinAssertionError, (self.report,)


class Report:
    """What is said of a kernel, or of arrays that somebody computed. `str(report)` is the terminal's text."""

    def __init__(self, data: dict[str, Any], text: str) -> None:
        self.data = data
        """All of it, as `ktwin test --format json` has it (docs/events.schema.json)."""
        self.text = text
        """The terminal's text."""

    @classmethod
    def _of(cls, report: str, text: str | None = None) -> Report:
        return cls(json.loads(report), _ktwin.explained(report) if text is None else text.rstrip("\n"))

    @property
    def verdict(self) -> str:
        """`pass`, `fail`, `blind` (nothing wrong would have shown), `skip`, `crash`, `hang`, `invalid` or `error`."""
        return str(self.data["verdict"])

    @property
    def ok(self) -> bool:
        """Whether it is right, with evidence."""
        return self.verdict == "pass"

    @property
    def rung(self) -> str | None:
        """The precision that it behaves like: `f32`, or `f32/f16` where sums are coarser; None where nothing tells."""
        like = self.data.get("behaves_like")
        if like is None:
            return None
        compute, accumulate = str(like["compute"]), str(like["accumulate"])
        return compute if compute == accumulate else f"{compute}/{accumulate}"

    @property
    def ratio(self) -> float:
        """The largest error as a share of its bar."""
        return float(self.data["ratio"])

    @property
    def measures(self) -> dict[str, dict[str, float]]:
        """Every measure of each output, the worst over all cases: `report.measures["y"]["nmse"]`."""
        found: dict[str, dict[str, float]] = {}
        for one in self.data.get("measures", []):
            found[str(one["output"])] = {str(name): float(value) for name, value in one["values"].items()}
        return found

    @property
    def seed(self) -> int | None:
        """The seed that all inputs came from."""
        seed = self.data.get("seed")
        return None if seed is None else int(seed)

    @property
    def gaps(self) -> list[str]:
        """What the plan left out, and why."""
        return [str(gap) for gap in self.data.get("gaps", [])]

    @property
    def case(self) -> dict[str, Any] | None:
        """The smallest case found that fails."""
        return self._failure().get("case")

    @property
    def patterns(self) -> list[str]:
        """What the wrong elements have in common, in sentences."""
        lines = (line.strip() for line in self.text.splitlines())
        return [line.removeprefix("pattern: ") for line in lines if line.startswith("pattern: ")]

    @property
    def findings(self) -> list[dict[str, Any]]:
        """What is wrong: kind, message, and where."""
        return list(self._failure().get("findings", []))

    @property
    def worst(self) -> list[dict[str, Any]]:
        """The worst elements of all outputs: output, index, expected, got, error, bar."""
        outputs = self._failure().get("outputs", [])
        return [{"output": output["name"], **element} for output in outputs for element in output["worst"]]

    def _failure(self) -> dict[str, Any]:
        return self.data.get("failure") or {}

    def check(self) -> Report:
        """Itself, unless it is not a pass: then TwinAssertionError with the terminal's text."""
        if not self.ok:
            raise TwinAssertionError(self)
        return self

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"<ktwin.Report {self.data['op']}: {self.verdict}>"

    def _repr_html_(self) -> str:
        colour = {"pass": "#2a7a2a", "blind": "#8a6d00", "skip": "#666"}.get(self.verdict, "#b00020")
        head = f"<b style='color:{colour}'>{html.escape(self.verdict)}</b> {html.escape(str(self.data['op']))}"
        parts = [f"error {self.ratio:.2f} of the bar"]
        parts += [f"behaves like {self.rung}"] if self.rung else []
        body = "".join(f"<li>{html.escape(pattern)}</li>" for pattern in self.patterns)
        outputs = "".join(map(_output_html, self._failure().get("outputs", [])))
        return f"<div>{head}: {html.escape(', '.join(parts))}{'<ul>' + body + '</ul>' if body else ''}{outputs}</div>"


def _output_html(output: dict[str, Any]) -> str:
    columns = ("expected", "got", "error", "bar")
    head = "".join(f"<th>{name}</th>" for name in ("", *columns))
    rows = ""
    for element in output["worst"]:
        place = html.escape(f"{output['name']}{element['index']}")
        cells = "".join(f"<td>{html.escape(_number(element[name]))}</td>" for name in columns)
        rows += f"<tr><td>{place}</td>{cells}</tr>"
    wrong = f"{output['failing']} of {output['total']} elements of {html.escape(str(output['name']))} are wrong"
    picture = html.escape("\n".join(output["map"]))
    return f"<p>{wrong}</p><table><tr>{head}</tr>{rows}</table><pre style='line-height:1'>{picture}</pre>"


def _number(value: Any) -> str:
    if value is None:
        return "-"
    return f"{value:.9g}" if isinstance(value, float) else str(value)


class Reports(list[Report]):
    """Reports of several kernels."""

    def __init__(self, reports: Iterable[Report] = ()) -> None:
        super().__init__(reports)

    @property
    def ok(self) -> bool:
        """Whether there are any, and all pass."""
        return bool(self) and all(report.ok for report in self)

    @property
    def text(self) -> str:
        """The terminal's text of all of them."""
        return "\n".join(report.text for report in self)

    def check(self) -> Reports:
        """Itself, unless one is not a pass: then TwinAssertionError."""
        for report in self:
            report.check()
        if not self:
            raise _ktwin.KtwinError("no kernel was tested")
        return self

    def __str__(self) -> str:
        return self.text

    def _repr_html_(self) -> str:
        return "".join(report._repr_html_() for report in self)
