//! `ktwin tolerances`: every policy in force, of the registry and of contracts, with what each would let through; and
//! every expected failure. Runs no kernel.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use ktwin::catalogue;
use ktwin::explain::visible;
use ktwin::suite::{self, FindError};
use ktwin_check::worth::{Fault, Worth, worth};
use ktwin_check::{Day, Entry, Kernel, Policy, REGISTRY, Registry, Says};
use ktwin_num::{Float, plural};

use crate::outcome::{DONE, Failure, Outcome, WRONG, say};
use crate::test::NO_EVIDENCE;

const AFTER: &str = "\
Each policy is held against evaluations of the kernel's op: honest ones, with sums in several orders; coarser ones, in \
tf32, f16 or bf16; and wrong outputs. It is looser than needed where honest evaluations use less than a tenth of what \
it allows, useless where all evaluations at some coarser rung pass, too tight where an honest one is refused.

Examples:
  ktwin tolerances
  ktwin tolerances kernels/norm --seed 3

Exit codes: 0 every tolerance is worth having, 1 one is loose, useless or too tight, or an entry of ktwin.toml has no \
kernel or is past its date, 2 wrong usage or a wrong file, 3 there is none.";

/// List every tolerance in force, with what each would let through
#[derive(clap::Args)]
#[command(after_help = AFTER)]
pub struct Args {
    /// Kernel files, and folders to search; by default, this folder
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// The seed of the data
    #[arg(long, default_value_t = 7, allow_negative_numbers = true, value_parser = crate::amount::seed)]
    seed: u64,
}

/// Runs the subcommand.
pub fn run(args: &Args) -> Outcome {
    let paths = if args.paths.is_empty() { vec![PathBuf::from(".")] } else { args.paths.clone() };
    let (mut text, mut fine, mut wrong) = (String::new(), true, Vec::new());
    // a mistake in one of them is none of a kernel's
    let mut registries: Vec<Registry> = Vec::new();
    for path in &paths {
        let found = Registry::of(path)?;
        registries.extend(found.filter(|r| registries.iter().all(|known| known.root != r.root)));
    }
    let files = match suite::kernels(&paths, None) {
        Err(FindError::Nothing(_)) if !registries.is_empty() => Vec::new(),
        Err(FindError::Nothing(message)) => {
            return Err(Failure { message: Some(message), code: NO_EVIDENCE });
        }
        found => found?,
    };
    for file in files {
        // `ktwin test` tells of contracts that are wrong
        if suite::load(&file, None).is_err() {
            continue;
        }
        let (kernel, registry) = match suite::governed(&file) {
            Ok(governed) => governed,
            Err(why) => {
                wrong.push(format!("{}: {why}", visible(&file.display().to_string())));
                continue;
            }
        };
        let from = registry.as_ref().and_then(|r| Some(r.at(r.policy(&file)?.0)));
        if let Some(policy) = &kernel.contract.policy {
            let from = from.unwrap_or_else(|| "in its contract".into());
            fine &= told(&mut text, &kernel, policy, (&from, args.seed));
        }
    }
    for registry in &registries {
        for entry in &registry.entries {
            fine &= entered(&mut text, registry, entry);
        }
    }
    if text.is_empty() && wrong.is_empty() {
        let message =
            format!("no policy in any contract, and no {REGISTRY}: the error bars decide everything");
        return Err(Failure { message: Some(message), code: NO_EVIDENCE });
    }
    say(&text);
    match wrong.is_empty() {
        true => Ok(if fine { DONE } else { WRONG }),
        false => Err(Failure::usage(wrong.join("\n"))),
    }
}

