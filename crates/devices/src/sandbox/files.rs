//! Which files a process may open: Landlock. What was opened before stays open; memory files have no place among them.

use std::path::{Path, PathBuf};

use landlock::{
    ABI, Access, AccessFs, AccessNet, CompatLevel, Compatible, LandlockStatus, PathBeneath, PathFd, Ruleset,
    RulesetAttr, RulesetCreated, RulesetCreatedAttr, Scope,
};

use super::{Policy, Who};

/// The newest rules that are asked for; older systems give what they have.
const NEWEST: ABI = ABI::V7;
/// The oldest that keeps what is written under control.
const OLDEST: ABI = ABI::V3;

/// Libraries, and the little that they look at when they start.
const SYSTEM: &[&str] = &[
    "/lib",
    "/lib32",
    "/lib64",
    "/usr/lib",
    "/usr/lib32",
    "/usr/lib64",
    "/usr/libexec",
    "/usr/local/lib",
    "/opt",
    "/nix/store",
    "/gnu/store",
    "/etc/ld.so.cache",
    "/proc/self",
    "/proc/cpuinfo",
    "/proc/meminfo",
    "/proc/stat",
    "/proc/sys/vm/overcommit_memory",
    "/sys/devices/system/cpu",
    "/sys/devices/system/node",
    "/sys/kernel/mm/transparent_hugepage",
    "/dev/null",
    "/dev/urandom",
    "/dev/random",
];
/// What compilers need beside that.
const PROGRAMS: &[&str] =
    &["/bin", "/sbin", "/usr", "/etc/alternatives", "/etc/ld.so.conf", "/etc/ld.so.conf.d"];

/// Closes the rest, and keeps signals and connections to other processes in.
pub fn enter(policy: &Policy) -> Result<(), String> {
    let lost = |why: String| format!("Landlock ({why})");
    let rules = rules(policy).map_err(|e| lost(e.to_string()))?;
    let status = rules.restrict_self().map_err(|e| lost(e.to_string()))?;
    match status.landlock {
        LandlockStatus::Available { effective_abi, .. } if effective_abi >= OLDEST => Ok(()),
        LandlockStatus::Available { .. } => Err(lost("this Linux is older than 6.2".into())),
        LandlockStatus::NotEnabled => Err(lost("switched off on this system".into())),
        _ => Err(lost("this Linux has none".into())),
    }
}

fn rules(policy: &Policy) -> Result<RulesetCreated, landlock::RulesetError> {
    let mut rules = Ruleset::default()
        .set_compatibility(CompatLevel::BestEffort)
        .handle_access(AccessFs::from_all(NEWEST))?
        .handle_access(AccessNet::from_all(NEWEST))?
        .scope(Scope::from_all(NEWEST))?
        .create()?;
    let read = AccessFs::from_read(NEWEST);
    let everything = [PathBuf::from("/")];
    let system = SYSTEM.iter().map(PathBuf::from);
    let readable: Vec<PathBuf> = match policy.who {
        Who::Driver => everything.to_vec(),
        Who::Kernel => system.collect(),
        Who::Compiler => system.chain(PROGRAMS.iter().map(PathBuf::from)).collect(),
    };
    for path in readable.iter().chain(&policy.read) {
        rules = beneath(rules, path, read)?;
    }
    let all = AccessFs::from_all(NEWEST);
    rules = beneath(rules, Path::new("/dev/null"), read | AccessFs::WriteFile)?;
    if policy.who == Who::Driver {
        // devices are opened for writing, and spoken to
        rules = beneath(rules, Path::new("/dev"), read | AccessFs::WriteFile | AccessFs::IoctlDev)?;
        // CUDA names its threads there, and does not start where it may not
        let own = read | AccessFs::WriteFile | AccessFs::Truncate;
        rules = beneath(rules, Path::new("/proc/self"), own)?;
    }
    if let Some(room) = &policy.write {
        rules = beneath(rules, room, all)?;
    }
    Ok(rules)
}

// What does not exist needs no rule; a file takes those rights that files have.
fn beneath(
    rules: RulesetCreated,
    path: &Path,
    access: landlock::BitFlags<AccessFs>,
) -> Result<RulesetCreated, landlock::RulesetError> {
    let Ok(open) = PathFd::new(path) else { return Ok(rules) };
    let access = if path.is_dir() { access } else { access & AccessFs::from_file(NEWEST) };
    rules.add_rule(PathBeneath::new(open, access))
}
