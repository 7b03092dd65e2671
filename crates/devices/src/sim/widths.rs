//! How many lanes a subgroup has, which WGSL, GLSL and OpenCL C leave to the device. Warps of CUDA have 32.

use ktwin_check::{Build, Failure, Source};
use ktwin_sim::{EntryPoint, Module};

/// Lanes that a subgroup can have.
const WIDTHS: [u32; 6] = [1, 4, 8, 16, 32, 64];
/// Those that kernels meet which do not say what they need: most often 32.
const MIXED: [u32; 6] = [32, 32, 32, 8, 16, 64];

/// Those that go on together in kernels with atomics and without subgroups: 32 lanes trade values without a barrier as
/// long as they do, and few devices have so many.
const TOGETHER: [u32; 4] = [32, 32, 32, 8];

/// How many lanes the subgroups of a kernel have, from case to case: any number that devices have, unless the contract
/// says which it needs, or nothing depends on it. Entry points that ask for a number themselves have that (`own`).
pub fn of(module: &Module, source: &Source, build: &Build, usual: u32) -> Result<Vec<u32>, Failure> {
    let entries = build.entries.iter();
    let uses = |name: &str| {
        let of = |e: &EntryPoint| called(e, name) && e.subgroups && e.subgroup.is_none();
        module.entry_points().iter().any(of)
    };
    own(module, build)?;
    if !build.subgroup.is_empty() {
        let needed = |width: &u32| build.subgroup.contains(&i64::from(*width));
        let all: Vec<u32> = WIDTHS.into_iter().filter(needed).collect();
        let lacks = || {
            Failure::Unsupported(format!(
                "subgroups of {} lanes, which the contract asks for (the simulator has {})",
                listed(&build.subgroup),
                listed(&WIDTHS)
            ))
        };
        return if all.is_empty() { Err(lacks()) } else { Ok(all) };
    }
    let asks = |name: &str| module.entry_points().iter().any(|e| called(e, name) && e.subgroup.is_some());
    let trades = || source.text().contains("atomic") && !build.entries.iter().any(|(name, _)| asks(name));
    Ok(match entries.into_iter().any(|(name, _)| uses(name)) {
        true => MIXED.to_vec(),
        false if usual == TOGETHER[0] && trades() => TOGETHER.to_vec(),
        false => vec![usual],
    })
}

/// Whether an entry point is the one that a contract calls by this name.
fn called(entry: &EntryPoint, name: &str) -> bool {
    name.is_empty() || entry.name == name
}

/// Holds what entry points ask for themselves against what there is, and against the contract.
fn own(module: &Module, build: &Build) -> Result<(), Failure> {
    let started = |e: &&EntryPoint| build.entries.iter().any(|(name, _)| called(e, name));
    for (entry, lanes) in module.entry_points().iter().filter(started).filter_map(|e| Some((e, e.subgroup?)))
    {
        if !WIDTHS.contains(&lanes) {
            let text = format!(
                "subgroups of {lanes} lanes, which `{}` asks for (the simulator has {})",
                entry.name,
                listed(&WIDTHS)
            );
            return Err(Failure::Unsupported(text));
        }
        if !build.subgroup.is_empty() && !build.subgroup.contains(&i64::from(lanes)) {
            let text = format!(
                "`{}` asks for subgroups of {lanes} lanes, the contract for {}: set `subgroup` to {lanes}",
                entry.name,
                listed(&build.subgroup)
            );
            return Err(Failure::Mismatch(text));
        }
    }
    Ok(())
}

fn listed(widths: &[impl ToString]) -> String {
    widths.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}
