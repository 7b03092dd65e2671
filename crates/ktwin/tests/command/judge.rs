//! What `ktwin test` says when something besides the kernel's numbers goes wrong: a skip, a full disk, a crash at the
//! end is never a pass.
#![cfg(unix)]

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::support::{Run, command, files, folder, ktwin};

const SCALE: &str = "/*--- ktwin\nop = \"scale\"\nargs = [\"x\", \"y\", { N = \"u32\", alpha = \"f32\" }]\n---*/\n\
                     #include <stdint.h>\nstruct s { uint32_t n; float alpha; };\n\
                     void scale(const float *x, float *y, struct s s) { \
                     for (uint32_t i = 0; i < s.n; i++) y[i] = s.alpha * x[i]; }\n";

fn write(folder: &Path, name: &str, text: &str) -> String {
    let path = folder.join(name);
    std::fs::write(&path, text).unwrap();
    path.display().to_string()
}

/// The same for OpenCL C, and a run that finds no compiler for it.
fn write_opencl(folder: &Path) -> String {
    write(folder, "scale.cl", &SCALE.replace("args", "grid = [1]\nblock = [1]\nargs"))
}

fn included(header: &str) -> String {
    format!("#include <{header}.h>\n")
}

fn without_clang(args: &[&str]) -> Run {
    ended(command(args).env("KTWIN_CLANG", "/nowhere/clang"))
}

fn has_compiler() -> bool {
    ktwin_devices::find("native", ktwin_devices::Limits::default()).is_ok_and(|n| n.probe().is_ok())
}

fn ended(command: &mut Command) -> Run {
    let output = command.stdin(Stdio::null()).output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    Run { code: output.status.code().unwrap_or(-1), out: text(output.stdout), err: text(output.stderr) }
}

#[test]
fn a_folder_that_cannot_be_written_is_no_skip() {
    if !has_compiler() {
        return;
    }
    let dir = folder("judge-tmp");
    let file = write(&dir, "scale.c", SCALE);
    let args = ["test", &file, "--quick", "--seed", "1", "--allow-skip"];
    let run = ktwin(&args);
    assert_eq!(run.code, 0, "{}", run.out);
    let run = ended(command(&args).env("XDG_CACHE_HOME", &file));
    assert_eq!(run.code, 3, "{}", run.out);
    assert!(run.out.contains("error") && run.out.contains("1 not judged"), "{}", run.out);
    assert!(run.out.contains("cannot write the compiler's output"), "{}", run.out);
}

#[cfg(target_os = "linux")]
#[test]
fn a_disk_that_fills_up_leaves_no_pass() {
    if !has_compiler() {
        return;
    }
    let file = write(&folder("judge-full"), "scale.c", SCALE);
    assert_eq!(ktwin(&["test", &file, "--quick", "--seed", "1"]).code, 0);
    // what was compiled is found again; some of the launches are larger than a file may be
    let script = format!(
        "trap '' XFSZ; ulimit -f 64; exec {} test {file} --quick --seed 1 --format json",
        env!("CARGO_BIN_EXE_ktwin")
    );
    let run = ended(Command::new("bash").args(["-c", &script]));
    assert_eq!(run.code, 3, "{}{}", run.out, run.err);
    let verdict = run.out.lines().find(|l| l.contains("\"event\":\"verdict\"")).unwrap();
    assert!(verdict.contains("\"verdict\":\"error\"") && !verdict.contains("\"error\":0"), "{verdict}");
}

