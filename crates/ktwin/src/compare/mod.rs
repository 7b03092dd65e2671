//! `ktwin compare`: judges arrays that any program made, by the op that they claim to be computed by, or one file of
//! arrays by another. This file holds the command line; judging is the library's business.

mod read;
mod tensors;

use std::path::Path;

use ktwin::{catalogue, elsewhere};
use ktwin_check::elsewhere::Claim;
use ktwin_check::{Content, KernelReport, Policy, Verdict};
use ktwin_lang::Op;

use crate::outcome::{DONE, Failure, Outcome, WRONG, print, say};
use crate::test::NO_EVIDENCE;
use crate::twin::request::{Request, Said, parted};
use crate::twin::watch::Watch;

const AFTER: &str = "\
Arrays are .npy, .npz, .safetensors, .gguf and .pt files, dumped by any program; of a .pt file tensors alone are \
read, and no code of it is run. Every input of the op and every output must be given. Outputs are judged by the error \
bars that a kernel of the promised precision has on these very inputs, in the types that the arrays have. Inputs and \
outputs may have leading dimensions beyond the op's: then the op is applied to each index of them. An input may have \
the last of these alone, and is then the same for all of the others.

With two files of arrays, those of the second are judged by those of the first, name by name: each number must be \
what the type it is stored in makes of it. `--format json` then prints an object: `right`, the two files `first` and \
`second`, the `policy`, and `arrays`, each with its `name` and `outcome` (pass, fail, shape, extra or missing) and, \
where they apply, its `shape`, its types `due` and `got`, `wrong` of `elements`, the `worst` of these, its `measures` \
and `why`.

Examples:
  ktwin compare rmsnorm eps=1e-5 --in x=x.npy --in w=w.npy --out y=y.npy
  ktwin compare gemm --in arrays.npz --out arrays.npz --compute f16 --accumulate f32
  ktwin compare softmax --in x=x.npy --out y=y.npy --device-dtype bf16   bf16 that was dumped as f32
  ktwin compare model.safetensors model-q8.gguf --policy nmse_q8

Exit codes: 0 right, 1 wrong, 2 wrong usage or an array that does not fit, 3 nothing wrong would have shown.";

/// Judge arrays that any program computed: right or wrong, to what precision, and where and why not
#[derive(clap::Args)]
#[command(after_help = AFTER)]
pub struct Args {
    /// A name of the catalogue, the path of an .op file, or a file of arrays that another is compared with
    op: String,
    #[command(flatten)]
    said: Said,
    /// An array for an output: y=y.npy, y=out.npz:arr_0, or a file with arrays of the outputs' names; may be given
    /// several times
    #[arg(long = "out", value_name = "[NAME=]FILE")]
    outputs: Vec<String>,
    /// The type that outputs had where they were computed, if they were dumped in a wider one: bf16, or y=bf16
    #[arg(long, value_name = "[NAME=]TYPE,...")]
    device_dtype: Vec<String>,
    /// Decide by a rule in the place of the error bar: allclose:rtol=1e-2,atol=1e-3, nmse:1e-7, ulp:4, exact, torch …
    /// (`ktwin judge-rule --list` has them all)
    #[arg(long, value_name = "POLICY")]
    policy: Option<String>,
    /// How results are shown: terminal, or json (one object)
    #[arg(long, value_enum, default_value = "terminal")]
    format: Format,
}

/// How results are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Format {
    Terminal,
    Json,
}

/// Runs the subcommand.
pub fn run(args: &Args) -> Outcome {
    let policy = args.policy.as_deref().map(Policy::parse).transpose().map_err(Failure::usage)?;
    if let [other] = &args.said.settings[..]
        && [&args.op, other].iter().all(|path| is_of_arrays(path))
    {
        of_two_files(args).map_err(Failure::usage)?;
        let compared = tensors::compare(Path::new(&args.op), Path::new(other), policy.as_ref());
        let compared = compared.map_err(Failure::usage)?;
        match args.format {
            Format::Terminal => say(&tensors::text(&compared)),
            Format::Json => print(&format!("{}\n", serde_json::to_string(&compared)?)),
        }
        return Ok(if compared.right { DONE } else { WRONG });
    }
    // of a random op: what it gives for given draws
    let op = catalogue::op(&args.op)?.with_draws();
    let watch = Watch::start();
    let judged = judge(&op, args, policy, &watch);
    drop(watch);
    let (report, text) = judged.map_err(Failure::usage)?;
    match args.format {
        Format::Terminal => say(&text),
        Format::Json => print(&format!("{}\n", serde_json::to_string(&report).map_err(Failure::usage)?)),
    }
    Ok(match report.verdict {
        Verdict::Pass => DONE,
        Verdict::Blind => NO_EVIDENCE,
        _ => WRONG,
    })
}

/// Of two files, one is judged by the other: what is said of an op's arrays has no place there.
fn of_two_files(args: &Args) -> Result<(), String> {
    let said = &args.said;
    let lists = [
        ("--in", !said.inputs.is_empty()),
        ("--out", !args.outputs.is_empty()),
        ("--types", !said.types.is_empty()),
        ("--round", !said.round.is_empty()),
        ("--device-dtype", !args.device_dtype.is_empty()),
        ("--accumulate", said.accumulate.is_some()),
        ("--compute", said.compute != "f32"),
        ("--language", said.language != "c"),
        ("--bars", said.bars != "auto"),
    ];
    match lists.iter().find(|(_, given)| *given) {
        None => Ok(()),
        Some((option, _)) => Err(format!(
            "{option}: this is for the arrays of an op, and {} is a file of arrays: remove it, or name an op",
            args.op
        )),
    }
}

/// Whether a file of arrays is meant: it is there, or its name says so.
fn is_of_arrays(path: &str) -> bool {
    let extension = Path::new(path).extension().and_then(|end| end.to_str());
    let named =
        extension.is_some_and(|end| ["npy", "npz", "safetensors", "gguf", "pt", "pth"].contains(&end));
    named || parted(path).0.is_file() && !path.ends_with(".op")
}

/// Reads and judges; gives the report, and the same as text.
fn judge(
    op: &Op,
    args: &Args,
    policy: Option<Policy>,
    watch: &Watch,
) -> Result<(KernelReport, String), String> {
    let mut request = Request::parse(&args.said, op)?;
    read::device_types(op, &args.device_dtype, &mut request)?;
    let (inputs, outputs) = read::all(op, &request, &args.outputs, watch)?;
    watch.say(&format!("evaluating {}", op.name));
    let claim = Claim {
        op: op.clone(),
        content: Content::of(&op.text, catalogue::OPS),
        dims: request.case.dims.clone(),
        scalars: request.case.scalars.clone(),
        language: request.setup.language,
        compute: request.setup.compute,
        accumulate: request.setup.accumulate,
        rounds: read::rounds(&args.said.round)?,
        worst: request.worst,
        policy,
    };
    elsewhere::judge(claim, &inputs, &outputs)
}
