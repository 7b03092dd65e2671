"""A process of its own for a user's function: it can crash or hang there, and its memory holds its inputs alone."""

from __future__ import annotations

import importlib
import multiprocessing
import signal
from collections.abc import Callable
from multiprocessing.connection import Connection
from typing import Any

from ._call import Buffer, Calling, Values, call

# what a process may take to start and to import the user's modules
_START = 60.0


def found(module: str, name: str) -> Callable[..., Any]:
    """The function of this name; that of a `ktwin.Kernel` where the name is one's."""
    thing: Any = importlib.import_module(module)
    for part in name.split("."):
        thing = getattr(thing, part)
    function: Callable[..., Any] = getattr(thing, "function", thing)
    return function


def _serve(pipe: Connection, module: str, name: str, how: Calling) -> None:
    """The child: calls the function as often as it is asked to."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        function = found(module, name)
    except Exception as error:
        pipe.send(f"{type(error).__name__}: {error}")
        return
    pipe.send("")
    while True:
        try:
            buffers, values = pipe.recv()
        except EOFError:
            return
        said = call(function, how, buffers, values)
        pipe.send((said, [buffer[2] for buffer in buffers]))


class Isolated:
    """Calls a function in a process of its own, and starts another one when it dies."""

    def __init__(self, module: str, name: str, how: Calling, timeout: float) -> None:
        self._of, self._timeout = (module, name, how), timeout
        self._child: Any = None
        self._pipe: Connection | None = None

    def __call__(self, buffers: list[Buffer], values: Values) -> tuple[str, str]:
        """What a call in this process would return; a crash and a hang beside."""
        try:
            if self._pipe is None:
                self._start()
            assert self._pipe is not None
            self._pipe.send((buffers, values))
            if not self._pipe.poll(self._timeout):
                self.close()
                return "hang", str(self._timeout)
            said, bodies = self._pipe.recv()
        except (EOFError, BrokenPipeError, ConnectionResetError):
            return "crash", self._death()
        except RuntimeError as error:
            return "broken", str(error)
        except BaseException:
            self.close()
            raise
        for buffer, body in zip(buffers, bodies):
            buffer[2][:] = body
        how, text = said
        return str(how), str(text)

    def _start(self) -> None:
        context = multiprocessing.get_context("spawn")
        self._pipe, theirs = context.Pipe()
        self._child = context.Process(target=_serve, args=(theirs, *self._of), daemon=True)
        self._child.start()
        theirs.close()
        wrong = self._pipe.recv() if self._pipe.poll(_START) else f"it did not start within {_START:.0f} s"
        if wrong:
            self.close()
            module, name, _ = self._of
            raise RuntimeError(f"{module}.{name} cannot be imported in a process of its own: {wrong}")

    def _death(self) -> str:
        self._child.join(5)
        code = self._child.exitcode
        self.close()
        if code is not None and code < 0:
            return f"killed by {signal.Signals(-code).name}"
        return f"its process ended with exit code {code}"

    def close(self) -> None:
        """Ends the process."""
        if self._child is not None:
            self._child.kill()
            self._child.join()
        if self._pipe is not None:
            self._pipe.close()
        self._child, self._pipe = None, None