/// Tells of a kernel's policy; false where it is not worth having.
fn told(out: &mut String, kernel: &Kernel, policy: &Policy, (from, seed): (&str, u64)) -> bool {
    let name = visible(kernel.name.trim_start_matches("./"));
    let _ = writeln!(out, "{name}  {}: {} ({from})", kernel.op.name, visible(&policy.reasoned()));
    let found = match worth(kernel, policy, seed) {
        Ok(found) => found,
        Err(why) => {
            let _ = writeln!(out, "  cannot be judged: {why}");
            return false;
        }
    };
    let _ = writeln!(
        out,
        "  honest evaluations use {} of what it allows, under stress {}",
        used(found.needed),
        used(found.stressed)
    );
    let _ = writeln!(out, "  would let through: {}", through(&found));
    // the error bar is what a policy is held against
    let faults = if policy.is_bar() { Vec::new() } else { found.faults() };
    for fault in &faults {
        let _ = writeln!(out, "  {}", sentence(fault, &found));
    }
    faults.is_empty()
}

/// A share of what a tolerance allows: all that counts of a small one is how small it is.
fn used(share: f64) -> String {
    match share {
        0.0 => "nothing".into(),
        share if share < 1e-6 => "less than a millionth".into(),
        share if share < 0.01 => format!("1/{:.0}", 1.0 / share),
        share => format!("{share:.2}"),
    }
}

fn through(found: &Worth) -> String {
    let coarse = found.coarse.iter().map(|(r, taken, of)| format!("{taken} of {of} in {}", rungs(*r)));
    let (a, b) = (found.ordinary.wrong, found.stress.wrong);
    let wrong = format!("{} of {} wrong outputs", a.count + b.count, a.of + b.of);
    coarse.chain([wrong]).collect::<Vec<_>>().join(", ")
}

fn rungs((compute, accumulate): (Float, Float)) -> String {
    match compute == accumulate {
        true => compute.name().to_string(),
        false => format!("{} with {} sums", compute.name(), accumulate.name()),
    }
}

fn sentence(fault: &Fault, found: &Worth) -> String {
    match fault {
        Fault::Loose => {
            let most = found.needed.max(found.stressed);
            format!("looser than needed: honest evaluations use {} of it", used(most))
        }
        Fault::Useless(rung) => format!("useless: every evaluation in {} passes", rungs(*rung)),
        Fault::Tight => {
            let (a, b) = (found.ordinary.refused, found.stress.refused);
            let of = plural(a.of + b.of, "honest evaluation");
            format!("too tight: it refuses {} of {of}", a.count + b.count)
        }
    }
}

/// Tells of an entry that speaks of no kernel, and of expected failures; false where it has to go.
fn entered(out: &mut String, registry: &Registry, entry: &Entry) -> bool {
    let at = registry.at(entry);
    let path = visible(&entry.path);
    // `**` alone finds folders
    let below = if entry.path.ends_with("**") { "*" } else { "" };
    let pattern = registry.root.join(&entry.path).join(below);
    let pattern = pattern.to_string_lossy();
    let files = glob::glob(pattern.trim_end_matches('/')).into_iter().flatten().flatten();
    let kernels = files.filter(|file| is_kernel(file)).count();
    if kernels == 0 {
        let _ = writeln!(out, "{path}  ({at})\n  no kernel is there: remove the entry");
        return false;
    }
    let Says::Expect(expect) = &entry.says else { return true };
    let _ = writeln!(out, "{path}  expected: {}, since {} ({at})", expect.sentence(), visible(&entry.why));
    let past = expect.until.is_some_and(|day| day < Day::today());
    if past {
        out.push_str("  its date has passed: fix the kernel, or set a new date\n");
    }
    !past
}

/// Whether a file is a kernel: one with a mistake is one, too.
fn is_kernel(file: &Path) -> bool {
    let none = |e: &ktwin_check::LoadError| matches!(e, ktwin_check::LoadError::File(_));
    file.is_file() && !Kernel::load(file, catalogue::OPS).as_ref().is_err_and(none)
}

#[cfg(test)]
mod tests {
    use super::used;

    #[test]
    fn shares_are_numbers_that_people_read() {
        assert_eq!(
            [0.0, 2.9e-11, 2e-4, 0.4, 12.0].map(used),
            ["nothing", "less than a millionth", "1/5000", "0.40", "12.00"]
        );
    }
}
