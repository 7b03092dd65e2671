//! Problems of KernelBench and of GPU MODE as tasks of `ktwin judge`: submissions in Python, as they are handed in, and
//! the results in the form of those benchmarks. What needs PyTorch is left out aloud without it, unless `KTWIN_REQUIRE`
//! names `torch`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::support::{Run, command, folder, ktwin};

/// A Python that has PyTorch.
fn python() -> Option<String> {
    let named = std::env::var("KTWIN_PYTHON").ok();
    let own = concat!(env!("CARGO_MANIFEST_DIR"), "/../../target/torch/bin/python3");
    let all = named.into_iter().chain([own, "/usr/bin/python3", "python3"].map(String::from));
    let has = |python: &String| {
        let said = Command::new(python).args(["-c", "import torch"]).stderr(Stdio::null()).status();
        said.is_ok_and(|status| status.success())
    };
    let found = all.into_iter().find(has);
    let required = std::env::var("KTWIN_REQUIRE").is_ok_and(|r| r.split(',').any(|d| d == "torch"));
    assert!(found.is_some() || !required, "no Python has PyTorch");
    if found.is_none() {
        eprintln!("left out: no Python has PyTorch");
    }
    found
}

fn judged(python: &str, args: &[&str]) -> Run {
    let output = command(args).env("KTWIN_PYTHON", python).stdin(Stdio::null()).output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    Run { code: output.status.code().unwrap_or(-1), out: text(output.stdout), err: text(output.stderr) }
}

fn write(folder: &Path, name: &str, text: &str) -> String {
    let path = folder.join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(&path, text).unwrap();
    path.display().to_string()
}

/// The verdict in the table's line of a submission.
fn verdict<'o>(run: &'o Run, name: &str) -> &'o str {
    let line =
        run.out.lines().find(|line| line.ends_with(name)).unwrap_or_else(|| panic!("{name}: {}", run.out));
    line.split_whitespace().nth(1).unwrap()
}

/// A problem as KernelBench has them, with a parameter.
const PROBLEM: &str = "import torch\nimport torch.nn as nn\n\nclass Model(nn.Module):\n\
    \x20   def __init__(self, features, eps):\n        super().__init__()\n        self.eps = eps\n\
    \x20       self.scale = nn.Parameter(torch.ones(features))\n\n    def forward(self, x):\n\
    \x20       mean = (x * x).mean(dim=1, keepdim=True)\n\
    \x20       return x / torch.sqrt(mean + self.eps) * self.scale\n\n\
    def get_inputs():\n    return [torch.rand(16, 64)]\n\ndef get_init_inputs():\n    return [64, 1e-5]\n";

const TASK: &str = "op = 'rmsnorm'\n\
    problem = { kernelbench = '7_Rows.py', pass = ['x'], init = ['D', 'eps'], state = { w = 'scale' } }\n\
    dims = { R = '1..=40', D = '1..=300' }\nsecret = 'nobody knows'\nplan = 'quick'\n";

/// A submission with another body of `forward`.
fn submission(forward: &str) -> String {
    let (before, _) = PROBLEM
        .replace("class Model(", "class ModelNew(")
        .split_once("        mean =")
        .map(|(a, b)| (a.to_owned(), b.to_owned()))
        .unwrap();
    before + forward
}

fn kernelbench(name: &str) -> (PathBuf, String, String) {
    let room = folder(name);
    let problem = write(&room, "level1/7_Rows.py", PROBLEM);
    let task = write(&room, "level1/7_Rows.toml", TASK);
    (room, task, problem)
}

