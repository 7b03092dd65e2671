"""The recipes of docs/fleet.md are run as far as one machine allows."""

import os
import re
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

import ktwin

from conftest import needed
from test_command import TASK, kernel

SUBMISSIONS = 24
PAGE = (Path(__file__).parents[3] / "docs" / "fleet.md").read_text()


def recipe(heading, language):
    """The first block of a chapter, which is short."""
    found = re.search(rf"## {heading}\n.*?```{language}\n(.*?)```", PAGE, re.DOTALL)[1]
    assert found.count("\n") < 20
    return found


@pytest.fixture
def judged(tmp_path, monkeypatch):
    """A batch in the present folder, and what one machine says of it."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", os.path.dirname(ktwin.command()), prepend=os.pathsep)
    Path("task.toml").write_text(TASK)
    Path("submissions").mkdir()
    for number in range(SUBMISSIONS):
        right = "s.a * x[i]" if number % 3 else "s.a * x[i] + 1"
        Path(f"submissions/{number}.c").write_text(kernel(right, "") + f"int own{number};\n")
    return verdicts(ktwin.judge("task.toml", "submissions", out="here.jsonl"))


def verdicts(ranking):
    return sorted((r["submission"], r["content"], r["verdict"], r["ratio"]) for r in ranking.records)


def results():
    """What a recipe left."""
    return verdicts(ktwin.judge("task.toml", "submissions", out="results.jsonl"))


def results_so_far():
    """The lines of the results: one of the task, and one a submission."""
    return Path("results.jsonl").read_text().count("\n")


def workers(script, words):
    """The processes below a script whose command line has these words."""
    found = {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            line = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
            parents = ancestors(int(folder.name))
        except OSError:
            continue
        if script in parents and words in line:
            found[int(folder.name)] = parents[1]
    # a process that a worker has forked bears its name until it becomes another program
    return [process for process, parent in found.items() if parent not in found]


def ancestors(process):
    found = []
    while process > 1:
        found.append(process)
        process = int(Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[1])
    return found


@pytest.mark.parametrize(
    "engine, module, worker",
    [("Dask", "distributed", "multiprocessing.spawn"), ("Ray", "ray", "ray::_work")],
)
def test_engines_run_the_jobs_of_a_killed_worker_again(judged, engine, module, worker):
    needed(module)
    Path("recipe.py").write_text(recipe(engine, "python"))
    script = subprocess.Popen([sys.executable, "recipe.py"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    killed = []

    def kill():
        # a first result is there, and others are under way
        while script.poll() is None and not killed:
            begun = Path("results.jsonl").exists() and results_so_far() > 1
            for process in workers(script.pid, worker)[-1:] if begun else []:
                os.kill(process, signal.SIGKILL)
                killed.append(process)
            time.sleep(0.02)

    killer = threading.Thread(target=kill)
    killer.start()
    out, err = script.communicate(timeout=300)
    killer.join()
    assert script.returncode == 0, err
    assert killed and "pass" in out
    assert results_so_far() == 1 + SUBMISSIONS
    assert results() == judged


def test_mpi_goes_on_after_a_worker_was_killed(judged):
    needed("mpi4py")
    Path("judge.py").write_text(recipe("MPI", "python"))
    # the interpreter and the MPI of this environment
    words = recipe("MPI", "sh").split()
    words[words.index("python")] = sys.executable
    words[0] = os.path.join(os.path.dirname(sys.executable), words[0])
    run = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    while run.poll() is None and not (Path("results.jsonl").exists() and results_so_far() > 1):
        time.sleep(0.02)
    assert run.poll() is None
    os.kill(workers(run.pid, "mpi4py.futures")[-1], signal.SIGKILL)
    run.communicate(timeout=60)
    assert run.returncode != 0 and results_so_far() < 1 + SUBMISSIONS
    again = subprocess.run(words, capture_output=True, text=True, timeout=300)
    assert again.returncode == 0 and "pass" in again.stdout, again.stderr
    assert results_so_far() == 1 + SUBMISSIONS
    assert results() == judged


def test_parts_of_arrays_and_of_indexed_jobs(judged):
    slurm = recipe("Slurm", "sh")
    command = re.search(r'command: \[sh, -c, "(.*?)"\]', PAGE)[1]
    merge = re.search(r"```sh\n(ktwin merge .*?)```", PAGE, re.DOTALL)[1]
    for script, variable, first in ((slurm, "SLURM_ARRAY_TASK_ID", 1), (command, "JOB_COMPLETION_INDEX", 0)):
        for part in Path().glob("part*.jsonl"):
            part.unlink()
        Path("results.jsonl").unlink(missing_ok=True)
        for part in range(16):
            run = subprocess.run(["sh", "-c", script], env={**os.environ, variable: str(first + part)}, capture_output=True)
            assert run.returncode == 0, run.stderr
        subprocess.run(["sh", "-c", merge], check=True, capture_output=True)
        assert results() == judged
