//! The box of a kernel, hole by hole: what it tries fails, and honest work in it goes on. Where a system offers less,
//! the tests say so and nothing else.
#![cfg(target_os = "linux")]

mod common;

use common::{device, launch, run_one, tight, y_of};
use ktwin_check::{Failure, Ran, SourceKind};
use ktwin_devices::{Limits, sandbox};

const HEAD: &str = "#define _GNU_SOURCE\n#include <errno.h>\n#include <fcntl.h>\n#include <pthread.h>\n\
                    #include <sched.h>\n\
                    #include <signal.h>\n#include <stdint.h>\n#include <stdio.h>\n#include <stdlib.h>\n\
                    #include <string.h>\n#include <sys/ioctl.h>\n#include <sys/mman.h>\n#include <sys/mount.h>\n\
                    #include <sys/prctl.h>\n#include <sys/ptrace.h>\n#include <sys/resource.h>\n\
                    #include <sys/socket.h>\n#include <sys/stat.h>\n#include <sys/syscall.h>\n\
                    #include <sys/uio.h>\n#include <unistd.h>\n\
                    typedef struct { uint32_t n; float add; } scalars;\n";

/// Whether this system has all of the box.
fn is_whole() -> bool {
    let standing = sandbox().unwrap_or_else(|e| panic!("{e}"));
    if !standing.is_whole() {
        let required = std::env::var("KTWIN_REQUIRE").unwrap_or_default();
        assert!(!required.contains("sandbox"), "the sandbox is {standing}");
        eprintln!("skipped: the sandbox is {standing}");
    }
    standing.is_whole()
}

fn run_on(x: &[f32], text: &str, limits: Limits) -> Result<Ran, Failure> {
    run_one(&*device("native", limits), SourceKind::C, &format!("{HEAD}{text}"), &launch(x, 0.0))
}

/// What becomes of each attempt: its error number, 0 where it succeeded.
fn attempts(tries: &[String]) -> Vec<i32> {
    let tries: Vec<String> = tries
        .iter()
        .enumerate()
        .map(|(i, one)| format!("errno = 0; y[{i}] = (long)({one}) == -1 ? errno : 0;"))
        .collect();
    let body =
        format!("void f(const float *x, float *y, scalars s) {{ (void)x; (void)s; {} }}", tries.join("\n"));
    let x = vec![0.0; tries.len()];
    let ran = run_on(&x, &body, tight()).unwrap_or_else(|e| panic!("{e}"));
    y_of(&launch(&x, 0.0), &ran).iter().map(|v| *v as i32).collect()
}

#[track_caller]
fn all_fail(tries: &[&str]) {
    if !is_whole() {
        return;
    }
    let parent = std::process::id();
    let secret = concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml");
    let filled: Vec<String> =
        tries.iter().map(|t| t.replace("PARENT", &parent.to_string()).replace("SECRET", secret)).collect();
    for (tried, error) in tries.iter().zip(attempts(&filled)) {
        assert!(error != 0, "this succeeded: {tried}");
    }
}

#[test]
fn other_processes_are_out_of_reach() {
    all_fail(&[
        "kill(PARENT, SIGSTOP)",
        "kill(PARENT, SIGKILL)",
        "kill(getppid(), SIGSTOP)",
        "kill(-1, SIGKILL)",
        "kill(0, SIGKILL)",
        "kill(1, SIGKILL)",
        "syscall(SYS_tgkill, PARENT, PARENT, SIGSTOP)",
        "syscall(SYS_tkill, PARENT, SIGSTOP)",
        "syscall(SYS_rt_sigqueueinfo, PARENT, SIGSTOP, 0)",
        "syscall(SYS_pidfd_open, PARENT, 0)",
        "ptrace(PTRACE_ATTACH, PARENT, 0, 0)",
        "ptrace(PTRACE_SEIZE, PARENT, 0, 0)",
        "ptrace(PTRACE_TRACEME, 0, 0, 0)",
        "process_vm_readv(PARENT, (struct iovec[]){{y, 4}}, 1, (struct iovec[]){{y, 4}}, 1, 0)",
        "process_vm_writev(PARENT, (struct iovec[]){{y, 4}}, 1, (struct iovec[]){{y, 4}}, 1, 0)",
        "open(\"/proc/PARENT/mem\", O_RDWR)",
        "open(\"/proc/PARENT/fd/1\", O_WRONLY)",
        "open(\"/proc/PARENT/cmdline\", O_RDONLY)",
        "open(\"/dev/tty\", O_RDWR)",
        "ioctl(2, TIOCSTI, \"x\")",
    ]);
}

#[test]
fn no_process_is_started_or_let_go() {
    all_fail(&[
        "fork()",
        "vfork()",
        "syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0)",
        "execl(\"/bin/true\", \"true\", (char *)0)",
        "setsid()",
        "setpgid(0, 0)",
        "prctl(PR_SET_PDEATHSIG, 0)",
        "prctl(PR_SET_CHILD_SUBREAPER, 1)",
        "unshare(CLONE_NEWUSER)",
        "setrlimit(RLIMIT_CPU, &(struct rlimit){RLIM_INFINITY, RLIM_INFINITY})",
    ]);
}

