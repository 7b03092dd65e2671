//! `ktwin pin`: small twins, and for deterministic kernels their own bits, as snapshots that are reviewed. This file
//! has the command line and tells; `ktwin::golden` does the work, and `ktwin_check::pin` has the text.

use std::path::{Path, PathBuf};

use ktwin::explain::{visible, visible_lines};
use ktwin::golden::{self, Golden};
use ktwin::suite;
use ktwin_check::Kernel;
use ktwin_num::plural;

use crate::outcome::{DONE, Outcome, USAGE, WRONG, say, tell};

const AFTER: &str = "\
A snapshot is text beside the kernel, snapshots/FILE.snap (gelu.wgsl.snap): for each case type, shape, hash and \
first elements of the inputs, of the twin's outputs, and of what the kernel returned on each device that it was \
pinned on. It is insta's format: what changed is written to FILE.snap.new, which `cargo insta review` shows. The \
twin needs no device: where there is none, its part alone is compared. Only what is right is pinned.

Examples:
  ktwin pin kernel.wgsl            pin it, or compare it with what was pinned
  ktwin pin kernel.wgsl --accept   take what changed
  ktwin pin kernels/ --check       in CI: what is not pinned fails, and nothing is written

Exit codes: 0 all is as it was pinned, or newly pinned, 1 something changed or is wrong, 2 wrong usage or a wrong \
file.";

/// Pin golden outputs of kernels, and show what changed since
#[derive(clap::Args)]
#[command(after_help = AFTER)]
pub struct Args {
    /// Kernel files, and folders to search
    #[arg(required = true, value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// The device that the kernels run on; by default, sim for shaders and native for C, C++ and Rust
    #[arg(long, value_name = "NAME")]
    device: Option<String>,
    /// Run no kernel: pin and compare the twins alone
    #[arg(long, conflicts_with = "device")]
    twin: bool,
    /// Take what changed as right
    #[arg(long)]
    accept: bool,
    /// Write nothing, and fail where nothing is pinned
    #[arg(long, conflicts_with = "accept")]
    check: bool,
}

/// Runs the subcommand: every kernel, whatever becomes of those before it.
pub fn run(args: &Args) -> Outcome {
    let mut code = DONE;
    for file in suite::kernels(&args.paths, None)? {
        let one = pinned(args, &file).unwrap_or_else(|why| {
            tell(&format!("ktwin: {}", visible_lines(&why)));
            USAGE
        });
        code = code.max(one);
    }
    Ok(code)
}

/// Pins or compares one kernel; gives the exit code.
fn pinned(args: &Args, file: &Path) -> Result<u8, String> {
    let kernel = suite::load(file, None).map_err(|e| e.to_string())?;
    let golden = found(args, file, &kernel).map_err(|why| format!("{}: {why}", kernel.name))?;
    settled(args, &kernel, &golden)
}

fn found(args: &Args, file: &Path, kernel: &Kernel) -> Result<Golden, String> {
    let device = match args.twin {
        true => Err("--twin".into()),
        false => golden::device(kernel, args.device.as_deref())?,
    };
    Golden::of(file, kernel, device, args.accept)
}

/// Writes and tells; gives the exit code.
fn settled(args: &Args, kernel: &Kernel, golden: &Golden) -> Result<u8, String> {
    let name = visible(&kernel.name);
    let with = match &golden.ran {
        Ok(device) => format!("twin and {device}"),
        Err(why) => format!("twin alone ({why})"),
    };
    let cases = plural(golden.now.cases.len(), "case");
    let told = |lines: &[String]| lines.iter().map(|l| format!("  {}\n", visible(l))).collect::<String>();
    if !golden.wrong.is_empty() {
        let word = if golden.before.is_some() { "changed" } else { "wrong" };
        let lines = [told(&golden.drift), told(&golden.wrong)].concat();
        say(&format!(
            "{word:<7} {name}: {cases}, {with}\n{lines}  nothing is written: only what is right is pinned\n"
        ));
        return Ok(WRONG);
    }
    if golden.before.is_none() {
        if args.check {
            say(&format!("missing {name}: nothing is pinned; write it with `ktwin pin`, and commit it\n"));
            return Ok(WRONG);
        }
        golden.take()?;
        say(&format!("pinned  {name}: {cases}, {with}, in {}\n", golden.place.display()));
        return Ok(DONE);
    }
    if golden.is_same() {
        say(&format!("same    {name}: {cases}, {with}\n"));
        golden.forget();
        return Ok(DONE);
    }
    let lines = told(&golden.drift);
    if golden.only_adds() && !args.accept {
        if args.check {
            say(&format!(
                "missing {name}: {with}: this is not pinned; `ktwin pin` without --check adds it\n{lines}"
            ));
            return Ok(WRONG);
        }
        golden.take()?;
        say(&format!(
            "pinned  {name}: {cases}, {with}, in {}, beside what was pinned\n",
            golden.place.display()
        ));
        return Ok(DONE);
    }
    if args.accept {
        golden.take()?;
        say(&format!("taken   {name}: {cases}, {with}\n{lines}"));
        return Ok(DONE);
    }
    say(&format!("changed {name}: {cases}, {with}\n{lines}"));
    if !args.check {
        golden.propose()?;
        let next = golden.next();
        say(&format!("  written to {}: take it with --accept or `cargo insta review`\n", next.display()));
    }
    Ok(WRONG)
}
