//! `ktwin pin`: small twins, and for deterministic kernels their own bits, as snapshots that are reviewed. This file
//! has the command line and tells; `ktwin::golden` does the work, and `ktwin_check::pin` has the text.

use std::path::{Path, PathBuf};

use ktwin::explain::visible;
use ktwin::golden::{self, Golden};
use ktwin::suite;
use ktwin_check::Kernel;
use ktwin_num::plural;

use crate::outcome::{DONE, Failure, Outcome, WRONG, say};

const AFTER: &str = "\
A snapshot is text beside the kernel, snapshots/NAME.snap: for each case type, shape, hash and first elements of the \
inputs, of the twin's outputs, and of what the kernel returned on each device that it was pinned on. It is insta's \
format: what changed is written to NAME.snap.new, which `cargo insta review` shows. The twin needs no device: where \
there is none, its part alone is compared.

Examples:
  ktwin pin kernel.wgsl            pin it, or compare it with what was pinned
  ktwin pin kernel.wgsl --accept   take what changed
  ktwin pin kernels/ --check       in CI: what is not pinned fails, and nothing is written

Exit codes: 0 all is as it was pinned, or newly pinned, 1 something changed, 2 wrong usage or a wrong file.";

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

/// Runs the subcommand.
pub fn run(args: &Args) -> Outcome {
    let mut code = DONE;
    for file in suite::kernels(&args.paths, None)? {
        let kernel = suite::load(&file, None)?;
        let golden = found(args, &file, &kernel);
        let golden = golden.map_err(|why| Failure::usage(format!("{}: {why}", kernel.name)))?;
        code = code.max(settled(args, &kernel, &golden).map_err(Failure::usage)?);
    }
    Ok(code)
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
    if golden.before.is_none() {
        if args.check {
            say(&format!("missing {name}: nothing is pinned; write it with `ktwin pin`, and commit it\n"));
            return Ok(WRONG);
        }
        golden.take()?;
        say(&format!("pinned  {name}: {cases}, {with}, in {}\n", golden.place.display()));
        return Ok(DONE);
    }
    if golden.drift.is_empty() {
        say(&format!("same    {name}: {cases}, {with}\n"));
        golden.forget();
        return Ok(DONE);
    }
    let lines: String = golden.drift.iter().map(|line| format!("  {}\n", visible(line))).collect();
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
