//! A run that is ended from outside: by Ctrl-C, SIGTERM or the end of its time it ends within a second or two, in every
//! phase, and leaves neither processes nor files.
#![cfg(target_os = "linux")]

mod support;

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use support::{command, files, folder};

const HEAD: &str = "/*--- ktwin\nop = \"OP\"\nargs = [\"x\", \"y\", { N = \"u32\", alpha = \"f32\" }]\n---*/\n\
                    #include <stdint.h>\nstruct s { uint32_t n; float alpha; };\n";
const ENDLESS: &str = "void scale(const float *x, float *y, struct s s) { (void)y; (void)s; \
                       for (;;) (void)*(volatile const float *)x; }\n";
const RIGHT: &str = "void scale(const float *x, float *y, struct s s) { \
                     for (uint32_t i = 0; i < s.n; i++) y[i] = s.alpha * x[i]; }\n";

fn write(folder: &Path, name: &str, text: &str) -> String {
    let path = folder.join(name);
    std::fs::write(&path, text).unwrap();
    path.display().to_string()
}

fn has_compiler() -> bool {
    ktwin_devices::find("native", ktwin_devices::Limits::default()).is_ok_and(|n| n.probe().is_ok())
}

fn children(of: u32) -> Vec<u32> {
    let mut all = Vec::new();
    for task in std::fs::read_dir(format!("/proc/{of}/task")).into_iter().flatten().flatten() {
        let listed = std::fs::read_to_string(task.path().join("children")).unwrap_or_default();
        for child in listed.split_whitespace().filter_map(|n| n.parse().ok()) {
            all.push(child);
            all.extend(children(child));
        }
    }
    all
}

fn is_alive(process: u32) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    stat.rsplit(')').next().is_some_and(|rest| !rest.is_empty() && !rest.trim_start().starts_with('Z'))
}

fn signal(child: &Child, name: &str) {
    let sent = Command::new("kill").args([name, &child.id().to_string()]).status();
    assert!(sent.is_ok_and(|s| s.success()));
}

/// Starts a test, waits until it has the children that it is about, sends signals, and looks at what is left.
fn interrupted(mut command: Command, cache: &Path, least: usize, signals: &[&str]) {
    command.env("XDG_CACHE_HOME", cache).env("TMPDIR", cache);
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let begun = Instant::now();
    let under_way = loop {
        let now = children(child.id());
        if now.len() >= least && begun.elapsed() > Duration::from_millis(500) {
            break now;
        }
        assert!(child.try_wait().unwrap().is_none() && begun.elapsed().as_secs() < 20, "it is not under way");
        sleep(Duration::from_millis(10));
    };
    let asked = Instant::now();
    for name in signals {
        signal(&child, name);
        sleep(Duration::from_millis(30));
    }
    let status = loop {
        if let Some(status) = child.try_wait().unwrap() {
            break status;
        }
        assert!(asked.elapsed() < Duration::from_millis(1500), "{signals:?}: it goes on");
        sleep(Duration::from_millis(5));
    };
    assert_eq!(status.code(), Some(130), "{signals:?}");
    sleep(Duration::from_millis(100));
    let alive: Vec<u32> = under_way.into_iter().filter(|p| is_alive(*p)).collect();
    assert_eq!(alive, Vec::<u32>::new(), "{signals:?}");
    let left = cache.join("ktwin/native");
    let left = if left.exists() { files(&left) } else { Vec::new() };
    assert!(left.iter().all(|name| name.ends_with(".built")), "{left:?}");
}

const SIGNALS: [&[&str]; 3] = [&["-INT"], &["-TERM"], &["-TERM", "-INT", "-TERM"]];

#[test]
fn while_a_kernel_runs() {
    if !has_compiler() {
        return;
    }
    let dir = folder("stop-kernel");
    let file = write(&dir, "endless.c", &(HEAD.replace("OP", "scale") + ENDLESS));
    let junit = dir.join("report.xml");
    let shown = junit.display().to_string();
    for signals in SIGNALS {
        let _ = std::fs::remove_file(&junit);
        let command = command(&["test", &file, "--timeout", "60", "--junit", &shown]);
        interrupted(command, &dir.join("cache"), 1, signals);
        let text = std::fs::read_to_string(&junit).unwrap();
        assert!(text.contains("<error") && text.contains("stopped before its end"), "{text}");
    }
}

