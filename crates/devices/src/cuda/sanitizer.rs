//! NVIDIA's compute-sanitizer around a ktwin that runs one case on a card: where it is, how it is started, and what it
//! says. In the parent.

use std::ffi::OsString;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use ktwin_check::{Failure, Finding, Kind, Sanitized, SanitizerTool};

use crate::child::start::is_stopping;
use crate::child::watch::end_all;

/// Its tools, in the order in which they run, each with options of its own.
const TOOLS: [(&str, &str); 4] =
    [("memcheck", " --report-api-errors no"), ("racecheck", ""), ("initcheck", ""), ("synccheck", "")];
const PROGRAM: &str = "compute-sanitizer";
const FOLDERS: &[&str] = &["/usr/local/cuda/bin", "/opt/cuda/bin"];
const GET: &str = "it comes with the CUDA toolkit; put it on PATH or set CUDA_HOME";
/// The time that one tool may take, and what one launch may take under it, in seconds.
const LIMIT: Duration = Duration::from_secs(600);
const LAUNCH: u64 = 300;
const PAUSE: Duration = Duration::from_millis(20);
/// Bytes of its output that are read, and findings that are told.
const LONGEST: u64 = 4 << 20;
const MOST: usize = 20;
/// What its lines begin with.
const MARK: &str = "=========";
/// What it puts into the environment of a process that it looks at.
const INJECTED: &str = "libsanitizer-collection";

/// Whether a sanitizer looks at this process.
pub fn looks_on() -> bool {
    std::env::vars_os().any(|(_, value)| value.to_string_lossy().contains(INJECTED))
}

/// Runs a command, as a shell has it, under each tool. The file is the kernel's, for the lines of what is found.
pub fn run(file: &Path, command: &str) -> Result<Sanitized, Failure> {
    let program = find().ok_or_else(|| Failure::Absent { why: format!("no {PROGRAM}"), get: GET.into() })?;
    let mut out = Sanitized::default();
    for (name, options) in TOOLS {
        let whole = format!(
            "{PROGRAM} --tool {name}{options} --target-processes all --print-limit {MOST} {command} --timeout {LAUNCH}"
        );
        let wrong = |why: String| Failure::Broken(format!("{name}: {why} ({whole})"));
        let said = output(&whole, program.parent()).map_err(|e| wrong(e.to_string()))?;
        let (summary, findings) = read(&said, file).map_err(wrong)?;
        out.findings.extend(findings);
        out.tools.push(SanitizerTool { name: name.into(), command: whole, summary });
    }
    Ok(out)
}

fn find() -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let home = std::env::var_os("CUDA_HOME").map(|home| PathBuf::from(home).join("bin"));
    let folders = std::env::split_paths(&path).chain(home).chain(FOLDERS.iter().map(PathBuf::from));
    folders.map(|folder| folder.join(PROGRAM)).find(|file| file.is_file())
}

// Where the command finds this very ktwin, and the sanitizer.
fn path(sanitizer: Option<&Path>) -> OsString {
    let own = std::env::current_exe().ok().and_then(|exe| Some(exe.parent()?.to_path_buf()));
    let usual = std::env::var_os("PATH").unwrap_or_default();
    let folders = own.into_iter().chain(std::env::split_paths(&usual));
    let all = folders.chain(sanitizer.map(Path::to_path_buf));
    std::env::join_paths(all).unwrap_or(usual)
}

fn output(command: &str, sanitizer: Option<&Path>) -> std::io::Result<String> {
    let mut shell = Command::new("sh");
    shell.arg("-c").arg(command).env("PATH", path(sanitizer));
    shell.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut shell, 0);
    let mut child = shell.spawn()?;
    let from = child.stdout.take();
    let heard = std::thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(mut from) = from {
            let _ = from.by_ref().take(LONGEST).read_to_end(&mut bytes);
            let _ = std::io::copy(&mut from, &mut std::io::sink());
        }
        String::from_utf8_lossy(&bytes).into_owned()
    });
    let started = Instant::now();
    while child.try_wait()?.is_none() {
        if is_stopping() || started.elapsed() > LIMIT {
            end_all(&mut child)?;
            return Err(std::io::Error::other(format!("it did not end within {} s", LIMIT.as_secs())));
        }
        std::thread::sleep(PAUSE);
    }
    heard.join().map_err(|_| std::io::Error::other("its output was not read"))
}

