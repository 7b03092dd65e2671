//! What devices ask of the kernels in a source before anything runs. It touches nothing.

#[cfg(any(feature = "sim", feature = "cuda"))]
use ktwin_check::Step;
use ktwin_check::{Build, Failure};
#[cfg(any(feature = "sim", feature = "cuda", feature = "opencl"))]
use ktwin_num::plural;

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

/// What a kernel takes: each of its parameters in words, with its bytes, and how many more point to local memory.
#[cfg(any(feature = "sim", feature = "cuda"))]
pub struct Signature<'a> {
    /// The function, as people call it.
    pub name: &'a str,
    /// Parameters that `args` gives.
    pub parameters: Vec<(String, usize)>,
    /// Parameters that `shared` gives.
    pub locals: usize,
}

/// Whether `args` gives a kernel what it takes: as many parameters, each of as many bytes.
#[cfg(any(feature = "sim", feature = "cuda"))]
pub fn fits(signature: &Signature, given: &[usize]) -> Result<(), Failure> {
    let Signature { name, parameters, locals } = signature;
    let counts = (parameters.len(), given.len(), *locals);
    counted(name, counts)?;
    let mut both = parameters.iter().zip(given);
    match both.find(|((_, own), given)| own != *given) {
        None => Ok(()),
        Some(((parameter, own), given)) => Err(Failure::Mismatch(format!(
            "{parameter} of `{name}` takes {}, but `args` gives it {given}",
            plural(*own, "byte")
        ))),
    }
}

/// Whether `args` gives as many parameters as a kernel has, beside those in local memory.
#[cfg(any(feature = "sim", feature = "cuda", feature = "opencl"))]
pub fn counted(name: &str, (own, given, locals): (usize, usize, usize)) -> Result<(), Failure> {
    let beside = if locals == 0 { String::new() } else { format!(" beside {locals} in local memory") };
    match own == given {
        true => Ok(()),
        false => Err(Failure::Mismatch(format!(
            "`{name}` has {}{beside}, but `args` gives {given}",
            plural(own, "parameter")
        ))),
    }
}

/// Whether parameters that point to local memory have any.
#[cfg(any(feature = "sim", feature = "opencl"))]
pub fn local(name: &str, locals: usize, shared: u32) -> Result<(), Failure> {
    match locals > 0 && shared == 0 {
        true => Err(Failure::Mismatch(format!(
            "`{name}` has a parameter in local memory: say how many bytes of it with `shared`, such as \
             shared = 1024"
        ))),
        false => Ok(()),
    }
}

/// Lanes of a block, of its last dimension, and blocks of the last two dimensions of a grid, on every card.
pub const LANES: u64 = 1024;
#[cfg(any(feature = "sim", feature = "cuda"))]
const DEEP: u32 = 64;
#[cfg(any(feature = "sim", feature = "cuda"))]
const WIDE: u32 = 65_535;
/// Bytes of shared memory that a kernel may declare.
#[cfg(any(feature = "sim", feature = "cuda"))]
const STATIC: u32 = 48 << 10;

/// What a kernel of CUDA says of its launches itself.
#[cfg(any(feature = "sim", feature = "cuda"))]
#[derive(Clone, Copy)]
pub struct Takes {
    /// Lanes of a block at most.
    pub lanes: u32,
    /// Bytes of static shared memory.
    pub shared: u32,
}

/// Whether a card on which a block can have `most` bytes of shared memory would start this at all.
#[cfg(any(feature = "sim", feature = "cuda"))]
pub fn launchable(step: &Step, takes: Takes, most: u32) -> Result<(), Failure> {
    let (block, grid) = (step.block.unwrap_or([1; 3]), step.grid);
    let lanes: u64 = block.iter().map(|n| u64::from(*n)).product();
    let wrong = |text: String| Err(Failure::Mismatch(text));
    let bounds = u64::from(takes.lanes);
    if lanes > LANES {
        return wrong(format!("a block of {lanes} lanes: at most {LANES} are allowed"));
    }
    if lanes > bounds {
        return wrong(format!(
            "a block of {lanes} lanes, although `__launch_bounds__` promises at most {bounds}"
        ));
    }
    if block[2] > DEEP {
        return wrong(format!("a block of {} lanes in z: at most {DEEP} are allowed", block[2]));
    }
    if let Some(blocks) = grid[1..].iter().find(|n| **n > WIDE) {
        return wrong(format!(
            "{blocks} blocks in y or z, at most {WIDE} are allowed: limit the dimension in `dims`"
        ));
    }
    if takes.shared > STATIC {
        return wrong(format!(
            "{} bytes of static shared memory: at most {STATIC} are allowed",
            takes.shared
        ));
    }
    let shared = u64::from(step.shared) + u64::from(takes.shared);
    if shared > u64::from(most) {
        return wrong(format!("{shared} bytes of shared memory per block: at most {most} are allowed here"));
    }
    Ok(())
}

#[cfg(all(test, any(feature = "sim", feature = "cuda")))]
mod tests {
    use super::*;

    fn refused(block: [u32; 3], grid: [u32; 3], shared: u32, lanes: u32) -> Option<String> {
        let step = Step { entry: "k".into(), grid, block: Some(block), shared, ..Step::default() };
        launchable(&step, Takes { lanes, shared: 1024 }, 163 << 10).err().map(|e| e.to_string())
    }

    #[test]
    fn what_no_card_starts_is_said() {
        assert_eq!(refused([32, 32, 1], [1 << 20, 65_535, 1], 162 << 10, 1024), None);
        let cases = [
            (refused([1025, 1, 1], [1; 3], 0, u32::MAX), "1025 lanes"),
            (refused([256, 1, 1], [1; 3], 0, 128), "__launch_bounds__"),
            (refused([1, 1, 65], [1; 3], 0, u32::MAX), "in z"),
            (refused([1; 3], [1, 1, 65_536], 0, u32::MAX), "65536 blocks"),
            (refused([1; 3], [1; 3], (162 << 10) + 1, u32::MAX), "shared memory"),
        ];
        for (said, wanted) in cases {
            assert!(said.as_ref().is_some_and(|s| s.contains(wanted)), "{said:?} {wanted}");
        }
    }
}