#[test]
fn while_a_compiler_runs() {
    let dir = folder("stop-compiler");
    let file = write(&dir, "scale.c", &(HEAD.replace("OP", "scale") + RIGHT));
    // one that sleeps when it compiles, one that sleeps whatever it is asked, both with children of their own
    let slow = "#!/bin/sh\ncase $1 in --version) echo slow 1.0;; *) sleep 100 & sleep 100;; esac\n";
    for (name, text) in [("slow", slow), ("slower", "#!/bin/sh\nsleep 100 & sleep 100\n")] {
        let compiler = write(&dir, name, text);
        assert!(Command::new("chmod").args(["+x", &compiler]).status().unwrap().success());
        for signals in SIGNALS {
            let mut command = command(&["test", &file]);
            command.env("CC", &compiler);
            interrupted(command, &dir.join("cache"), 2, signals);
        }
    }
}

#[test]
fn while_the_twin_is_made() {
    if !has_compiler() {
        return;
    }
    let dir = folder("stop-twin");
    let op = "op slow(x[N]; alpha) -> y[N]\n\n\
              y[n] = alpha * x[n] + sum[i in 0..1000, j in 0..1000](0 * x[n] * i * j)\n";
    write(&dir, "slow.op", op);
    let file = write(&dir, "slow.c", &(HEAD.replace("OP", "slow.op") + RIGHT));
    for signals in SIGNALS {
        interrupted(command(&["test", &file]), &dir.join("cache"), 0, signals);
    }
}

#[test]
fn when_the_time_is_up() {
    if !has_compiler() {
        return;
    }
    let dir = folder("stop-time");
    write(&dir, "endless.c", &(HEAD.replace("OP", "scale") + ENDLESS));
    write(&dir, "right.c", &(HEAD.replace("OP", "scale") + RIGHT));
    let path = dir.display().to_string();
    let started = Instant::now();
    let mut late =
        command(&["test", &path, "--timeout", "60", "--time", "2", "--jobs", "1", "--format", "json"]);
    let output = late.env("XDG_CACHE_HOME", dir.join("cache")).output().unwrap();
    let out = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(output.status.code(), Some(3), "{out}");
    assert!(started.elapsed().as_secs() < 6);
    let verdicts: Vec<&str> = out.lines().filter(|l| l.contains("\"event\":\"verdict\"")).collect();
    assert_eq!(verdicts.len(), 2, "{out}");
    let of = |name: &str| verdicts.iter().find(|v| v.contains(name)).copied().unwrap_or_default();
    assert!(of("endless.c").contains("stopped after"), "{out}");
    assert!(of("right.c").contains("the run was stopped before any case of it ran"), "{out}");
    assert!(out.contains("\"stopped\":true"), "{out}");
    // enough time changes nothing
    let file = dir.join("right.c").display().to_string();
    let run = support::ktwin(&["test", &file, "--quick", "--time", "600"]);
    assert_eq!(run.code, 0, "{}", run.out);
}

#[test]
fn a_case_that_takes_too_long_is_cut_short_and_its_kernel_is_named() {
    if !has_compiler() {
        return;
    }
    let dir = folder("stop-long-case");
    let op = "op slow(x[N]; alpha) -> y[N]\n\n\
              y[n] = alpha * x[n] + sum[i in 0..1000, j in 0..1000](0 * x[n] * i * j)\n";
    write(&dir, "slow.op", op);
    let long = write(&dir, "slow.c", &(HEAD.replace("OP", "slow.op") + RIGHT));
    // the second ends at once, and must not be lost behind the first
    let soon = write(&dir, "soon.c", &(HEAD.replace("OP", "nothing") + RIGHT));
    let report = dir.join("page.md").display().to_string();
    let started = Instant::now();
    let run = support::ktwin(&[
        "test",
        &long,
        &soon,
        "--time",
        "1",
        "--jobs",
        "2",
        "--verbose",
        "--report",
        &report,
    ]);
    assert!(started.elapsed().as_secs() < 12, "{}", run.err);
    assert_eq!(run.code, 2, "{}{}", run.out, run.err);
    assert!(run.out.contains("slow.c") && run.out.contains(" cases, none wrong"), "{}", run.out);
    assert!(run.out.contains("invalid") && run.out.contains("soon.c"), "{}", run.out);
    assert!(run.out.contains("stopped before the end"), "{}", run.out);
    assert!(std::fs::read_to_string(&report).unwrap().contains("slow.c"));
}