/// What the first words of a message say of it.
const KINDS: &[(&str, Kind)] = &[
    ("Invalid ", Kind::OutOfBounds),
    ("Error: Race reported", Kind::Race),
    ("Warning: Race reported", Kind::Race),
    ("Error: Potential", Kind::Race),
    ("Uninitialized ", Kind::Uninitialised),
    ("Barrier error detected", Kind::DivergentBarrier),
];

/// The summary of its output, and what it found; or why it shows nothing.
fn read(said: &str, file: &Path) -> Result<(String, Vec<Finding>), String> {
    let lines: Vec<&str> = said.lines().filter_map(|line| Some(line.strip_prefix(MARK)?.trim())).collect();
    if lines.iter().any(|line| line.contains("before first instrumented API call")) {
        return Err("CUDA was not started under it".into());
    }
    let summary = lines.iter().rev().find(|line| line.contains("SUMMARY: ") && !line.contains("not printed"));
    let summary = summary.ok_or("it printed no summary")?;
    let mut all: Vec<Finding> = Vec::new();
    for (at, first) in lines.iter().enumerate() {
        let Some((_, kind)) = KINDS.iter().find(|(words, _)| first.starts_with(words)) else { continue };
        let rest =
            || lines[at + 1..].iter().take_while(|line| !line.is_empty() && !line.contains("backtrace"));
        let finding = finding(*kind, first, &rest().copied().collect::<Vec<_>>(), file);
        let same = |known: &&mut Finding| (known.kind, known.line) == (finding.kind, finding.line);
        match all.iter_mut().find(same) {
            Some(known) => known.count += 1,
            None => all.push(finding),
        }
    }
    Ok(((*summary).to_owned(), all))
}

// A message: what it is, and lines of where.
fn finding(kind: Kind, first: &str, rest: &[&str], file: &Path) -> Finding {
    let misaligned = rest.iter().any(|line| line.ends_with("is misaligned"));
    let kind = if kind == Kind::OutOfBounds && misaligned { Kind::Misaligned } else { kind };
    let near = rest.iter().find_map(|line| line.strip_prefix("and is "));
    let words = first.strip_prefix("Error: ").or(first.strip_prefix("Warning: ")).unwrap_or(first);
    let words = words.split(" at ").next().unwrap_or(words).trim_end_matches('.');
    let more =
        near.filter(|_| !misaligned).map_or(String::new(), |near| format!(", {}", without_address(near)));
    let mut out = Finding::new(kind, format!("compute-sanitizer: {words}{more}"));
    out.line = std::iter::once(&first).chain(rest).find_map(|line| line_of(line, file));
    out.place = rest.iter().find_map(|line| Some(line.strip_prefix("by ")?.to_owned()));
    out.note = first.starts_with("Warning: ");
    out
}

// `1 bytes after the nearest allocation at 0x7f68e2800000 of size 256 bytes`: the address is another each time.
fn without_address(near: &str) -> String {
    let words: Vec<&str> = near.split(' ').collect();
    let at = words.iter().position(|word| word.starts_with("0x"));
    let kept = |(n, _): &(usize, &&str)| at.is_none_or(|at| *n != at && *n + 1 != at);
    words.iter().enumerate().filter(kept).map(|(_, word)| *word).collect::<Vec<_>>().join(" ")
}

