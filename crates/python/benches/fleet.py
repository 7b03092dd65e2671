"""How many submissions a second one machine judges, on one core and on two, and what judging costs beside testing.

    python crates/python/benches/fleet.py 10000

Needs the package `ktwin` and `taskset`. Submissions are small shaders of one op, every third of them wrong, no two the
same. `ktwin test` runs a sample of them in one process: what `ktwin judge` takes longer is its overhead.
"""

import subprocess
import sys
import tempfile
import time
from pathlib import Path

import ktwin

SHADER = """/*--- ktwin
CONTRACTargs = ["x", "y", { N = "u32", alpha = "f32" }]
grid = ["ceil(N / 64)", 1, 1]
tile = { N = 64 }
---*/
struct S { N: u32, alpha: f32 }
@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> y: array<f32>;
@group(0) @binding(2) var<uniform> s: S;
const OWN = NUMBER;
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    if (id.x < s.N) { y[id.x] = EXPRESSION; }
}
"""
TASK = 'op = "scale"\nsecret = "of a benchmark"\nplan = "quick"\n[dims]\nN = "..=1000000"\n'
SAMPLE = 300


def write(folder, count, contract=""):
    folder.mkdir()
    for number in range(count):
        right = "s.alpha * x[id.x]" if number % 3 else "s.alpha * x[id.x] * 1.0001"
        text = SHADER.replace("CONTRACT", contract).replace("NUMBER", str(number)).replace("EXPRESSION", right)
        (folder / f"{number}.wgsl").write_text(text)


def seconds(cores, *args):
    began = time.perf_counter()
    run = subprocess.run(["taskset", "-c", cores, ktwin.command(), *map(str, args)], capture_output=True, text=True)
    assert run.returncode in (0, 1), run.stderr
    return time.perf_counter() - began


def main():
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "task.toml").write_text(TASK)
        write(folder / "submissions", count)
        write(folder / "sample", SAMPLE, 'op = "scale"\ndims = { N = "..=1000000" }\n')
        alone = seconds("0", "test", folder / "sample", "--quick", "--seed", 1) / SAMPLE
        print(f"testing alone, one core: {1000 * alone:.1f} ms a kernel")
        for cores, number in (("0", 1), ("0,1", 2)):
            out = folder / f"{number}.jsonl"
            each = seconds(cores, "judge", folder / "task.toml", folder / "submissions", "--out", out) / count
            overhead = 1 - alone / (each * number)
            print(f"judging {count}, cores: {number}: {1 / each:.1f} a second, overhead {100 * overhead:.0f} %")


if __name__ == "__main__":
    main()
