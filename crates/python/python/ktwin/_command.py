"""The `ktwin` command: kernels in files, jobs and batches run in it, in processes of their own."""

from __future__ import annotations

import concurrent.futures
import contextlib
import json
import os
import shutil
import subprocess
import sysconfig
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import IO, Any

from ._ktwin import KtwinError
from ._report import Report, Reports


def command() -> str:
    """The path of the `ktwin` command: the one that was installed with this package, else the first on PATH."""
    name = "ktwin.exe" if os.name == "nt" else "ktwin"
    try:
        files = metadata.files("ktwin") or []
    except metadata.PackageNotFoundError:
        files = []
    installed = [Path(str(file.locate())) for file in files if file.name == name]
    installed.append(Path(sysconfig.get_path("scripts")) / name)
    for path in installed:
        if path.is_file():
            return str(path.resolve())
    found = shutil.which("ktwin")
    if found is None:
        raise KtwinError("there is no ktwin command, neither with this package nor on PATH: pip install ktwin")
    return found


def _run(args: Sequence[str], data: str | None = None) -> tuple[int, str, str]:
    """Runs the command to its end, or until Ctrl-C."""
    child = subprocess.Popen(
        [command(), *args],
        stdin=subprocess.PIPE if data is not None else subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        encoding="utf-8",
    )
    try:
        out, err = child.communicate(data)
    except BaseException:
        child.terminate()
        child.wait()
        raise
    return child.returncode, out, err


def _message(err: str, code: int) -> str:
    text = err.strip().removeprefix("ktwin: ")
    return text or f"the ktwin command ended with exit code {code} and said nothing"


def test(
    *kernels: str | os.PathLike[str],
    device: str | Sequence[str] = (),
    require: str | Sequence[str] = (),
    quick: bool = False,
    seed: int | None = None,
    case: str | None = None,
    timeout: int | None = None,
) -> Reports:
    """Tests kernels in files and folders, as `ktwin test` does: one report for each kernel on each device.

    >>> import ktwin
    >>> ktwin.test("softmax.wgsl", quick=True).check()  # doctest: +SKIP
    """
    args = ["test", "--format", "json", *(os.fspath(kernel) for kernel in kernels)]
    for name, values in (("--device", device), ("--require", require)):
        joined = values if isinstance(values, str) else ",".join(values)
        args += [name, joined] if joined else []
    args += ["--quick"] if quick else []
    args += [] if seed is None else ["--seed", str(seed)]
    args += [] if case is None else ["--case", case]
    args += [] if timeout is None else ["--timeout", str(timeout)]
    code, out, err = _run(args)
    events = [(line, json.loads(line)) for line in out.splitlines() if line.startswith("{")]
    reports = [Report._of(line) for line, event in events if event.get("event") == "verdict"]
    if not reports:
        raise KtwinError(_message(err, code))
    return Reports(reports)


def plan_of_file(path: str, quick: bool) -> tuple[list[tuple[str, str]], list[str]]:
    """What `ktwin plan` says of a file."""
    code, out, err = _run(["plan", "--format", "json", path, *(["--quick"] if quick else [])])
    plans = [json.loads(line) for line in out.splitlines()]
    if code != 0 or len(plans) != 1:
        raise KtwinError(_message(err, code) if code else f"{path} holds {len(plans)} kernels: name one")
    return [(case["case"], case["why"]) for case in plans[0]["cases"]], plans[0]["gaps"]


def run_job(job: dict[str, Any]) -> dict[str, Any]:
    """Runs one job, as `ktwin run-job` does: plain data in, plain data out."""
    answer: dict[str, Any] = json.loads(_work(json.dumps({"schema": 1, **job})))
    return answer


def _work(job: str) -> str:
    """What an executor's worker does."""
    code, out, err = _run(["run-job"], job)
    if code != 0:
        raise KtwinError(_message(err, code))
    return out


@dataclass(frozen=True)
class Ranking:
    """The outcome of a batch."""

    records: list[dict[str, Any]]
    """What is said of each submission, in the order in which it was known."""
    text: str
    """The table, the best first."""

    def __str__(self) -> str:
        return self.text


