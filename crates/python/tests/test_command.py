"""The command in the wheel: kernels in files, jobs, and batches on executors."""

import concurrent.futures
import json
import os
import signal
import subprocess
import threading
from pathlib import Path

import pytest

import ktwin
from conftest import needed

SCALE = """/*--- ktwin
CONTRACTargs = ["x", "y", { N = "u32", alpha = "f32" }]
---*/
#include <stdint.h>
struct s { uint32_t n; float a; };
void scale(const float *x, float *y, struct s s)
{
    for (uint32_t i = 0; i < s.n; i++)
        y[i] = EXPRESSION;
}
"""
WGSL = """/*--- ktwin
op = "scale"
args = ["x", "y", { N = "u32", alpha = "f32" }]
grid = ["ceil(N / 64)", 1, 1]
tile = { N = 64 }
dims = { N = "..=1000000" }
---*/
struct S { N: u32, alpha: f32 }
@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> y: array<f32>;
@group(0) @binding(2) var<uniform> s: S;
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    if (id.x < s.N) { y[id.x] = s.alpha * x[id.x]; }
}
"""
TASK = 'op = "scale"\nsecret = "nobody knows this"\nplan = "quick"\n'


def kernel(expression, contract='op = "scale"\n'):
    return SCALE.replace("CONTRACT", contract).replace("EXPRESSION", expression)


def test_the_command_is_the_wheels():
    assert Path(ktwin.command()).is_file()
    version = subprocess.run([ktwin.command(), "--version"], capture_output=True, text=True, check=True)
    assert version.stdout.strip() == f"ktwin {ktwin.__version__}"


def test_files_are_tested_on_sim_and_in_workers(tmp_path):
    good, bad, shader = (tmp_path / name for name in ("good.c", "bad.c", "scale.wgsl"))
    good.write_text(kernel("s.a * x[i]"))
    bad.write_text(kernel("s.a * x[i] + 1"))
    shader.write_text(WGSL)
    reports = ktwin.test(good, shader, quick=True, seed=3)
    assert reports.ok and {r.data["device"] for r in reports} == {"sim", "native"} and all(r.seed == 3 for r in reports)
    with pytest.raises(ktwin.TwinAssertionError, match="bad.c"):
        ktwin.test(tmp_path, quick=True).check()
    with pytest.raises(ktwin.KtwinError, match="none.c"):
        ktwin.test(tmp_path / "none.c")
    bad.write_text(kernel("*(volatile float *)0", 'op = "scale"\n'))
    assert ktwin.test(bad, quick=True)[0].verdict == "crash"


def test_plans_of_files(tmp_path):
    file = tmp_path / "scale.wgsl"
    file.write_text(WGSL)
    plan = ktwin.plan(file, quick=True)
    assert len(plan.cases) > 5 and all(case.startswith("N=") for case, _ in plan.cases)
    with pytest.raises(ktwin.KtwinError, match="tlie"):
        file.write_text(WGSL.replace("tile", "tlie"))
        ktwin.plan(file)


def test_jobs_are_data():
    source = {"name": "scale.wgsl", "text": WGSL}
    answer = ktwin.run_job({"source": source, "quick": True, "seed": 5, "job": 8})
    assert answer["job"] == 8 and answer["reports"][0]["verdict"] == "pass" and answer["reports"][0]["seed"] == 5
    assert answer["reports"][0]["kernel"] == "scale.wgsl"
    again = ktwin.run_job({"source": source, "quick": True, "seed": 5})
    without_time = lambda reports: [{**r, "seconds": 0} for r in reports]
    assert without_time(answer["reports"]) == without_time(again["reports"])
    for job, message in (
        ({}, "source"),
        ({"source": {"name": "a.c"}}, "either `text` or `hex`"),
        ({"source": source, "sede": 1}, "sede"),
        ({"source": source, "schema": 9}, "version 9"),
        ({"source": source, "task": "/none.toml"}, "none.toml"),
    ):
        with pytest.raises(ktwin.KtwinError, match=message):
            ktwin.run_job(job)


@pytest.fixture
def batch(tmp_path):
    """A task with five submissions: right, wrong, coarse, the first again, and one that is no kernel."""
    (tmp_path / "task.toml").write_text(TASK)
    folder = tmp_path / "submissions"
    folder.mkdir()
    for name, expression in (
        ("a", "s.a * x[i]"),
        ("b", "s.a + x[i]"),
        ("c", "s.a * x[i] * 1.0001f"),
        ("d", "s.a * x[i]"),
    ):
        (folder / f"{name}.c").write_text(kernel(expression, ""))
    (folder / "e.c").write_text("/*--- ktwin\nargs = [\n---*/\n")
    return tmp_path / "task.toml", folder, tmp_path


def told(ranking):
    """All that is said, without the times."""
    records = [{**record, "seconds": 0} for record in ranking.records]
    return sorted(records, key=lambda r: r["submission"]), [
        [cell for at, cell in enumerate(line.split()) if "." not in cell or "/" in cell]
        for line in ranking.text.splitlines()[:6]
    ]


class Recording(concurrent.futures.ThreadPoolExecutor):
    """Does every job twice as often as asked, and counts."""

    jobs = 0

    def submit(self, work, *args):
        Recording.jobs += 1
        super().submit(work, *args)
        return super().submit(work, *args)