#[test]
fn a_skip_beside_a_pass_shows_in_the_exit_code() {
    let dir = folder("judge-skip");
    let wgsl = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../kernels/wgsl/gelu.wgsl");
    std::fs::copy(wgsl, dir.join("gelu.wgsl")).unwrap();
    let path = dir.display().to_string();
    let test = |more: &[&str]| without_clang(&[&["test", &path, "--quick"], more].concat()).code;
    assert_eq!(test(&[]), 0);
    let other = write_opencl(&dir);
    assert_eq!(test(&[]), 3);
    assert_eq!(test(&["--allow-skip"]), 0);
    assert_eq!(test(&["--allow-skip", "--filter", "scale"]), 3);
    std::fs::remove_file(other).unwrap();
    if has_compiler() {
        write(&dir, "scale.c", SCALE);
        // each file has a device that runs it
        assert_eq!(test(&["--device", "sim,native"]), 0);
        assert_eq!(test(&["--device", "sim"]), 3);
        assert_eq!(test(&["--device", "sim", "--allow-skip"]), 0);
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_crash_in_the_run_alone_is_a_crash() {
    if !has_compiler() {
        return;
    }
    // rows alone are one launch, all else is two, whose memory is there beforehand: only there it gives up
    let text = "/*--- ktwin\nop = \"softmax\"\nbatch_invariant = true\n\
                args = [\"x\", \"y\", { R = \"u32\", D = \"u32\" }]\n---*/\n\
                #include <math.h>\n#include <stdint.h>\n#include <stdio.h>\n#include <stdlib.h>\n\
                #include <string.h>\n#include <unistd.h>\n\
                struct s { uint32_t r, d; };\nstatic int calls;\n\
                void softmax(const float *x, float *y, struct s s) {\n\
                char from[32], to[32]; int open = 0; for (int f = 3; f < 900; f++) {\n\
                snprintf(from, sizeof from, \"/proc/self/fd/%d\", f);\n\
                open += readlink(from, to, sizeof to) > 7 && !memcmp(to, \"/memfd:\", 7); }\n\
                if (!calls++ && open < 6) abort();\n\
                for (uint32_t r = 0; r < s.r; r++, x += s.d, y += s.d) {\n\
                float m = -INFINITY, sum = 0;\n\
                for (uint32_t i = 0; i < s.d; i++) m = fmaxf(m, x[i]);\n\
                for (uint32_t i = 0; i < s.d; i++) sum += y[i] = expf(x[i] - m);\n\
                for (uint32_t i = 0; i < s.d; i++) y[i] /= sum; } }\n";
    let file = write(&folder("judge-alone"), "softmax.c", text);
    let run = ktwin(&["test", &file, "--quick", "--seed", "1"]);
    assert_eq!(run.code, 1, "{}", run.out);
    assert!(run.out.starts_with("crash"), "{}", run.out);
    let honest = text.replace("if (!calls++ && open < 6) abort();", "");
    let file = write(&folder("judge-alone-right"), "softmax.c", &honest);
    assert_eq!(ktwin(&["test", &file, "--quick", "--seed", "1"]).code, 0);
}

#[test]
fn what_is_no_plain_file_gives_one_message() {
    let dir = folder("judge-files");
    let fifo = dir.join("fifo.c");
    assert!(Command::new("mkfifo").arg(&fifo).status().unwrap().success());
    std::os::unix::fs::symlink(dir.join("loop.c"), dir.join("loop.c")).unwrap();
    std::os::unix::fs::symlink("/dev/zero", dir.join("zero.c")).unwrap();
    std::fs::File::create(dir.join("giant.c")).unwrap().set_len(1 << 40).unwrap();
    let says = [
        ("fifo.c", "not a regular file"),
        ("loop.c", "symbolic links"),
        ("zero.c", "not a regular file"),
        ("giant.c", "1048576 MiB is too large; the limit is 64 MiB"),
    ];
    for (name, what) in says {
        let run = ktwin(&["test", &dir.join(name).display().to_string()]);
        assert_eq!(run.code, 2, "{name}: {}{}", run.out, run.err);
        assert!(format!("{}{}", run.out, run.err).contains(what), "{name}: {}{}", run.out, run.err);
    }
    // in a folder they are found, and a folder inside itself is searched once
    write_opencl(&dir);
    std::os::unix::fs::symlink(&dir, dir.join("again")).unwrap();
    let run = without_clang(&["test", &dir.display().to_string()]);
    assert_eq!(run.code, 2, "{}", run.out);
    assert!(
        run.out.contains("3 invalid, 1 skipped") || run.out.contains("4 invalid, 1 skipped"),
        "{}",
        run.out
    );
    // the files that a kernel names
    let odd = [("so", "toml", "own.so"), ("c", "op", "own.c")];
    for (extension, other, name) in odd {
        let file = write(&dir, name, &SCALE.replace("\"scale\"", "\"fifo.op\""));
        let fifo = if extension == "c" { dir.join("fifo.op") } else { dir.join("own.toml") };
        assert!(Command::new("mkfifo").arg(&fifo).status().unwrap().success());
        let run = ktwin(&["test", &file]);
        assert_eq!(run.code, 2, "{other}: {}", run.out);
        assert!(run.out.contains("not a regular file"), "{other}: {}", run.out);
    }
}

fn whole_sandbox() -> bool {
    ktwin_devices::sandbox().is_ok_and(|standing| standing.is_whole())
}

#[cfg(target_os = "linux")]
#[test]
fn a_sandbox_that_lacks_something_is_said_and_may_be_refused() {
    // a place in which nobody makes namespaces
    let less = |args: &str| {
        let script = format!(
            "echo 0 > /proc/sys/user/max_user_namespaces && exec {} test {args} --quick --seed 1",
            env!("CARGO_BIN_EXE_ktwin")
        );
        ended(Command::new("unshare").args(["-Ur", "sh", "-c", &script]))
    };
    let mut none = Command::new("unshare");
    none.args(["-Ur", "sh", "-c", "echo 0 > /proc/sys/user/max_user_namespaces"]).stderr(Stdio::null());
    let can = none.status().is_ok_and(|s| s.success());
    if !has_compiler() || !whole_sandbox() || !can {
        return;
    }
    let file = write(&folder("judge-box"), "scale.c", SCALE);
    let run = ktwin(&["test", &file, "--quick", "--seed", "1", "--require", "sandbox"]);
    assert_eq!(run.code, 0, "{}{}", run.out, run.err);
    assert!(!run.out.contains("sandbox"), "{}", run.out);
    let run = less(&file);
    assert_eq!(run.code, 0, "{}{}", run.out, run.err);
    assert!(run.out.contains("sandbox: partial (missing: namespaces"), "{}", run.out);
    let run = less(&format!("{file} --require sandbox"));
    assert_eq!(run.code, 1, "{}{}", run.out, run.err);
    assert!(run.err.contains("sandbox is required: here it is partial"), "{}", run.err);
}

#[test]
fn what_was_compiled_is_found_again_by_all_that_the_compiler_read() {
    if !has_compiler() {
        return;
    }
    let dir = folder("judge-cache");
    let (beside, far) = (dir.join("beside"), dir.join("far"));
    std::fs::create_dir_all(&beside).unwrap();
    std::fs::create_dir_all(&far).unwrap();
    let test = |file: &str| {
        let args = ["test", file, "--quick", "--seed", "1"];
        let mut command = command(&args);
        command.env("XDG_CACHE_HOME", dir.join("cache")).env("CFLAGS", format!("-I{}", far.display()));
        ended(&mut command).code
    };
    let (right, wrong) = ("#define FACTOR s.alpha\n", "#define FACTOR (2 * s.alpha)\n");
    let ways = [
        ("quoted.c", "#include \"factor.h\"\n", &beside),
        ("elsewhere.c", "#include <factor.h>\n", &far),
        ("computed.c", "#define HEADER <factor.h>\n#include HEADER\n", &far),
        ("nested.c", "#include \"outer.h\"\n", &far),
    ];
    write(&beside, "outer.h", "#include <factor.h>\n");
    for (name, include, folder) in ways {
        let text =
            SCALE.replace("void scale", &format!("{include}void scale")).replace("s.alpha * ", "FACTOR * ");
        let file = write(&beside, name, &text);
        for (header, code) in [(right, 0), (right, 0), (wrong, 1), (right, 0)] {
            write(folder, "factor.h", header);
            assert_eq!(test(&file), code, "{name}: {header}");
        }
        std::fs::remove_file(folder.join("factor.h")).unwrap();
    }
    // a header that appears where the compiler looks first
    write(&far, "factor.h", right);
    let text =
        SCALE.replace("void scale", "#include \"factor.h\"\nvoid scale").replace("s.alpha * ", "FACTOR * ");
    let file = write(&beside, "hidden.c", &text);
    assert_eq!(test(&file), 0);
    write(&beside, "factor.h", wrong);
    assert_eq!(test(&file), 1);
    // what lies there and is not what was kept is made again
    std::fs::remove_file(beside.join("factor.h")).unwrap();
    assert_eq!(test(&file), 0);
    for entry in std::fs::read_dir(dir.join("cache/ktwin/native")).unwrap().flatten() {
        let mut bytes = std::fs::read(entry.path()).unwrap();
        let last = bytes.len() - 1;
        bytes[last] ^= 1;
        std::fs::write(entry.path(), bytes).unwrap();
    }
    assert_eq!(test(&file), 0);
    assert!(files(&dir.join("cache/ktwin/native")).iter().all(|name| name.ends_with(".built")));
}

#[cfg(target_arch = "x86_64")]
#[test]
fn what_an_assembler_reads_is_read_again() {
    if !has_compiler() {
        return;
    }
    let dir = folder("judge-assembler");
    let data = dir.join("factor.bin");
    // the directive is written in two parts, and stands in a header
    let read = format!(
        "__asm__(\".section .rodata\\nfactor:\\n.inc\" \"bin \\\"{}\\\"\\n.previous\");\n\
         extern const float factor __attribute__((visibility(\"hidden\")));\n",
        data.display()
    );
    write(&dir, "factor.h", &read);
    let text = |what: &str| {
        SCALE.replace("void scale", &format!("{what}void scale")).replace("s.alpha * ", "factor * s.alpha * ")
    };
    for (name, what) in [("own.c", read.as_str()), ("header.c", "#include \"factor.h\"\n")] {
        let file = write(&dir, name, &text(what));
        for (factor, code) in [(1.0f32, 0), (2.0, 1), (1.0, 0)] {
            std::fs::write(&data, factor.to_le_bytes()).unwrap();
            let mut command = command(&["test", &file, "--quick", "--seed", "1"]);
            let run = ended(command.env("XDG_CACHE_HOME", dir.join("cache")));
            assert_eq!(run.code, code, "{name}, {factor}: {}", run.out);
        }
    }
}

#[cfg(target_os = "linux")]
#[test]
fn what_ktwin_was_started_with_is_closed_for_kernels() {
    if !has_compiler() {
        return;
    }
    let dir = folder("judge-open");
    let look = "char a[32], b[64]; for (int f = 3; f < 64; f++) { snprintf(a, sizeof a, \"/proc/self/fd/%d\", f);\n\
                long n = readlink(a, b, sizeof b);\n\
                if (n > 0 && b[0] == '/' && strncmp(b, \"/memfd:\", 7)) abort(); }\n";
    let text = SCALE
        .replace(
            "#include <stdint.h>",
            &["stdint", "stdio", "stdlib", "string", "unistd"].map(included).concat(),
        )
        .replace("{ for", &format!("{{ {look} for"));
    let file = write(&dir, "scale.c", &text);
    let secret = write(&dir, "secret", "secret");
    let ktwin = env!("CARGO_BIN_EXE_ktwin");
    let script = format!("exec 9< {secret} 20>> {secret}; exec {ktwin} test {file} --quick --seed 1");
    let run = ended(Command::new("bash").args(["-c", &script]));
    assert_eq!(run.code, 0, "{}{}", run.out, run.err);
}

#[test]
fn there_is_no_cache_where_others_could_write() {
    if !has_compiler() {
        return;
    }
    let dir = folder("judge-nowhere");
    let (file, shared) = (write(&dir, "scale.c", SCALE), dir.join("cache/ktwin/native"));
    std::fs::create_dir_all(dir.join("tmp")).unwrap();
    std::fs::create_dir_all(&shared).unwrap();
    assert!(Command::new("chmod").arg("777").arg(&shared).status().unwrap().success());
    for cache in [None, Some(dir.join("cache"))] {
        let mut command = command(&["test", &file, "--quick", "--seed", "1"]);
        command.env_remove("XDG_CACHE_HOME").env_remove("HOME").env("TMPDIR", dir.join("tmp"));
        cache.map(|cache| command.env("XDG_CACHE_HOME", cache));
        let run = ended(&mut command);
        assert_eq!(run.code, 0, "{}", run.out);
        assert_eq!((files(&dir.join("tmp")), files(&shared)), (Vec::new(), Vec::new()));
    }
}

#[test]
fn names_and_messages_of_others_are_shown_escaped() {
    if !has_compiler() {
        return;
    }
    let dir = folder("judge-names").join("two\nlines \u{1b}[2J");
    std::fs::create_dir_all(&dir).unwrap();
    let file = write(&dir, "a\rb.c", &SCALE.replace("void scale", "#error \u{1b}[32mpass\nvoid scale"));
    for args in [&["test", &file][..], &["test", &dir.join("none\u{1b}.c").display().to_string()]] {
        let run = ktwin(args);
        assert!(run.code != 0, "{}", run.out);
        let all = run.out.clone() + &run.err;
        assert!(!all.chars().any(|c| c.is_control() && c != '\n'), "{all:?}");
        assert!(all.contains("\\u{1b}"), "{all}");
        assert!(!all.lines().any(|line| line.starts_with("lines")), "{all}");
    }
}
