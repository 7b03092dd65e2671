//! How many lanes a subgroup has, which WGSL leaves to the device.

use ktwin_check::{Build, Failure};
use ktwin_sim::{EntryPoint, Module};

/// Lanes that a subgroup can have.
const WIDTHS: [u32; 6] = [1, 4, 8, 16, 32, 64];
/// Those that kernels meet which do not say what they need: most often 32.
const MIXED: [u32; 6] = [32, 32, 32, 8, 16, 64];

/// How many lanes the subgroups of a kernel have, from case to case: any number that devices have, unless the contract
/// says which it needs, or nothing depends on it.
pub fn of(module: &Module, build: &Build, usual: u32) -> Result<Vec<u32>, Failure> {
    let entries = build.entries.iter();
    let uses = |name: &str| {
        let of = |e: &EntryPoint| (name.is_empty() || e.name == name) && e.subgroups;
        module.entry_points().iter().any(of)
    };
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
    let all = if entries.into_iter().any(|(name, _)| uses(name)) { MIXED.to_vec() } else { vec![usual] };
    Ok(all)
}

fn listed(widths: &[impl ToString]) -> String {
    widths.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}