def judge(
    task: str | os.PathLike[str],
    submissions: str | os.PathLike[str] | Iterable[str | os.PathLike[str]],
    *,
    executor: concurrent.futures.Executor | None = None,
    out: str | os.PathLike[str] = "results.jsonl",
    shard: str | None = None,
    jobs: int = 0,
) -> Ranking:
    """Judges submissions by a task, as `ktwin judge` does, on whatever runs an executor's work.

    `executor` is any `concurrent.futures.Executor`: local processes, Dask's `client.get_executor()`, Ray's, mpi4py's.
    Its workers need this package and the task's file at the same path. Each result is written to `out` as soon as it is
    known; when a batch breaks off, the same call goes on where it stopped. Without an executor, `jobs` submissions at a
    time are judged on this machine.
    """
    paths = [submissions] if isinstance(submissions, (str, os.PathLike)) else list(submissions)
    if not paths:
        raise KtwinError("there are no submissions: give a folder, or the path of at least one kernel")
    if executor is not None and not callable(getattr(executor, "submit", None)):
        raise KtwinError(f"executor is {executor!r}: give a concurrent.futures.Executor, or leave it out")
    args = ["judge", os.fspath(task), *(os.fspath(path) for path in paths), "--out", os.fspath(out)]
    args += [] if shard is None else ["--shard", shard]
    if executor is None:
        code, text, err = _run([*args, "--jobs", str(jobs)])
    else:
        code, text, err = _exchange([*args, "--elsewhere"], executor)
    if code not in (0, 3):
        raise KtwinError(_message(err, code))
    return Ranking(_records(Path(out)), text)


def _exchange(args: list[str], executor: concurrent.futures.Executor) -> tuple[int, str, str]:
    """Hands the command's jobs to an executor, and what comes of them back to the command."""
    child = subprocess.Popen(
        [command(), *args],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        encoding="utf-8",
    )
    assert child.stdin is not None and child.stdout is not None and child.stderr is not None
    open_jobs: list[concurrent.futures.Future[str]] = []
    lost: list[BaseException] = []
    try:
        for line in child.stdout:
            if not line.startswith("{"):
                break
            open_jobs.append(_submitted(executor, line))
        for done in concurrent.futures.as_completed(open_jobs):
            error = done.exception()
            if error is None:
                _tell(child.stdin, done.result())
            else:
                lost.append(error)
        # workers that were forked hold the pipe too, so closing it would not end it
        _tell(child.stdin, "\n")
        text, err = child.stdout.read(), child.stderr.read()
        code = child.wait()
    except BaseException:
        for job in open_jobs:
            job.cancel()
        child.terminate()
        child.wait()
        raise
    finally:
        for pipe in (child.stdin, child.stdout, child.stderr):
            with contextlib.suppress(BrokenPipeError):
                pipe.close()
    if lost and code in (0, 3):
        judged, all_jobs = len(open_jobs) - len(lost), len(open_jobs)
        raise KtwinError(
            f"{judged} of {all_jobs} jobs were judged, the executor lost the rest: "
            f"{lost[0] or type(lost[0]).__name__}; "
            "the same call goes on where this one stopped"
        ) from lost[0]
    return code, text, err


def _submitted(executor: concurrent.futures.Executor, line: str) -> concurrent.futures.Future[str]:
    """A job handed to an executor. One whose workers have died takes none: then the job is lost like theirs."""
    try:
        return executor.submit(_work, line)
    except concurrent.futures.BrokenExecutor as error:
        lost: concurrent.futures.Future[str] = concurrent.futures.Future()
        lost.set_exception(error)
        return lost


def _tell(pipe: IO[str], text: str) -> None:
    """Writes to the command. One that ended already says why itself."""
    with contextlib.suppress(BrokenPipeError):
        pipe.write(text)
        pipe.flush()


def _records(out: Path) -> list[dict[str, Any]]:
    records: dict[str, dict[str, Any]] = {}
    for line in out.read_text(encoding="utf-8").splitlines():
        record = json.loads(line)
        if record.pop("record") == "result":
            records[record["submission"]] = record
    return list(records.values())