def test_a_batch_needs_submissions_and_an_executor(batch):
    task, folder, tmp = batch
    with pytest.raises(ktwin.KtwinError, match="there are no submissions"):
        ktwin.judge(task, [], out=tmp / "none.jsonl")
    with pytest.raises(ktwin.KtwinError, match="executor is 3"):
        ktwin.judge(task, folder, executor=3, out=tmp / "none.jsonl")


def test_a_batch_is_the_same_on_any_executor(batch):
    task, folder, tmp = batch
    here = ktwin.judge(task, folder, out=tmp / "here.jsonl")
    assert [r["verdict"] for r in told(here)[0]] == ["pass", "fail", "fail", "pass", "invalid"]
    with concurrent.futures.ProcessPoolExecutor(2) as executor:
        there = ktwin.judge(task, folder, executor=executor, out=tmp / "there.jsonl")
    assert told(here) == told(there)
    with Recording(2) as executor:
        twice = ktwin.judge(task, folder, executor=executor, out=tmp / "twice.jsonl")
    # the fourth has the contents of the first
    assert told(here) == told(twice) and Recording.jobs == 4
    merged = [ktwin.command(), "merge", str(tmp / "there.jsonl"), "--out", str(tmp / "merged.jsonl")]
    assert subprocess.run(merged, capture_output=True).returncode == 0


class Mortal(concurrent.futures.ThreadPoolExecutor):
    """Loses all jobs after the second."""

    def submit(self, work, *args):
        self.count = getattr(self, "count", 0) + 1
        return super().submit(work, *args) if self.count <= 2 else super().submit(_die)


def _die():
    raise ConnectionError("the worker is gone")


def test_a_batch_that_broke_off_goes_on(batch):
    task, folder, tmp = batch
    whole = told(ktwin.judge(task, folder, out=tmp / "whole.jsonl"))
    out = tmp / "parts.jsonl"
    with Mortal(1) as executor, pytest.raises(ktwin.KtwinError, match="2 of 4 jobs were judged.*the worker is gone"):
        ktwin.judge(task, folder, executor=executor, out=out)
    lines = out.read_text().splitlines()
    assert len(lines) == 1 + 3, "two jobs, one of them for two submissions"
    with open(out, "a") as file:
        file.write('{"record":"res')
    with concurrent.futures.ThreadPoolExecutor(1) as executor:
        assert told(ktwin.judge(task, folder, executor=executor, out=out)) == whole
    assert out.read_text().splitlines()[: len(lines)] == lines


def test_workers_that_die_are_told_of(batch):
    task, folder, tmp = batch
    with concurrent.futures.ProcessPoolExecutor(1, initializer=os._exit, initargs=(1,)) as executor:
        with pytest.raises(ktwin.KtwinError, match="0 of 4 jobs were judged"):
            ktwin.judge(task, folder, executor=executor, out=tmp / "out.jsonl")


def test_wrong_batches_are_refused(batch):
    task, folder, tmp = batch
    with concurrent.futures.ThreadPoolExecutor(1) as executor:
        with pytest.raises(ktwin.KtwinError, match="none.toml"):
            ktwin.judge(tmp / "none.toml", folder, executor=executor, out=tmp / "out.jsonl")
        ktwin.judge(task, folder, executor=executor, out=tmp / "out.jsonl")
        task.write_text(TASK.replace("nobody", "everybody"))
        with pytest.raises(ktwin.KtwinError, match="another task"):
            ktwin.judge(task, folder, executor=executor, out=tmp / "out.jsonl")


def test_a_job_of_another_task_is_refused(batch):
    task, folder, _ = batch
    source = {"name": "a.c", "text": (folder / "a.c").read_text()}
    assert ktwin.run_job({"source": source, "task": str(task)})["record"]["verdict"] == "pass"
    with pytest.raises(ktwin.KtwinError, match="the same on all machines"):
        ktwin.run_job({"source": source, "task": str(task), "id": "0" * 64})


def test_answers_are_lines_of_json(batch):
    task, folder, tmp = batch
    args = [ktwin.command(), "judge", str(task), str(folder), "--elsewhere", "--out", str(tmp / "out.jsonl")]
    for answer, message in (
        ("nonsense\n", "this is not what `ktwin run-job` prints"),
        (json.dumps({"schema": 1, "job": 99}) + "\n", "a job that was not handed out"),
        (json.dumps({"schema": 1, "job": 0}) + "\n", "an answer without a record"),
    ):
        run = subprocess.run(args, input=answer, capture_output=True, text=True)
        assert run.returncode == 2 and message in run.stderr


def test_dask_runs_the_jobs_of_a_killed_worker_again(batch):
    distributed = needed("distributed")
    task, folder, tmp = batch
    for number in range(8):
        (folder / f"more{number}.c").write_text(kernel("s.a * x[i]", "") + f"int own{number};\n")
    here = told(ktwin.judge(task, folder, out=tmp / "here.jsonl"))[0]
    options = dict(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None)
    with distributed.LocalCluster(**options) as cluster, distributed.Client(cluster) as client:
        worker = next(iter(client.run(os.getpid).values()))
        timer = threading.Timer(0.3, os.kill, (worker, signal.SIGKILL))
        timer.start()
        there = ktwin.judge(task, folder, executor=client.get_executor(), out=tmp / "there.jsonl")
        timer.join()
    assert told(there)[0] == here
    assert len((tmp / "there.jsonl").read_text().splitlines()) == 1 + len(here)