// `at silu+0x80 in silu.cu:14`, and in older versions `at 0x80 in /tmp/silu.cu:14:silu`; only of the kernel's own file.
fn line_of(text: &str, file: &Path) -> Option<u32> {
    let name = file.file_name()?.to_str()?;
    let place = text.split_once(" in ")?.1;
    let (_, rest) = place.split_once(name)?;
    rest.strip_prefix(':')?.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(said: &str) -> Vec<(Kind, Option<u32>, u64, String)> {
        let (_, all) = read(said, Path::new("a/silu.cu")).unwrap_or_else(|e| panic!("{e}"));
        all.into_iter().map(|f| (f.kind, f.line, f.count, f.message)).collect()
    }

    #[test]
    fn what_memcheck_says_is_read() {
        let said = "========= COMPUTE-SANITIZER\n========= Invalid __global__ read of size 4 bytes\n\
            =========     at silu+0x120 in silu.cu:8\n=========     by thread (63,0,0) in block (0,0,0)\n\
            =========     Access to 0x7f68e2800100 is out of bounds\n\
            =========     and is 1 bytes after the nearest allocation at 0x7f68e2800000 of size 256 bytes\n\
            =========     Saved host backtrace up to driver entry point at kernel launch time\n\
            =========         Host Frame: cuLaunchKernel [0x39fb94] in libcuda.so.1\n========= \n\
            ========= Invalid __global__ read of size 4 bytes\n\
            =========     at silu+0x400 in silu.cu:13\n=========     by thread (0,0,0) in block (0,0,0)\n\
            =========     Access to 0x7f721a800001 is misaligned\n========= \n\
            ========= Invalid __global__ read of size 4 bytes\n\
            =========     at silu+0x400 in silu.cu:13\n=========     by thread (1,0,0) in block (0,0,0)\n\
            =========     Access to 0x7f721a800001 is misaligned\n========= \n\
            pass  silu.cu\n========= ERROR SUMMARY: 3 errors\n\
            ========= ERROR SUMMARY: 1 errors were not printed. Use --print-limit option\n";
        let first = "compute-sanitizer: Invalid __global__ read of size 4 bytes, 1 bytes after the nearest \
                     allocation of size 256 bytes";
        let second = "compute-sanitizer: Invalid __global__ read of size 4 bytes";
        let due = [
            (Kind::OutOfBounds, Some(8), 1, first.to_owned()),
            (Kind::Misaligned, Some(13), 2, second.to_owned()),
        ];
        assert_eq!(found(said), due);
        let (summary, all) = read(said, Path::new("silu.cu")).unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(summary, "ERROR SUMMARY: 3 errors");
        assert_eq!(all[0].place.as_deref(), Some("thread (63,0,0) in block (0,0,0)"));
    }

    #[test]
    fn what_the_others_say_is_read() {
        let race = "========= COMPUTE-SANITIZER\n\
            ========= Error: Race reported between Write access at k(int)+0x330 in silu.cu:9\n\
            =========     and Read access at k(int)+0x340 in silu.cu:9 [256 hazards]\n========= \n\
            ========= RACECHECK SUMMARY: 1 hazard displayed (1 error, 0 warnings)\n";
        assert_eq!(
            found(race),
            [(Kind::Race, Some(9), 1, "compute-sanitizer: Race reported between Write access".to_owned())]
        );
        let barrier = "========= Barrier error detected. Divergent thread(s) in warp.\n\
            =========     at /tmp/silu.cu:11:k in /tmp/silu.cu:11:k\n========= \n========= ERROR SUMMARY: 8 errors\n";
        assert_eq!(found(barrier)[0].1, Some(11));
        let other = "========= Uninitialized __global__ memory read of size 4 bytes\n\
            =========     at f()+0xf0 in helper.cuh:10\n========= \n========= ERROR SUMMARY: 1 error\n";
        assert_eq!((found(other)[0].0, found(other)[0].1), (Kind::Uninitialised, None));
    }

    #[test]
    fn nothing_found_counts_only_where_it_looked() {
        let of = |said: &str| read(said, Path::new("k.cu"));
        assert!(
            of("========= COMPUTE-SANITIZER\n========= ERROR SUMMARY: 0 errors\n")
                .is_ok_and(|(_, f)| f.is_empty())
        );
        let none = "========= COMPUTE-SANITIZER\n\
                    ========= Error: Target application terminated before first instrumented API call\n";
        assert!(of(none).is_err_and(|why| why.contains("not started")));
        assert!(of("pass k.cu\n").is_err_and(|why| why.contains("no summary")));
    }
}
