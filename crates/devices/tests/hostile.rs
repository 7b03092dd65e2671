//! Kernels that mean harm to whoever runs them: what becomes of them is a crash, never a skip and never a pass.
#![cfg(target_os = "linux")]

mod common;

use common::{build, compiled, device, launch, run_one, tight, y_of};
use ktwin_check::{Failure, Kind, Launch, Ran, Source, SourceKind};

const HEAD: &str = "#define _GNU_SOURCE\n#include <errno.h>\n#include <fcntl.h>\n#include <pthread.h>\n\
                    #include <sched.h>\n\
                    #include <signal.h>\n#include <stdint.h>\n#include <stdio.h>\n#include <stdlib.h>\n\
                    #include <string.h>\n#include <sys/ioctl.h>\n#include <sys/mman.h>\n#include <sys/mount.h>\n\
                    #include <sys/prctl.h>\n#include <sys/ptrace.h>\n#include <sys/resource.h>\n\
                    #include <sys/socket.h>\n#include <sys/stat.h>\n#include <sys/syscall.h>\n\
                    #include <sys/uio.h>\n#include <unistd.h>\n\
                    typedef struct { uint32_t n; float add; } scalars;\n\
                    static int report_pipe(void) { struct stat s; for (int f = 3; f < 1024; f++)\n\
                    if (!fstat(f, &s) && S_ISFIFO(s.st_mode)) return f; return -1; }\n";
const RIGHT: &str = "void plus(const float *x, float *y, scalars s) { \
                     for (uint32_t i = 0; i < s.n; i++) y[i] = x[i] + s.add; }\n";

fn run(body: &str) -> Result<Ran, Failure> {
    run_one(&*device("native", tight()), SourceKind::C, &format!("{HEAD}{body}"), &launch(&[1.0], 0.5))
}

#[track_caller]
fn crashes(body: &str) -> String {
    match run(body) {
        Err(Failure::Crash(how)) => how,
        other => panic!("{other:?}"),
    }
}

const UNUSED: &str = "(void)x; (void)y; (void)s;";

#[test]
fn a_name_that_nothing_defines_is_said() {
    let ran = run(&format!(
        "void nowhere(void);\nvoid plus(const float *x, float *y, scalars s) {{ {UNUSED} nowhere(); }}"
    ));
    let Err(Failure::Compile { message, .. }) = ran else { panic!("{ran:?}") };
    assert!(message.starts_with("it does not link, since `nowhere` is not defined: define it"), "{message}");
}

// A kernel that sends these bytes as if it were ktwin's own part of the process, and ends.
fn forges(bytes: &[u8], times: &str) -> String {
    let text: String = bytes.iter().map(|b| format!("\\{b:03o}")).collect();
    let len = bytes.len();
    format!(
        "void plus(const float *x, float *y, scalars s) {{ {UNUSED} int pipe = report_pipe(); \
         for (long i = 0; i < {times}; i++) if (write(pipe, \"{text}\", {len}) != {len}) abort(); _exit(0); }}"
    )
}

#[test]
fn a_forged_trouble_is_a_crash() {
    // frames of the kinds that ktwin's part sends: no such device, unsupported, a hang, ktwin's own
    // fault, no such box, nothing at all
    for frame in [
        &[7, 0, 0, 0, 2, 0, 1, 0, 1, b'x', 0][..],
        &[6, 0, 0, 0, 2, 0, 1, 1, 1, b'x'],
        &[6, 0, 0, 0, 2, 0, 1, 5, 0, 0],
        &[6, 0, 0, 0, 2, 0, 1, 7, 1, b'x'],
        &[3, 0, 0, 0, 1, 1, b'x'],
        &[2, 0, 0, 0, 0, 0],
        &[0, 0, 0, 0],
        b"PASS: all is well",
    ] {
        crashes(&forges(frame, "1"));
    }
}

