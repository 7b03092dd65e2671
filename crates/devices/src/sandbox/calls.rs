//! Which system calls a process may make: seccomp. A kernel gets a short list of what calculating takes; compilers and
//! drivers may do all but what reaches other processes, the network or the system itself.

use std::collections::BTreeMap;

use libc::c_long;
use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter, SeccompRule,
    TargetArch,
};

use super::Who;

type Rules = BTreeMap<c_long, Vec<SeccompRule>>;

/// What a kernel may call: memory, threads, time, its own signals, reading files that Landlock leaves open, and writing
/// to what is open.
const CALCULATING: &[c_long] = &[
    libc::SYS_brk,
    libc::SYS_munmap,
    libc::SYS_mprotect,
    libc::SYS_mremap,
    libc::SYS_madvise,
    libc::SYS_msync,
    libc::SYS_mlock,
    libc::SYS_munlock,
    libc::SYS_mincore,
    libc::SYS_membarrier,
    libc::SYS_get_mempolicy,
    libc::SYS_mbind,
    libc::SYS_set_mempolicy,
    libc::SYS_futex,
    libc::SYS_set_robust_list,
    libc::SYS_get_robust_list,
    libc::SYS_rseq,
    libc::SYS_clone3,
    libc::SYS_set_tid_address,
    libc::SYS_exit,
    libc::SYS_exit_group,
    libc::SYS_sched_yield,
    libc::SYS_getcpu,
    libc::SYS_sched_getaffinity,
    libc::SYS_sched_setaffinity,
    libc::SYS_sched_getparam,
    libc::SYS_sched_getscheduler,
    libc::SYS_clock_gettime,
    libc::SYS_clock_getres,
    libc::SYS_clock_nanosleep,
    libc::SYS_nanosleep,
    libc::SYS_gettimeofday,
    libc::SYS_times,
    libc::SYS_getrusage,
    libc::SYS_sysinfo,
    libc::SYS_uname,
    libc::SYS_rt_sigprocmask,
    libc::SYS_rt_sigreturn,
    libc::SYS_sigaltstack,
    libc::SYS_restart_syscall,
    libc::SYS_getpid,
    libc::SYS_gettid,
    libc::SYS_getppid,
    libc::SYS_getuid,
    libc::SYS_geteuid,
    libc::SYS_getgid,
    libc::SYS_getegid,
    libc::SYS_getrandom,
    libc::SYS_getcwd,
    libc::SYS_openat,
    libc::SYS_close,
    libc::SYS_read,
    libc::SYS_pread64,
    libc::SYS_readv,
    libc::SYS_write,
    libc::SYS_writev,
    libc::SYS_lseek,
    libc::SYS_fstat,
    libc::SYS_newfstatat,
    libc::SYS_statx,
    libc::SYS_faccessat,
    libc::SYS_faccessat2,
    libc::SYS_readlinkat,
    libc::SYS_getdents64,
    libc::SYS_fcntl,
    libc::SYS_dup,
    libc::SYS_ppoll,
];

/// The same by the names that only x86-64 still has.
#[cfg(target_arch = "x86_64")]
const OLD: &[c_long] = &[
    libc::SYS_arch_prctl,
    libc::SYS_access,
    libc::SYS_readlink,
    libc::SYS_stat,
    libc::SYS_lstat,
    libc::SYS_poll,
    libc::SYS_getrlimit,
    libc::SYS_time,
    libc::SYS_open,
];
#[cfg(not(target_arch = "x86_64"))]
const OLD: &[c_long] = &[];

/// What compilers and drivers may not call.
const REACHING: &[c_long] = &[
    libc::SYS_ptrace,
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
    libc::SYS_kcmp,
    libc::SYS_pidfd_getfd,
    libc::SYS_pidfd_open,
    libc::SYS_pidfd_send_signal,
    libc::SYS_process_madvise,
    libc::SYS_mount,
    libc::SYS_umount2,
    libc::SYS_pivot_root,
    libc::SYS_chroot,
    libc::SYS_fsopen,
    libc::SYS_fsmount,
    libc::SYS_fsconfig,
    libc::SYS_move_mount,
    libc::SYS_open_tree,
    libc::SYS_mount_setattr,
    libc::SYS_setns,
    libc::SYS_unshare,
    libc::SYS_bpf,
    libc::SYS_perf_event_open,
    libc::SYS_userfaultfd,
    libc::SYS_keyctl,
    libc::SYS_add_key,
    libc::SYS_request_key,
    libc::SYS_io_uring_setup,
    libc::SYS_io_uring_enter,
    libc::SYS_io_uring_register,
    libc::SYS_init_module,
    libc::SYS_finit_module,
    libc::SYS_delete_module,
    libc::SYS_kexec_load,
    libc::SYS_reboot,
    libc::SYS_swapon,
    libc::SYS_swapoff,
    libc::SYS_settimeofday,
    libc::SYS_clock_settime,
    libc::SYS_adjtimex,
    libc::SYS_clock_adjtime,
    libc::SYS_sethostname,
    libc::SYS_setdomainname,
    libc::SYS_acct,
    libc::SYS_quotactl,
    libc::SYS_syslog,
    libc::SYS_vhangup,
    libc::SYS_open_by_handle_at,
    libc::SYS_fanotify_init,
    libc::SYS_msgget,
    libc::SYS_semget,
    libc::SYS_shmget,
];

/// What compilers may not call either: memory that no process need have mapped is seen by nobody who counts it.
const UNCOUNTED: &[c_long] = &[libc::SYS_memfd_create, libc::SYS_memfd_secret];

/// `PR_SET_NAME`, `PR_GET_NAME` and `PR_SET_VMA`: what threads and allocators ask for.
const PRCTL: [u64; 3] = [15, 16, 0x5356_4d41];

