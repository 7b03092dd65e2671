//! `ktwin pin`: small twins, and for deterministic kernels their own bits, as snapshots that are reviewed. This file
//! chooses cases, makes what is pinned, and reads and writes files; `ktwin_check::pin` has the text.

use std::fs;
use std::path::{Path, PathBuf};

use ktwin::explain::visible;
use ktwin::suite;
use ktwin_check::pin::{Pinned, PinnedCase, described};
use ktwin_check::{Amount, Case, Kernel, Prepared, accepts, plan, prepare};
use ktwin_devices::Limits;
use ktwin_num::{DType, Layout, Regime, plural};

use crate::outcome::{DONE, Failure, Outcome, WRONG, say};
use crate::twin::repeat;

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

/// The most elements that an output of a pinned case has.
const SMALL: usize = 1 << 12;
/// Regimes that are pinned, one case each.
const REGIMES: [Regime; 3] = [Regime::Exact, Regime::Normal, Regime::Mixed];
/// The seed of the first case.
const SEED: u64 = 7;

/// Runs the subcommand.
pub fn run(args: &Args) -> Outcome {
    let mut code = DONE;
    for file in suite::kernels(&args.paths, None)? {
        let kernel = suite::load(&file, None)?;
        let wrong = |why: String| Failure::usage(format!("{}: {why}", kernel.name));
        let place = place(&file);
        let before = match fs::read_to_string(&place) {
            Ok(text) => {
                Some(Pinned::parse(&text).map_err(|e| Failure::usage(format!("{}: {e}", place.display())))?)
            }
            Err(_) => None,
        };
        let cases = match before.as_ref().filter(|_| !args.accept) {
            Some(before) => before.cases.iter().map(|case| Case::parse(&kernel, &case.case)).collect(),
            None => chosen(&kernel),
        };
        let (pinned, ran) = made(&kernel, &cases.map_err(wrong)?, args).map_err(wrong)?;
        code = code.max(settled(args, &place, &kernel, before.as_ref(), (pinned, ran))?);
    }
    Ok(code)
}

/// Where a kernel's snapshot is.
fn place(file: &Path) -> PathBuf {
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    file.parent().unwrap_or(Path::new("")).join("snapshots").join(format!("{name}.snap"))
}

/// The largest small case of a quick plan in each regime.
fn chosen(kernel: &Kernel) -> Result<Vec<Case>, String> {
    let all = plan(kernel, Amount { quick: true })?.cases;
    let is_small = |case: &&Case| {
        let shapes = case.bind(&kernel.op).map(|at| at.output_shapes.clone());
        case.layouts.is_empty()
            && shapes.is_ok_and(|s| s.iter().all(|s| s.iter().product::<usize>() <= SMALL))
    };
    let of = |regime| all.iter().rev().filter(is_small).find(|case| case.regime == regime);
    let cases: Vec<&Case> = REGIMES.iter().filter_map(|regime| of(*regime)).collect();
    if cases.is_empty() {
        return Err("no case of its plan is small enough to be pinned".into());
    }
    Ok(cases
        .into_iter()
        .enumerate()
        .map(|(n, case)| Case { seed: SEED + n as u64, ..case.clone() })
        .collect())
}

/// What there is to pin, and the device that ran; in words why none did.
fn made(kernel: &Kernel, cases: &[Case], args: &Args) -> Result<(Pinned, Result<String, String>), String> {
    let op = format!("{} {}", kernel.op.name, kernel.content.hash);
    let source = kernel.source.path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let mut pinned = Pinned { source, op, cases: Vec::new() };
    let device = device(kernel, args)?;
    for case in cases {
        accepts(kernel, case).map_err(|why| format!("{case}: {why}"))?;
        let prepared = prepare(kernel, case)?;
        let mut lines = twin(&prepared)?;
        if let Ok(device) = &device {
            let trial = repeat::run(kernel, &**device, &prepared).map_err(|why| format!("{case}: {why}"))?;
            if trial.report.verdict.is_bad() {
                let what = trial.report.errors().next().map_or(String::new(), |f| format!(": {f}"));
                return Err(format!("{case}: what is wrong is not pinned{what}"));
            }
            let name = device.name();
            for ((expected, got), blocks) in trial.expected.iter().zip(&trial.got).zip(&trial.packed) {
                let bytes: Vec<u8> = got.iter().flat_map(|v| v.to_bits().to_le_bytes()).collect();
                let codes = blocks.as_ref().map(|blocks| blocks.bytes.clone());
                let dtype = expected.dtype.to_string();
                let told = described(&dtype, &expected.shape, codes.as_ref().unwrap_or(&bytes), got);
                lines.push((format!("{name} {}", expected.name), told));
            }
        }
        pinned.cases.push(PinnedCase { case: case.to_string(), lines });
    }
    Ok((pinned, device.map(|device| device.name().to_string())))
}