#[test]
fn a_forged_end_is_an_early_one() {
    // 0 says that nothing went wrong to those alone who do not know what says so
    let how = crashes(&forges(&[6, 0, 0, 0, 2, 0, 0, 0, 0, 0], "1"));
    assert!(how.contains("ended early (exit status: 0)"), "{how}");
}

#[test]
fn one_that_never_stops_telling_is_ended() {
    let started = std::time::Instant::now();
    let how = crashes(&forges(&[6, 0, 0, 0, 2, 0, 0, 0, 0, 0], "1l << 40"));
    assert!(how.contains("broke the protocol") && started.elapsed().as_secs() < 2, "{how}");
}

#[test]
fn outputs_are_read_when_nobody_can_change_them() {
    // a handler that would compute when its memory is touched, and a thread that outlives the call
    let body = "static float *out; static void *late(void *p) { (void)p; usleep(300000); out[0] = 1.5f; return 0; }\n\
                void plus(const float *x, float *y, scalars s) { (void)x; (void)s; out = y; pthread_t t; \
                if (pthread_create(&t, 0, late, 0)) abort(); y[0] = 7; }";
    let launch = launch(&[1.0], 0.5);
    let ran = run(body).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(y_of(&launch, &ran), [7.0]);
}

#[test]
fn an_input_that_is_written_to_is_named() {
    let launch = launch(&[1.0, 2.0], 0.5);
    let write = |what: &str| {
        let body = RIGHT.replace("{ for", &format!("{{ {what}; for"));
        run_one(&*device("native", tight()), SourceKind::C, &format!("{HEAD}{body}"), &launch)
    };
    for (what, kind, says) in [
        ("((float *)x)[1] += 1", Kind::InputChanged, "input x is written to, starting at element 1"),
        ("((float *)x)[-1] = 0", Kind::OutOfBounds, "writes before the first element of x"),
    ] {
        let ran = write(what).unwrap_or_else(|e| panic!("{e}"));
        let found = ran.findings.first().map(|f| (f.kind, f.message.as_str()));
        assert_eq!(found, Some((kind, says)));
        // nobody but the kernel sees what it wrote
        assert_eq!(ran.buffers[0], launch.buffers[0].bytes);
    }
    assert!(write("(void)x").is_ok_and(|ran| ran.findings.is_empty()));
}

#[test]
fn a_bad_end_after_good_results_is_a_crash() {
    for (ending, says) in [("abort()", "SIGABRT"), ("_exit(3)", "exit status: 3")] {
        let body = format!("{RIGHT}__attribute__((destructor)) static void end(void) {{ {ending}; }}");
        let launches: Vec<Launch> = vec![launch(&[1.0], 0.5), launch(&[2.0], 0.5)];
        let native = device("native", tight());
        let program = compiled(&*native, SourceKind::C, &format!("{HEAD}{body}"), &launches[0]);
        let ran = program.unwrap_or_else(|e| panic!("{e}")).run(launches.clone());
        assert!(ran[0].as_ref().is_ok_and(|r| y_of(&launches[0], r) == [1.5]), "{ran:?}");
        let Err(Failure::Crash(how)) = &ran[1] else { panic!("{ran:?}") };
        assert!(how.contains(says), "{how}");
    }
}

#[test]
fn what_it_prints_fills_nothing() {
    let how = crashes(
        "void plus(const float *x, float *y, scalars s) { (void)x; (void)y; (void)s; \
         for (int i = 0; i < 100000; i++) { fputs(\"some text to print\\n\", stderr); puts(\"PASS\"); } abort(); }",
    );
    assert!(how.ends_with("it printed: some text to print"), "{how}");
}

