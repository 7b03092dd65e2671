from collections.abc import Callable, Sequence

class KtwinError(Exception): ...

__all__ = [
    "KtwinError",
    "__version__",
    "compare",
    "explained",
    "facts",
    "inputs",
    "ops",
    "plan",
    "test",
    "twin",
    "unknown",
]

__version__: str

_Given = tuple[str, str, tuple[int, ...], bytes]

def ops() -> list[str]: ...
def facts(name: str) -> str: ...
def unknown(name: str, what: str, wrong: str, known: Sequence[str]) -> str: ...
def twin(request: str, inputs: Sequence[_Given]) -> list[tuple[str, list[int], bool, bytearray, bytearray]]: ...
def compare(request: str, inputs: Sequence[_Given], outputs: Sequence[_Given]) -> tuple[str, str]: ...
def test(
    kernel: tuple[str, str],
    call: Callable[[list[tuple[str, str, bytearray, int, int, bool]], dict[str, int | float]], tuple[str, str]],
    options: tuple[bool, int | None, str | None],
    repeat: tuple[str, str],
) -> tuple[str, str]: ...
def explained(report: str) -> str: ...
def plan(name: str, contract: str, quick: bool) -> str: ...
def inputs(
    name: str, contract: str, case: str, seed: int | None
) -> tuple[str, str, list[tuple[str, str, list[int], tuple[list[int], int], bytearray]]]: ...
