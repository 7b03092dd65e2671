//! Devices of one's own: the program of docs/device-protocol.md and the type of `ktwin::device` judge real kernels, and
//! programs that do not keep to the protocol are told so.
#![cfg(unix)]

#[allow(dead_code, reason = "its main is for those who run the example")]
#[path = "../examples/own_device.rs"]
mod own_device;
mod support;

use std::os::unix::fs::PermissionsExt;

use support::{folder, ktwin, refuse};

const PROGRAM: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/examples/host-device.py");
const SILU: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../kernels/c/silu.c");
const CONTRACT: &str = "/*--- ktwin\nop = 'scale'\nargs = ['x', 'y', { N = 'u32', alpha = 'f32' }]\n---*/\n";

/// Whether the program can run here: it needs Python and a compiler.
fn can_run() -> bool {
    let there = |program: &str| std::process::Command::new(program).arg("--version").output().is_ok();
    let all = there("python3") && there("cc");
    if !all {
        let required = std::env::var("KTWIN_REQUIRE").unwrap_or_default();
        assert!(!required.contains("python"), "python3 or cc is not there");
        eprintln!("skipped: python3 or cc is not there");
    }
    all
}

/// A kernel of scale with this body, and the code and output of its test on the program.
fn on_the_program(name: &str, body: &str) -> (i32, String) {
    let file = folder("own-devices").with_file_name(format!("own-{name}.c"));
    let head = "#include <stdint.h>\n#include <stdlib.h>\n\
                void scale(const float *x, float *y, struct { uint32_t N; float alpha; } s)\n";
    let head = head.replace("struct { uint32_t N; float alpha; } s", "scalars s");
    let types = "typedef struct { uint32_t N; float alpha; } scalars;\n";
    std::fs::write(&file, format!("{CONTRACT}#include <stdint.h>\n{types}{head}{{ {body} }}\n")).unwrap();
    let run = ktwin(&["test", &file.display().to_string(), "--device", PROGRAM, "--quick", "--timeout", "3"]);
    (run.code, run.out + &run.err)
}

#[test]
fn a_program_runs_a_whole_plan() {
    if !can_run() {
        return;
    }
    let run = ktwin(&["test", SILU, "--device", PROGRAM, "--quick", "--seed", "1"]);
    assert_eq!(run.code, 0, "{}{}", run.out, run.err);
    assert!(run.out.contains("1 pass"), "{}", run.out);
    let honest = on_the_program("honest", "for (uint32_t n = 0; n < s.N; n++) y[n] = s.alpha * x[n];");
    assert_eq!(honest.0, 0, "{}", honest.1);
}

#[test]
fn a_program_fails_what_is_wrong() {
    if !can_run() {
        return;
    }
    let each = "for (uint32_t n = 0; n < s.N; n++)";
    for (name, body, says) in [
        ("wrong", format!("{each} y[n] = s.alpha * x[n] + 0.5f;"), "wrong values"),
        ("short", "for (uint32_t n = 1; n < s.N; n++) y[n] = s.alpha * x[n];".into(), "unwritten"),
        ("far", format!("{each} y[n] = s.alpha * x[n]; y[s.N] = 1;"), "out of bounds"),
        ("crash", "abort();".into(), "SIGABRT"),
        ("hang", "for (volatile int i = 0; i < 1;) {}".into(), "did not end within 3 s"),
        ("text", "this is not C".into(), "does not compile"),
    ] {
        let (code, text) = on_the_program(name, &body);
        assert!(code == 1 && text.contains(says), "{name}: {code}: {text}");
    }
}

#[test]
fn a_program_must_keep_to_the_protocol() {
    let folder = folder("odd-devices");
    let odd = |name: &str, script: &str| {
        let file = folder.join(name);
        std::fs::write(&file, format!("#!/bin/sh\n{script}\n")).unwrap();
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o755)).unwrap();
        refuse(&["test", SILU, "--device", &file.display().to_string()])
    };
    let ready = "echo '{\"ready\":[]}'";
    let speaks = |version| format!("echo '{{\"speaks\":{{\"version\":{version},\"languages\":[\"c\"]}}}}'");
    let described = "echo '{\"described\":{\"Ok\":{\"detail\":\"a script\",\"features\":[]}}}'";
    let words = odd("words", &format!("{ready}; echo hello"));
    assert!(words.contains("the device's program broke the protocol: `hello` is not a message"), "{words}");
    let silent = odd("silent", "exit 3");
    assert!(silent.contains("the device's program did not start (exit status: 3)"), "{silent}");
    assert!(odd("cannot", "echo '{\"cannot_start\":\"no board\"}'").contains("no board"));
    let old = odd("old", &format!("{ready}; {}; {described}", speaks(2)));
    assert!(old.contains("version 2 of the protocol, and this ktwin version 1"), "{old}");
    let absent = refuse(&["test", SILU, "--device", "./no-such-device"]);
    assert_eq!(absent, "ktwin: ./no-such-device: cannot start it: no such file or folder");
    for (name, text, mode, says) in [
        ("plain", "#!/bin/sh\n", 0o644, "it is not executable: `chmod +x "),
        ("lost", "#!/no/such/shell\n", 0o755, "the interpreter that its first line names is missing"),
        ("binary", "\u{7f}neither\n", 0o755, "the device's program did not start (exit status: 127)"),
    ] {
        let file = folder.join(name);
        std::fs::write(&file, text).unwrap();
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(mode)).unwrap();
        let said = refuse(&["test", SILU, "--device", &file.display().to_string()]);
        assert!(said.contains(says), "{said}");
    }
    let boxed = ktwin(&["test", SILU, "--device", PROGRAM, "--require", "sandbox"]);
    assert!(boxed.err.contains("sandbox"), "{}", boxed.err);
}

#[test]
fn a_type_runs_a_whole_plan_and_fails_what_is_wrong() {
    let file = folder("own-type").join("kernel.c");
    let contract = CONTRACT.replace("N = 'u32', ", "");
    let verdict = |code: &str| {
        std::fs::write(&file, format!("{contract}{code}\n")).unwrap();
        let report = ktwin::kernel(&file).device(own_device::Accelerator).quick().seed(1).run().unwrap();
        (report.verdict.to_string(), report.device)
    };
    assert_eq!(verdict("y = alpha * x"), ("pass".into(), "accelerator".into()));
    assert_eq!(verdict("y = alpha + x").0, "fail");
    assert_eq!(verdict("y = x").0, "fail");
    std::fs::write(&file, format!("{}y = alpha * x\n", contract.replace("'x', 'y'", "'y', 'x'"))).unwrap();
    let report = ktwin::kernel(&file).device(own_device::Accelerator).quick().seed(1).run().unwrap();
    assert_eq!(report.verdict.to_string(), "invalid");
    assert!(report.reason.contains("it takes x, y, alpha, and `args` has y, x, alpha"), "{}", report.reason);
}