#[test]
fn a_library_is_the_file_that_was_named() {
    let dir = tempfile::tempdir().unwrap_or_else(|e| panic!("{e}"));
    let (text, path) = (dir.path().join("kernel.c"), dir.path().join("libplus.so"));
    for (name, call) in [("libm.so.6", "plus"), ("libc.so.6", "exp")] {
        let body = RIGHT.replace("plus", call);
        std::fs::write(&text, format!("{HEAD}{body}")).unwrap_or_else(|e| panic!("{e}"));
        let mut cc = std::process::Command::new("cc");
        cc.args(["-shared", "-fPIC", "-fno-builtin", "-o"]).arg(&path).arg(&text);
        let built = cc.arg(format!("-Wl,-soname,{name}")).status();
        assert!(built.is_ok_and(|s| s.success()));
        let bytes = std::fs::read(&path).unwrap_or_else(|e| panic!("{e}"));
        let source = Source { kind: SourceKind::Library, path: path.clone(), bytes };
        let launch = launch(&[1.0], 0.5);
        let native = device("native", tight());
        let program = native.compile(&source, &build(&launch, &[])).unwrap_or_else(|e| panic!("{e}"));
        // it is loaded as it was when it was looked at
        std::fs::write(&path, "another").unwrap_or_else(|e| panic!("{e}"));
        let ran = program.run(vec![launch.clone()]).remove(0).unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(y_of(&launch, &ran), [1.5]);
    }
}

#[test]
fn a_function_named_like_one_of_the_system_is_the_kernels_own() {
    let launch = launch(&[1.0], 0.5);
    let body = RIGHT.replace("plus", "tgamma");
    let ran = run(&body).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(y_of(&launch, &ran), [1.5]);
}

#[test]
fn what_is_read_beside_a_buffer_is_noticed_in_one_of_two_launches() {
    // 64 elements end where a fence begins
    let first = launch(&[1.0; 64], 0.5);
    let second = Launch { run: 1, ..first.clone() };
    for (at, wrong) in [("x[s.n]", 0), ("x[-1]", 1)] {
        let body = format!(
            "void plus(const float *x, float *y, scalars s) {{ volatile float beside = {at}; (void)beside; \
             for (uint32_t i = 0; i < s.n; i++) y[i] = x[i] + s.add; }}"
        );
        let native = device("native", tight());
        let program = compiled(&*native, SourceKind::C, &format!("{HEAD}{body}"), &first);
        let ran = program.unwrap_or_else(|e| panic!("{e}")).run(vec![first.clone(), second.clone()]);
        assert!(matches!(&ran[wrong], Err(Failure::Crash(how)) if how.contains("SIGSEGV")), "{ran:?}");
        assert!(ran[1 - wrong].as_ref().is_ok_and(|r| y_of(&first, r) == [1.5; 64]), "{ran:?}");
    }
}

#[cfg(target_arch = "x86_64")]
#[test]
fn another_floating_point_mode_is_a_finding() {
    for (change, says) in [
        ("__builtin_ia32_ldmxcsr(__builtin_ia32_stmxcsr() | 0x2000)", Some("rounding")),
        (
            "__builtin_ia32_ldmxcsr(__builtin_ia32_stmxcsr() | 0x8040)",
            Some("flush to zero, denormals are zero"),
        ),
        ("uint16_t w = 0x0f7f; __asm__(\"fldcw %0\" : : \"m\"(w))", Some("x87")),
        ("__asm__(\"fld1\")", Some("left on the x87 stack")),
        ("__asm__(\"fld1; fstp %st(0)\")", None),
        ("long double l = s.add; l = l * l; (void)l", None),
        ("volatile float z = 0; z = 1 / z", None),
    ] {
        let body = RIGHT.replace("{ for", &format!("{{ {change}; for"));
        let ran = run(&body).unwrap_or_else(|e| panic!("{e}"));
        let found = ran.findings.first().map(|f| (f.kind, f.message.contains(says.unwrap_or("?"))));
        assert_eq!(found, says.map(|_| (Kind::ModeChanged, true)), "{:?}", ran.findings);
    }
}

#[test]
fn a_source_that_is_endless_ends_the_compiler() {
    let ran = run("#include \"/dev/zero\"\n");
    assert!(matches!(ran, Err(Failure::Compile { .. })), "{ran:?}");
}
