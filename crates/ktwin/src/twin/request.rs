//! What the command line asks for, checked against the op before anything is read. Plain data.

use std::path::{Path, PathBuf};

use ktwin::elsewhere::{pairs, rung, settings, unknown};
use ktwin_check::{Case, Setup};
use ktwin_lang::{Op, Rounds, TensorInfo};
use ktwin_num::{DType, Language, Regime, did_you_mean};

/// What is said of arrays on a command line, whoever made them.
#[derive(clap::Args)]
pub struct Said {
    /// Sizes and scalars, R=4,D=896,eps=1e-5; what the arrays' shapes or defaults say may be left out
    #[arg(value_name = "NAME=VALUE,...")]
    pub settings: Vec<String>,
    /// Storage types of inputs and outputs, x=f16,w=q4_0,y=bf16; by default, inputs that are made are f32
    /// (integers i64)
    #[arg(long, value_name = "NAME=TYPE,...")]
    pub types: Vec<String>,
    /// An array for an input: x=x.npy, x=weights.safetensors:layer.0.w, or a .npz, .safetensors, .gguf
    /// or .pt file with arrays of the inputs' names; may be given several times
    #[arg(long = "in", value_name = "[NAME=]FILE")]
    pub inputs: Vec<String>,
    /// Whose accuracy of functions the bars allow: c, cuda, cuda-fast, opencl, wgsl, or correct (correctly
    /// rounded)
    #[arg(long, default_value = "c")]
    pub language: String,
    /// The precision that the kernel promises to compute in: f64, f32, tf32, f16, bf16, e4m3, e5m2
    #[arg(long, value_name = "RUNG", default_value = "f32")]
    pub compute: String,
    /// The precision of its sums, if it differs from --compute
    #[arg(long, value_name = "RUNG")]
    pub accumulate: Option<String>,
    /// Definitions and inputs that the kernel rounds further, p=f16 or x=q8_1: they widen the bar by just that
    #[arg(long, value_name = "NAME=RUNG,...")]
    pub round: Vec<String>,
    /// How roundings of long sums add up: worst (they may conspire), statistical (6 sqrt(n) of them), or auto:
    /// statistical where inputs are made at random, or where honest orders of the given arrays' sums stay inside;
    /// else worst
    #[arg(long, default_value = "auto")]
    pub bars: String,
}

/// A checked request.
pub struct Request {
    /// The sizes and scalars that were named, the regime and the seed.
    pub case: Case,
    /// How the op is stored and computed: inputs that are made have these types.
    pub setup: Setup,
    /// By input and by output: the type that was named for it.
    pub input_types: Vec<Option<DType>>,
    pub output_types: Vec<Option<DType>>,
    /// Files, with the input that each is for, where it is for one.
    pub files: Vec<(Option<usize>, PathBuf, Option<String>)>,
    /// Whether sums are bounded by the worst case; none where the inputs decide.
    pub worst: Option<bool>,
    pub elements: Option<Chosen>,
}

/// Which elements of each output are wanted.
pub enum Chosen {
    Count(usize),
    List(Vec<usize>),
}

impl Request {
    /// Checks what is said of arrays; inputs that are not given are not made.
    pub fn parse(args: &Said, op: &Op) -> Result<Request, String> {
        let (dims, scalars) = settings(op, &args.settings)?;
        let (input_types, output_types) = types(op, &args.types)?;
        let compute = rung("--compute", &args.compute)?;
        let accumulate = args.accumulate.as_deref().map_or(Ok(compute), |name| rung("--accumulate", name))?;
        let files = args
            .inputs
            .iter()
            .map(|text| file(&op.name, &op.inputs, "input", text))
            .collect::<Result<_, _>>()?;
        let case = Case { dims, scalars, regime: Regime::Normal, chosen: 0, seed: 1, layouts: Vec::new() };
        let language = Language::parse(&args.language)?;
        let otherwise = |at: usize| if op.inputs[at].integer { DType::I64 } else { DType::F32 };
        let setup = Setup {
            inputs: input_types.iter().enumerate().map(|(at, t)| t.unwrap_or(otherwise(at))).collect(),
            compute,
            accumulate,
            language,
            functions: language,
            rounds: rounds(op, &args.round)?,
            ..Setup::plain(op)
        };
        Ok(Request {
            case,
            setup,
            input_types,
            output_types,
            files,
            worst: worst(&args.bars)?,
            elements: None,
        })
    }
}