#[test]
fn files_are_neither_read_nor_written() {
    all_fail(&[
        "open(\"SECRET\", O_RDONLY)",
        "open(\"/etc/passwd\", O_RDONLY)",
        "open(\"/root\", O_RDONLY)",
        "open(\"/tmp\", O_RDONLY | O_DIRECTORY)",
        "open(\"/tmp/ktwin-filled\", O_WRONLY | O_CREAT, 0600)",
        "open(\"/tmp\", O_TMPFILE | O_RDWR, 0600)",
        "open(\"/dev/shm/ktwin-filled\", O_WRONLY | O_CREAT, 0600)",
        "open(\"SECRET\", O_WRONLY | O_TRUNC)",
        "truncate(\"SECRET\", 0)",
        "syscall(SYS_memfd_create, \"x\", 0)",
        "shm_open(\"/ktwin\", O_CREAT | O_RDWR, 0600)",
        "mkdir(\"/tmp/ktwin-made\", 0700)",
        "unlink(\"SECRET\")",
        "rename(\"SECRET\", \"/tmp/ktwin-moved\")",
        "symlink(\"SECRET\", \"/tmp/ktwin-link\")",
        "link(\"SECRET\", \"/tmp/ktwin-hard\")",
        "chmod(\"SECRET\", 0)",
        "chown(\"SECRET\", 1, 1)",
        "mkfifo(\"/tmp/ktwin-fifo\", 0600)",
        "chdir(\"/tmp\")",
        "chroot(\"/tmp\")",
    ]);
}

#[test]
fn there_is_no_network_and_no_way_into_the_system() {
    all_fail(&[
        "socket(AF_INET, SOCK_STREAM, 0)",
        "socket(AF_INET6, SOCK_DGRAM, 0)",
        "socket(AF_UNIX, SOCK_STREAM, 0)",
        "socket(AF_NETLINK, SOCK_RAW, 0)",
        "socketpair(AF_UNIX, SOCK_STREAM, 0, (int[2]){0, 0})",
        "mount(\"none\", \"/tmp\", \"tmpfs\", 0, 0)",
        "syscall(SYS_bpf, 0, 0, 0)",
        "syscall(SYS_perf_event_open, 0, 0, 0, 0, 0)",
        "syscall(SYS_userfaultfd, 0)",
        "syscall(SYS_io_uring_setup, 1, 0)",
        "syscall(SYS_keyctl, 0, 0, 0)",
        "syscall(SYS_setns, 0, 0)",
        "syscall(SYS_shmget, 1, 4096, 0600 | 01000)",
    ]);
}

#[test]
fn nothing_is_told_by_the_environment() {
    if is_whole() {
        let body = "extern char **environ; void f(const float *x, float *y, scalars s) { (void)x; (void)s; \
                    int n = 0; for (char **e = environ; e && *e; e++) n += !!strncmp(*e, \"LD_LIBRARY\", 10); \
                    y[0] = n; }";
        let ran = run_on(&[0.0], body, tight()).unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(y_of(&launch(&[0.0], 0.0), &ran), [0.0]);
    }
}

#[test]
fn threads_and_the_system_are_there_for_honest_work() {
    let body = "static void *one(void *p) { *(float *)p += 1; return 0; }\n\
                void f(const float *x, float *y, scalars s) { pthread_t t[8]; memcpy(y, x, 4 * s.n); \
                for (int i = 0; i < 8; i++) if (pthread_create(&t[i], 0, one, y + i)) abort(); \
                for (int i = 0; i < 8; i++) pthread_join(t[i], 0); \
                char *large = malloc(64 << 20); if (!large) abort(); memset(large, 1, 64 << 20); free(large); \
                FILE *cpus = fopen(\"/proc/cpuinfo\", \"r\"); if (!cpus || fgetc(cpus) < 0) abort(); fclose(cpus); \
                if (sysconf(_SC_NPROCESSORS_ONLN) < 1) abort(); printf(\"working\\n\"); }";
    let x = [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0];
    let ran = run_on(&x, body, tight()).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(y_of(&launch(&x, 0.0), &ran), x.map(|v| v + 1.0));
}

#[test]
fn threads_without_number_end_with_the_kernel() {
    let body = "static void *rest(void *p) { for (;;) pause(); return p; }\n\
                void f(const float *x, float *y, scalars s) { (void)x; (void)y; (void)s; \
                pthread_t t; for (;;) pthread_create(&t, 0, rest, 0); }";
    let ran = run_on(&[0.0], body, tight());
    assert!(
        matches!(ran, Err(Failure::Hang { .. } | Failure::OutOfMemory(_) | Failure::Crash(_))),
        "{ran:?}"
    );
}

#[test]
fn nothing_outlives_a_kernel() {
    let marker = format!("ktwin-outlives-{}", std::process::id());
    let body = format!(
        "static void *stay(void *p) {{ prctl(PR_SET_NAME, \"{}\"); for (;;) pause(); return p; }}\n\
         void f(const float *x, float *y, scalars s) {{ (void)x; (void)s; pthread_t t; \
         if (pthread_create(&t, 0, stay, 0)) abort(); usleep(20000); y[0] = 1; }}",
        &marker[..15]
    );
    let ran = run_on(&[0.0], &body, tight());
    assert!(ran.is_ok(), "{ran:?}");
    let processes = std::fs::read_dir("/proc").unwrap_or_else(|e| panic!("{e}")).flatten();
    let names =
        processes.flat_map(|p| std::fs::read_dir(p.path().join("task")).into_iter().flatten().flatten());
    let mut names = names.filter_map(|t| std::fs::read_to_string(t.path().join("comm")).ok());
    assert!(!names.any(|name| name.trim() == &marker[..15]));
}

#[test]
fn a_required_box_that_is_not_whole_runs_nothing() {
    let body = "void f(const float *x, float *y, scalars s) { (void)x; (void)s; y[0] = 1; }";
    let ran = run_on(&[0.0], body, Limits { boxed: true, ..tight() });
    match sandbox().unwrap_or_else(|e| panic!("{e}")).is_whole() {
        true => assert!(ran.is_ok(), "{ran:?}"),
        false => assert!(matches!(&ran, Err(Failure::Broken(why)) if why.contains("sandbox")), "{ran:?}"),
    }
}