#[test]
fn a_problem_of_kernelbench_passes_itself_and_judges_others() {
    let Some(python) = python() else { return };
    let (room, task, problem) = kernelbench("kernelbench");
    let own =
        judged(&python, &["judge", &task, &problem, "--out", &room.join("own.jsonl").display().to_string()]);
    assert_eq!((verdict(&own, "7_Rows.py"), own.code), ("pass", 0), "{} {}", own.out, own.err);
    let one = "        r = torch.rsqrt((x * x).sum(dim=1, keepdim=True) / x.shape[1] + self.eps)\n";
    let right = format!("{one}        return x * r * self.scale\n");
    let once = "        self.r = r = getattr(self, 'r', r)\n\
                \x20       r = r if r.shape[0] == x.shape[0] else self.r.mean()\n";
    let all = [
        ("right", submission(&right), "pass"),
        ("without_eps", submission(&right.replace(" + self.eps", "")), "fail"),
        // right in the multiples of 64 that the problem has
        ("by_64", submission(&right.replace("x.shape[1]", "(x.shape[1] // 64 * 64 or x.shape[1])")), "fail"),
        ("raises", submission("        raise ValueError('not today')\n"), "crash"),
        ("exits", submission("        import os\n        os._exit(0)\n"), "crash"),
        ("endless", submission("        while True: pass\n"), "hang"),
        ("writes", submission(&format!("        x.mul_(2)\n{right}")), "fail"),
        ("wide", submission(&right.replace("* self.scale", "* self.scale.double()")), "crash"),
        // one module is called several times, as in the benchmark
        ("remembers", submission(&right.replace(one, &format!("{one}{once}"))), "fail"),
        (
            "autocast",
            submission(&format!(
                "        with torch.autocast('cuda'):\n            x = x @ torch.eye(x.shape[1])\n{right}"
            )),
            "fail",
        ),
        ("by_order", submission(&right).replace("scale", "gain"), "pass"),
        ("compiled", submission(&format!("        x = torch.compile(lambda t: t)(x)\n{right}")), "pass"),
        ("prints", submission(&format!("        print('a line')\n{right}")), "pass"),
        ("unknown", "import nothing_of_that_name\n".into(), "fail"),
        ("nothing", PROBLEM.replace("class Model(", "class Other("), "fail"),
    ];
    for (name, text, _) in &all {
        write(&room, &format!("runs/{name}.py"), text);
    }
    let task = write(&room, "level1/quick.toml", &format!("{TASK}limits = {{ launch = 5 }}\n"));
    let at = |name: &str| room.join(name).display().to_string();
    let run = judged(&python, &["judge", &task, &at("runs"), "--out", &at("all.jsonl")]);
    for (name, _, due) in &all {
        let results = || fs::read_to_string(at("all.jsonl")).unwrap();
        assert_eq!(verdict(&run, &format!("/{name}.py")), *due, "{}{}", run.out, results());
    }
}

#[test]
fn results_have_the_form_of_kernelbench() {
    let Some(python) = python() else { return };
    let (room, task, _) = kernelbench("kernelbench-results");
    let right = "        mean = (x * x).mean(dim=1, keepdim=True)\n\
                 \x20       return x / torch.sqrt(mean + self.eps) * self.scale\n";
    for (name, text) in [
        ("runs/level_1_problem_7_sample_0_kernel.py", submission(right)),
        ("runs/level_1_problem_7_sample_1_kernel.py", submission("        return x\n")),
        ("runs/level_1_problem_8_sample_0_kernel.py", "not for us".into()),
        ("runs/level_2_problem_7_sample_0_kernel.py", "not for us".into()),
    ] {
        write(&room, name, &text);
    }
    let at = |name: &str| room.join(name).display().to_string();
    let run =
        judged(&python, &["judge", &task, &at("runs"), "--out", &at("r.jsonl"), "--reports", &at("reports")]);
    assert!(run.out.contains("2 submissions of other problems left out"), "{}", run.out);
    let text = fs::read_to_string(room.join("reports/eval_results.json")).unwrap();
    let all: serde_json::Value = serde_json::from_str(&text).unwrap();
    let of = |at: usize, key: &str| all["7"][at][key].as_bool();
    assert_eq!((of(0, "compiled"), of(0, "correctness")), (Some(true), Some(true)), "{text}");
    assert_eq!((of(1, "compiled"), of(1, "correctness")), (Some(true), Some(false)), "{text}");
    assert_eq!(all.as_object().map(serde_json::Map::len), Some(1), "{text}");
}