type Types = (Vec<Option<DType>>, Vec<Option<DType>>);

fn types(op: &Op, texts: &[String]) -> Result<Types, String> {
    let mut out = (vec![None; op.inputs.len()], vec![None; op.outputs.len()]);
    for (name, text) in pairs("--types", texts)? {
        let dtype = DType::parse(&text).map_err(|e| format!("--types {name}={text}: {e}"))?;
        let (input, output) = (op.input(&name), op.output(&name));
        if input.is_none() && output.is_none() {
            let names = op.inputs.iter().chain(&op.outputs).map(|t| t.name.as_str());
            return Err(unknown(&op.name, "tensor", &name, names));
        }
        let integers =
            |info: &ktwin_lang::TensorInfo| info.integer && !dtype.is_integer() && dtype.float().is_none();
        if input.is_some_and(|at| integers(&op.inputs[at])) {
            return Err(format!("--types {name}={text}: {name} holds integers; write i32, u32, i64 …"));
        }
        if let Some(at) = input {
            out.0[at] = Some(dtype);
        }
        if let Some(at) = output {
            out.1[at] = Some(dtype);
        }
    }
    Ok(out)
}

fn rounds(op: &Op, texts: &[String]) -> Result<Rounds, String> {
    let mut rounds = Rounds::none(op);
    for (name, text) in pairs("--round", texts)? {
        let dtype = DType::parse(&text).map_err(|e| format!("--round {name}={text}: {e}"))?;
        rounds.add(op, &name, dtype).map_err(|e| format!("--round {name}={text}: {e}"))?;
    }
    Ok(rounds)
}

fn worst(text: &str) -> Result<Option<bool>, String> {
    match text {
        "auto" => Ok(None),
        "worst" => Ok(Some(true)),
        "statistical" => Ok(Some(false)),
        _ => {
            let hint = did_you_mean(text, ["auto", "statistical", "worst"]);
            Err(format!("--bars {text}: no such rule{hint} (there are auto, statistical, worst)"))
        }
    }
}

/// `--elements`.
pub fn elements(text: &str) -> Result<Chosen, String> {
    let numbers: Option<Vec<usize>> =
        text.split(',').map(str::trim).filter(|t| !t.is_empty()).map(|t| t.parse().ok()).collect();
    match numbers.as_deref() {
        Some([count]) if *count > 0 && !text.contains(',') => Ok(Chosen::Count(*count)),
        Some(list @ [_, ..]) if text.contains(',') => Ok(Chosen::List(list.to_vec())),
        _ => Err(format!("--elements {text}: neither a number of elements nor a list such as 0,17,4095")),
    }
}

/// A file of arrays: the tensor that it is for and the array in it, where they are named.
pub type Given = (Option<usize>, PathBuf, Option<String>);

/// `NAME=FILE`, `NAME=FILE:ARRAY` or `FILE`.
pub fn file(op: &str, tensors: &[TensorInfo], what: &str, text: &str) -> Result<Given, String> {
    let Some((name, path)) = text.split_once('=').filter(|_| !Path::new(text).exists()) else {
        let (path, array) = parted(text);
        return match array {
            Some(_) => Err(format!("{text}: say which {what} this array is: NAME={text}")),
            None => Ok((None, path, None)),
        };
    };
    let Some(at) = tensors.iter().position(|t| t.name == name) else {
        return Err(unknown(op, what, name, tensors.iter().map(|t| t.name.as_str())));
    };
    let (path, array) = parted(path);
    Ok((Some(at), path, array))
}

/// A path, and the array in it where one is named.
pub fn parted(text: &str) -> (PathBuf, Option<String>) {
    let inside =
        text.rsplit_once(':').filter(|(file, _)| !Path::new(text).exists() && Path::new(file).exists());
    match inside {
        Some((file, array)) => (PathBuf::from(file), Some(array.to_string())),
        None => (PathBuf::from(text), None),
    }
}
