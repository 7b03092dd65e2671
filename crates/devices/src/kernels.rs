//! What devices ask of the kernels in a source before anything runs. It touches nothing.

use ktwin_check::{Build, Failure};

/// Whether a source with these entry points has those that are to be launched.
pub fn known(all: &[&str], build: &Build) -> Result<(), Failure> {
    for (entry, _) in build.entries.iter().filter(|(entry, _)| !entry.is_empty()) {
        if !all.contains(&entry.as_str()) {
            let near = ktwin_num::did_you_mean(entry, all.iter().copied());
            return Err(Failure::Mismatch(format!(
                "no entry point `{entry}`{near} (the source has {})",
                all.join(", ")
            )));
        }
    }
    Ok(())
}

/// Whether a work-group has the size that the kernel requires, if it requires one.
pub fn sized(required: Option<[u32; 3]>, block: [u32; 3]) -> Result<(), Failure> {
    match required {
        Some(required) if required != block => {
            let [x, y, z] = required;
            Err(Failure::Mismatch(format!(
                "`block` is {block:?}, although `reqd_work_group_size({x}, {y}, {z})` requires another"
            )))
        }
        _ => Ok(()),
    }
}