/// What a function does to its process, and tries to do to others, makes nothing of it right.
#[test]
fn functions_that_mean_harm_do_not_pass() {
    let Some(python) = python() else { return };
    let (room, task) = gpumode("gpumode-hostile");
    let secret = write(&room, "secret.txt", "what nobody may know");
    let head = "import os, signal, torch\ndef custom_kernel(data):\n    a, b, out = data\n";
    let said = |line: &str| {
        format!(
            "    for fd in range(1, 64):\n        try: os.write(fd, b'{line}\\n')\n        except OSError: pass\n\
             \x20   os._exit(0)\n"
        )
    };
    let absent = r#"{"ended": {"launch": 0, "end": {"Err": {"absent": {"why": "no card", "get": "one"}}}}}"#;
    let killed =
        "    os.kill(os.getppid(), signal.SIGKILL)\n    os.kill(-1, signal.SIGKILL)\n    return a * b\n";
    let called =
        "    import socket\n    socket.create_connection(('127.0.0.1', 1), timeout=1)\n    return a * b\n";
    let bodies = [
        ("forged.py", said(r#"{"ended": {"launch": 0, "end": {"Ok": {}}}}"#)),
        ("absent.py", said(absent)),
        ("reads.py", format!("    open('{secret}').read()\n    return a * b\n")),
        ("kills.py", killed.into()),
        (
            "patched.py",
            "    torch.Tensor.copy_ = lambda self, other: self\n    return (a * b).clone()\n".into(),
        ),
        ("writes.py", "    open('/tmp/ktwin-was-here', 'w').write('x')\n    return a * b\n".into()),
        ("network.py", called.into()),
    ];
    for (name, body) in &bodies {
        write(&room, &format!("in/{name}"), &format!("{head}{body}"));
    }
    write(&room, "in/honest.py", &format!("{head}    return a * b\n"));
    let at = |name: &str| room.join(name).display().to_string();
    let run = judged(&python, &["judge", &task, &at("in"), "--out", &at("r.jsonl")]);
    assert_eq!((verdict(&run, "honest.py"), run.code), ("pass", 0), "{}{}", run.out, run.err);
    for (name, _) in &bodies {
        assert!(["crash", "fail", "hang"].contains(&verdict(&run, name)), "{name}: {}", run.out);
    }
}

/// Kernels of Triton in its interpreter, by the way that a submission takes on a card.
#[test]
fn kernels_of_triton_are_judged_without_a_card() {
    let Some(python) = python() else { return };
    let has = Command::new(&python).args(["-c", "import triton"]).stderr(Stdio::null()).status();
    if !has.is_ok_and(|status| status.success()) {
        let required =
            std::env::var("KTWIN_REQUIRE").is_ok_and(|r| r.contains("torch") && r.contains("triton"));
        assert!(!required, "{python} has no Triton");
        eprintln!("left out: {python} has no Triton");
        return;
    }
    let (room, task, _) = kernelbench("kernelbench-triton");
    // tuned without a clock
    let kernel = "import triton\nimport triton.language as tl\n\n@triton.autotune(configs=[triton.Config({}, \
                  num_warps=1), triton.Config({}, num_warps=4)], key=['D'])\n@triton.jit\n\
                  def rows(x, w, y, D, eps, BLOCK: tl.constexpr):\n    at = tl.arange(0, BLOCK)\n\
                  \x20   row = tl.load(x + tl.program_id(0) * D + at, mask=at < D, other=0.0)\n\
                  \x20   root = tl.sqrt(tl.sum(row * row, axis=0) / D + eps)\n\
                  \x20   scaled = row / root * tl.load(w + at, mask=at < D, other=0.0)\n\
                  \x20   tl.store(y + tl.program_id(0) * D + at, scaled, mask=at < D)\n\n";
    let forward = "        if not x.is_cuda:\n            mean = (x * x).mean(1, keepdim=True)\n\
                   \x20           return x / torch.sqrt(mean + self.eps) * self.scale\n\
                   \x20       y = torch.empty(x.shape, device='cuda')\n        torch.cuda.synchronize()\n\
                   \x20       rows[(x.shape[0],)](x.contiguous(), self.scale.cuda(), y, x.shape[1], self.eps, \
                   BLOCK=triton.next_power_of_2(x.shape[1]))\n        return y\n";
    let text = submission(forward).replacen(
        "import torch.nn as nn\n",
        &format!("import torch.nn as nn\n{kernel}"),
        1,
    );
    let small = task.replace("7_Rows.toml", "small.toml");
    fs::write(&small, TASK.replace("R = '1..=40', D = '1..=300'", "R = '1..=4', D = '1..=70'")).unwrap();
    for (name, text, due) in [
        ("right.py", text.clone(), "pass"),
        // what no tensor on the processor would have shown
        ("wrong.py", text.replace("axis=0) / D", "axis=0) / BLOCK"), "fail"),
    ] {
        let file = write(&room, name, &text);
        let out = room.join(format!("{name}.jsonl")).display().to_string();
        let run = judged(&python, &["judge", &small, &file, "--out", &out]);
        assert_eq!(verdict(&run, name), due, "{}{}", run.out, fs::read_to_string(&out).unwrap());
    }
}

/// A task as GPU MODE has them: a tuple with room for the result, and modules that submissions import.
fn gpumode(name: &str) -> (PathBuf, String) {
    let room = folder(name);
    write(&room, "utils.py", "def shown(x):\n    return str(x)\n");
    write(&room, "rows_py/task.py", "input_t = tuple\noutput_t = object\n");
    write(&room, "rows_py/reference.py", "def ref_kernel(data):\n    return data[0] * data[1]\n");
    write(
        &room,
        "rows_py/task.yml",
        "files:\n  - {\"name\": \"submission.py\", \"source\": \"@SUBMISSION@\"}\nlang: \"py\"\n",
    );
    let task = "op = 'mul'\nproblem = { gpumode = 'rows_py', pass = ['a', 'b', 'c'] }\n\
                types = { a = 'f16', b = 'f16', c = 'f16' }\nsecret = 'nobody knows'\nplan = 'quick'\n";
    let task = write(&room, "rows.toml", task);
    (room, task)
}

#[test]
fn a_task_of_gpu_mode_judges_functions() {
    let Some(python) = python() else { return };
    let (room, task) = gpumode("gpumode");
    let head = "import torch\nfrom task import input_t, output_t\nfrom utils import shown\n\
                def custom_kernel(data: input_t) -> output_t:\n    a, b, out = data\n";
    let half = "out[: len(out) // 2 * 2] = (a * b)[: len(out) // 2 * 2]";
    let all = [
        ("returned", format!("{head}    return a * b\n"), "pass"),
        ("left", format!("{head}    torch.mul(a, b, out=out)\n"), "pass"),
        ("undone", format!("{head}    return out\n"), "fail"),
        ("half", format!("{head}    {half}\n    return out\n"), "fail"),
        ("kept", format!("KEPT = {{}}\n{head}    return KEPT.setdefault(a.shape, a * b)\n"), "fail"),
        (
            "reference",
            format!("from reference import ref_kernel\n{head}    return ref_kernel(data)\n"),
            "fail",
        ),
        ("two", format!("{head}    return a * b, a\n"), "crash"),
    ];
    for (name, text, _) in &all {
        write(&room, &format!("in/{name}.py"), text);
    }
    let at = |name: &str| room.join(name).display().to_string();
    let own = judged(&python, &["judge", &task, &at("rows_py/reference.py"), "--out", &at("own.jsonl")]);
    assert_eq!(verdict(&own, "reference.py"), "pass", "{}", own.out);
    let (out, reports) = (at("r.jsonl"), at("reports"));
    let run = judged(&python, &["judge", &task, &at("in"), "--out", &out, "--reports", &reports]);
    let files: Vec<PathBuf> = fs::read_dir(&reports).unwrap().map(|entry| entry.unwrap().path()).collect();
    for (name, _, due) in &all {
        let file = format!("{name}.py");
        assert_eq!(
            verdict(&run, &format!("/{file}")),
            *due,
            "{}{}",
            run.out,
            fs::read_to_string(&out).unwrap()
        );
        let is_result = |path: &&PathBuf| {
            let text = path.display().to_string();
            text.contains(&format!("_{file}-")) && text.ends_with(".result")
        };
        let result = files.iter().find(is_result).unwrap();
        let check = format!("check: {}\n", if *due == "pass" { "pass" } else { "fail" });
        assert!(fs::read_to_string(result).unwrap().ends_with(&check));
    }
}

#[test]
fn what_no_submission_could_know_is_said_of_the_task() {
    let (room, _, _) = kernelbench("kernelbench-mistakes");
    for (from, to, says) in [
        ("pass = ['x']", "pass = ['y2']", "`pass`: op rmsnorm has no `y2`"),
        ("pass = ['x'], ", "", "no submission is given input `x`: add it to `pass` or `state`"),
        (", 'eps'", "", "no submission is told scalar `eps`"),
        ("7_Rows.py", "8_Rows.py", "8_Rows.py"),
        ("7_Rows.py", "7_Rows.toml", "there is no `class Model` in it"),
        ("state", "stat", "unknown key of a problem `stat`, did you mean `state`?"),
        ("kernelbench", "kernelbank", "a problem names its benchmark"),
        ("kernelbench = '7_Rows.py'", "gpumode = '.'", "task.yml"),
        ("plan = 'quick'", "speed = 'R=4 D=4'", "`speed` does not go with `problem`"),
        ("plan = 'quick'", "types = { x = 'q4_0' }", "PyTorch has no q4_0"),
    ] {
        let task = write(&room, "level1/7_Rows.toml", &TASK.replacen(from, to, 1));
        let run = ktwin(&["judge", &task, &room.display().to_string()]);
        assert!(run.code == 2 && run.err.contains(says), "{to}: {}", run.err);
    }
    let (room, task) = gpumode("gpumode-mistakes");
    write(&room, "rows_py/task.yml", "lang: \"cu\"\n");
    let run = ktwin(&["judge", &task, &room.display().to_string()]);
    assert!(run.code == 2 && run.err.contains("its submissions are in `cu`"), "{}", run.err);
}
