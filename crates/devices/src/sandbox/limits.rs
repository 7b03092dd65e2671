//! Limits on what a process may take.

use rustix::process::{Resource, Rlimit, setrlimit};

use super::{Policy, Who};

/// Address space beside the memory that is used: threads' heaps are reserved in large pieces.
const RESERVED: u64 = 64 << 30;
/// Threads and processes, where they are counted for the box alone.
const PROCESSES: u64 = 512;

/// Sets them. A limit that is lower already stays.
pub fn enter(policy: &Policy) -> Result<(), String> {
    let kernel = policy.who == Who::Kernel;
    let limits = [
        (Resource::Core, 0, true),
        (Resource::Cpu, policy.seconds, true),
        (Resource::Fsize, policy.file, true),
        (Resource::Data, policy.memory, policy.who != Who::Driver),
        (Resource::As, policy.memory.saturating_add(RESERVED), policy.who != Who::Driver),
        (Resource::Nproc, PROCESSES, kernel && super::spaces::counted()),
    ];
    for (resource, most, _) in limits.into_iter().filter(|(_, _, wanted)| *wanted) {
        let limit = Rlimit { current: Some(most), maximum: Some(most) };
        if let Err(error) = setrlimit(resource, limit)
            && rustix::process::getrlimit(resource).maximum.is_none_or(|now| now > most)
        {
            return Err(format!("limits ({resource:?}: {error})"));
        }
    }
    Ok(())
}