type Found = Result<std::sync::Arc<dyn ktwin_check::Device>, String>;

/// The device, or why the kernel's own bits are left out.
fn device(kernel: &Kernel, args: &Args) -> Result<Found, String> {
    if args.twin {
        return Ok(Err("--twin".into()));
    }
    if !kernel.contract.promises.deterministic {
        return Ok(Err("its contract does not promise the same bits twice".into()));
    }
    let usual = suite::device_for(kernel.source.kind);
    let Some(name) = args.device.as_deref().or(usual.as_deref()) else {
        return Ok(Err("no device runs its language".into()));
    };
    let device = ktwin_devices::find(name, Limits::default())?;
    Ok(match device.probe() {
        Ok(_) => Ok(device),
        Err(absent) => Err(absent.to_string()),
    })
}

/// Inputs and the twin's outputs.
fn twin(prepared: &Prepared) -> Result<Vec<(String, String)>, String> {
    let mut lines = Vec::new();
    for (info, tensor) in prepared.kernel.op.inputs.iter().zip(&prepared.inputs) {
        let whole = tensor.with_layout(Layout::Row)?;
        let told = described(&tensor.dtype.to_string(), &tensor.shape, &whole.bytes, &tensor.to_f64());
        lines.push((format!("input {}", info.name), told));
    }
    for expected in prepared.expected()? {
        let bytes: Vec<u8> = expected.values.iter().flat_map(|v| v.to_bits().to_le_bytes()).collect();
        let told = described(&DType::F64.to_string(), &expected.shape, &bytes, &expected.values);
        lines.push((format!("twin {}", expected.name), told));
    }
    Ok(lines)
}

/// Compares, writes and tells; gives the exit code.
fn settled(
    args: &Args,
    place: &Path,
    kernel: &Kernel,
    before: Option<&Pinned>,
    (pinned, ran): (Pinned, Result<String, String>),
) -> Result<u8, Failure> {
    let name = visible(&kernel.name);
    let devices: Vec<&str> = ran.iter().map(String::as_str).collect();
    let with = match &ran {
        Ok(device) => format!("twin and {device}"),
        Err(why) => format!("twin alone ({why})"),
    };
    let cases = plural(pinned.cases.len(), "case");
    let Some(before) = before else {
        if args.check {
            say(&format!("missing {name}: nothing is pinned; write it with `ktwin pin`, and commit it\n"));
            return Ok(WRONG);
        }
        write(place, &pinned)?;
        say(&format!("pinned  {name}: {cases}, {with}, in {}\n", place.display()));
        return Ok(DONE);
    };
    let drift = pinned.drift(before, &devices);
    let next = place.with_extension("snap.new");
    if drift.is_empty() {
        say(&format!("same    {name}: {cases}, {with}\n"));
        let _ = fs::remove_file(next);
        return Ok(DONE);
    }
    let lines: String = drift.iter().map(|line| format!("  {}\n", visible(line))).collect();
    let pinned = pinned.keeping(before, &devices);
    if args.accept {
        write(place, &pinned)?;
        let _ = fs::remove_file(next);
        say(&format!("taken   {name}: {cases}, {with}\n{lines}"));
        return Ok(DONE);
    }
    say(&format!("changed {name}: {cases}, {with}\n{lines}"));
    if !args.check {
        write(&next, &pinned)?;
        say(&format!("  written to {}: take it with --accept or `cargo insta review`\n", next.display()));
    }
    Ok(WRONG)
}

fn write(file: &Path, pinned: &Pinned) -> Result<(), Failure> {
    let made = file.parent().map_or(Ok(()), fs::create_dir_all);
    let written = made.and_then(|()| fs::write(file, pinned.text()));
    written.map_err(|e| Failure::usage(format!("{}: {e}", file.display())))
}