/// Keeps out what is not on the list: such a call fails with EPERM.
pub fn enter(who: Who) -> Result<(), String> {
    let lost = |why: String| format!("seccomp ({why})");
    let programs = programs(who).map_err(|e| lost(e.to_string()))?;
    for program in programs {
        seccompiler::apply_filter(&program).map_err(|e| lost(e.to_string()))?;
    }
    Ok(())
}

fn programs(who: Who) -> Result<Vec<BpfProgram>, seccompiler::BackendError> {
    let refused = || SeccompAction::Errno(libc::EPERM as u32);
    if who != Who::Kernel {
        let rules = denied(who)?;
        return Ok(vec![program(rules, SeccompAction::Allow, refused())?]);
    }
    // new processes are told from threads by the flags of clone, which clone3 keeps where no filter sees them:
    // without it the C library takes the older one
    let absent: Rules = [(libc::SYS_clone3, Vec::new())].into();
    let absent = program(absent, SeccompAction::Allow, SeccompAction::Errno(libc::ENOSYS as u32))?;
    // the longer list comes last: once it holds, no other could be set
    Ok(vec![absent, program(allowed()?, refused(), SeccompAction::Allow)?])
}

fn program(
    rules: Rules,
    otherwise: SeccompAction,
    matching: SeccompAction,
) -> Result<BpfProgram, seccompiler::BackendError> {
    let arch = TargetArch::try_from(std::env::consts::ARCH)?;
    SeccompFilter::new(rules, otherwise, matching, arch)?.try_into()
}

fn when(arg: u8, op: SeccompCmpOp, value: u64) -> Result<SeccompRule, seccompiler::BackendError> {
    let length = if value > u64::from(u32::MAX) { SeccompCmpArgLen::Qword } else { SeccompCmpArgLen::Dword };
    SeccompRule::new(vec![SeccompCondition::new(arg, length, op, value)?])
}

// Shared memory without a file stays when it is given back, and is then counted nowhere: it is told by its flags.
fn mapping(uncounted: bool) -> Result<Vec<SeccompRule>, seccompiler::BackendError> {
    let flag = |flag: i32, is_set: bool| {
        let flag = flag as u64;
        let op = SeccompCmpOp::MaskedEq(flag);
        SeccompCondition::new(3, SeccompCmpArgLen::Dword, op, if is_set { flag } else { 0 })
    };
    let (shared, anonymous) = (libc::MAP_SHARED, libc::MAP_ANONYMOUS);
    if uncounted {
        return Ok(vec![SeccompRule::new(vec![flag(shared, true)?, flag(anonymous, true)?])?]);
    }
    Ok(vec![SeccompRule::new(vec![flag(shared, false)?])?, SeccompRule::new(vec![flag(anonymous, false)?])?])
}

// What is read or written outside a buffer ends the kernel: it may ask who handles that, and handle other signals.
fn handlers() -> Result<Vec<SeccompRule>, seccompiler::BackendError> {
    let asked = SeccompCondition::new(1, SeccompCmpArgLen::Qword, SeccompCmpOp::Eq, 0)?;
    let other =
        |signal: i32| SeccompCondition::new(0, SeccompCmpArgLen::Dword, SeccompCmpOp::Ne, signal as u64);
    let others = vec![other(libc::SIGSEGV)?, other(libc::SIGBUS)?];
    Ok(vec![SeccompRule::new(vec![asked])?, SeccompRule::new(others)?])
}

fn allowed() -> Result<Rules, seccompiler::BackendError> {
    let mut rules: Rules = CALCULATING.iter().chain(OLD).map(|call| (*call, Vec::new())).collect();
    rules.insert(libc::SYS_mmap, mapping(false)?);
    let own = u64::from(std::process::id());
    let thread = libc::CLONE_THREAD as u64;
    rules.insert(libc::SYS_clone, vec![when(0, SeccompCmpOp::MaskedEq(thread), thread)?]);
    // `abort` and the like
    for call in [libc::SYS_kill, libc::SYS_tgkill] {
        rules.insert(call, vec![when(0, SeccompCmpOp::Eq, own)?]);
    }
    rules.insert(libc::SYS_rt_sigaction, handlers()?);
    let options = PRCTL.iter().map(|option| when(0, SeccompCmpOp::Eq, *option));
    rules.insert(libc::SYS_prctl, options.collect::<Result<_, _>>()?);
    // limits may be read
    let unset = SeccompCondition::new(2, SeccompCmpArgLen::Qword, SeccompCmpOp::Eq, 0)?;
    rules.insert(libc::SYS_prlimit64, vec![SeccompRule::new(vec![unset])?]);
    Ok(rules)
}

fn denied(who: Who) -> Result<Rules, seccompiler::BackendError> {
    let mut rules: Rules = REACHING.iter().map(|call| (*call, Vec::new())).collect();
    if who == Who::Compiler {
        // pairs of sockets among its own processes are how some start others
        rules.insert(libc::SYS_socket, Vec::new());
        rules.extend(UNCOUNTED.iter().map(|call| (*call, Vec::new())));
        rules.insert(libc::SYS_mmap, mapping(true)?);
        return Ok(rules);
    }
    // drivers speak to services of this machine, and start threads and helpers
    let own = u64::from(std::process::id());
    let domains = [libc::AF_INET, libc::AF_INET6, libc::AF_PACKET, libc::AF_VSOCK];
    let domains = domains.iter().map(|domain| when(0, SeccompCmpOp::Eq, *domain as u64));
    rules.insert(libc::SYS_socket, domains.collect::<Result<_, _>>()?);
    for call in [libc::SYS_kill, libc::SYS_tgkill] {
        rules.insert(call, vec![when(0, SeccompCmpOp::Ne, own)?]);
    }
    Ok(rules)
}
