//! `ktwin twin`: evaluates an op on arrays, and writes each output with the error bar of every element.
//! This file holds the command line and the order of the steps; each step is a file of its own.

mod evaluate;
mod files;
pub(crate) mod inputs;
pub mod repeat;
mod report;
pub(crate) mod request;
pub(crate) mod watch;

use std::path::PathBuf;

use ktwin::catalogue;
use ktwin_num::Regime;

use crate::outcome::{DONE, Failure, INTERRUPTED, Outcome, say};
use files::Files;
use request::{Request, Said};
use watch::Watch;

const AFTER: &str = "\
Written to DIR:
  NAME.npy      each output: f64, integers i64, unless --types names it; f16, f32, f64 and integers as
                NumPy has them, bf16, tf32, e4m3 and e5m2 as f32 that hold just their numbers, block
                formats as packed bytes (u8, along the last axis)
  NAME.bar.npy  its error bar, f64: the most that an honest kernel may differ from what NAME.npy holds;
                infinite where nothing is promised. Of a block format: the bar of the numbers
                before they are packed
  NAME.at.npy   with --elements: where each element is, i64, one row of indices for each
  NAME.npy      each input that was made here; NAME.in.npy where an output has the same name

With --case, all arrays of one case of a kernel, as a failure shows it:
  NAME.npy           each input, as the kernel gets it; of block formats, its packed bytes, and
                     NAME.decoded.npy, the numbers that they stand for
  NAME.expected.npy  each expected output, f64, and NAME.bar.npy, its error bar
  NAME.got.npy       what the kernel returned, and NAME.error.npy, how far that is off, f64; of block
                     formats, the numbers, and NAME.got.codes.npy, the packed bytes

Examples:
  ktwin twin rmsnorm R=4,D=896,eps=1e-5 --types x=f16,w=f16,y=f16 --seed 7 -o out
  ktwin twin kernel.wgsl --case R=1,D=257,regime=exact,seed=7 -o out

Exit codes: 0 written, 2 wrong usage or input, 130 interrupted (no half-written file is left).";

/// Evaluate an op on arrays: each output, and the error bar of every element
#[derive(clap::Args)]
#[command(after_help = AFTER)]
pub struct Args {
    /// A name of the catalogue (`ktwin ops` lists it) or the path of an .op file; with --case, the path of a kernel
    op: String,
    /// One case of a kernel, as a failure shows it
    #[arg(long, value_name = "CASE", conflicts_with_all = [
        "settings", "types", "inputs", "regime", "seed", "language", "compute", "accumulate", "round", "bars",
        "elements",
    ])]
    case: Option<String>,
    /// The device that runs the kernel of --case; by default, the first that runs its language
    #[arg(long, value_name = "NAME", requires = "case")]
    device: Option<String>,
    #[command(flatten)]
    said: Said,
    /// How inputs that are not given are made: exact, normal, uniform, zeros, ones, constant, large, tiny,
    /// mixed, sparse, outliers, below, above, wide, far, spread, small, ties, neighbours, twins, peaks, nan, inf
    #[arg(long, default_value = "normal")]
    regime: String,
    /// The seed of inputs that are made, and of the choice of elements
    #[arg(long, default_value_t = 1, allow_negative_numbers = true, value_parser = crate::amount::seed)]
    seed: u64,
    /// Only some elements of each output: a number of them, chosen by the seed, or a list of their places in
    /// row order: 0,17,4095 (a list of one ends in a comma: 17,)
    #[arg(long, value_name = "N|LIST")]
    elements: Option<String>,
    /// The folder to write to; it is created if it does not exist
    #[arg(short, long, value_name = "DIR")]
    output: PathBuf,
}

/// Runs the subcommand.
pub fn run(args: &Args) -> Outcome {
    if let Some(case) = &args.case {
        let file = std::path::Path::new(&args.op);
        let text = repeat::write(file, case, args.device.as_deref(), &args.output).map_err(Failure::usage)?;
        say(&text);
        return Ok(DONE);
    }
    if ktwin_check::SourceKind::of_path(std::path::Path::new(&args.op)).is_some() {
        let file = &args.op;
        return Err(Failure::usage(format!(
            "{file} is a kernel: add --case with one of the cases that `ktwin plan {file}` lists, or name its op"
        )));
    }
    // of a random op: what it gives for given draws
    let op = catalogue::op(&args.op)?.with_draws();
    let mut request = request(args, &op).map_err(Failure::usage)?;
    let watch = Watch::start();
    let result = write(&op, &mut request, args, &watch);
    let stopped = watch.stopped();
    drop(watch);
    match result {
        Err(_) if stopped => {
            Err(Failure { message: Some("interrupted; nothing was written".into()), code: INTERRUPTED })
        }
        Err(message) => Err(Failure::usage(message)),
        Ok(text) => {
            say(&text);
            Ok(DONE)
        }
    }
}

fn request(args: &Args, op: &ktwin_lang::Op) -> Result<Request, String> {
    let mut request = Request::parse(&args.said, op)?;
    (request.case.regime, request.case.seed) = (Regime::parse(&args.regime)?, args.seed);
    request.elements = args.elements.as_deref().map(request::elements).transpose()?;
    Ok(request)
}

/// The names of the files that may be written.
fn written(op: &ktwin_lang::Op, given: &[Option<ktwin::elsewhere::Given>]) -> Vec<String> {
    let made = op.inputs.iter().zip(given).filter(|(_, given)| given.is_none());
    let made = made.flat_map(|(info, _)| ["npy", "in.npy"].map(|end| format!("{}.{end}", info.name)));
    let outputs = op.outputs.iter();
    let outputs = outputs.flat_map(|o| ["npy", "bar.npy", "at.npy"].map(|end| format!("{}.{end}", o.name)));
    made.chain(outputs).collect()
}

/// Reads, makes, evaluates, writes; gives the summary.
fn write(op: &ktwin_lang::Op, request: &mut Request, args: &Args, watch: &Watch) -> Result<String, String> {
    let given = inputs::given(op, request, watch)?;
    let case = inputs::case(op, request, &given)?;
    evaluate::check(&case, request)?;
    files::spares(&args.output, request, &written(op, &given))?;
    let mut files = Files::new(&args.output)?;
    let (tensors, lines) = inputs::all(&case, request, given, &mut files, watch)?;
    evaluate::settle(&case, request, &tensors)?;
    let reports = evaluate::outputs(&case, request, &tensors, &mut files, watch)?;
    watch.check()?;
    files.commit()?;
    Ok(report::text(&case, request, &lines, &reports, &args.output))
}
