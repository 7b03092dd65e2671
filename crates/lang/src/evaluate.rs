//! The twin: evaluates a case on its inputs, in one of the meanings that numbers can have.

use std::fmt;

use ktwin_num::{DType, Float, Language, Tensor, flushes_subnormals};

use crate::case::Case;
use crate::diagnostic::{Diagnostic, Mistake};
use crate::eval::bar::Bars;
use crate::eval::driver::{Run, Values, views};
use crate::eval::exact::Exact;
use crate::eval::given::{self, Given};
use crate::eval::held::Held;
use crate::eval::lane::Lane;
use crate::eval::projection::Projected;
use crate::eval::rounded::Rounded;
use crate::eval::run::Trouble;
use crate::eval::spare::Spare;
use crate::eval::storing;
use crate::node::Source;
use crate::op::Op;
use crate::rounds::Rounds;
use crate::writing::Writing;

pub use crate::eval::bar::Promise;
pub use crate::eval::driver::Progress;
pub use crate::eval::rounded::{Order, Rounding};

/// What is computed for each element.
#[derive(Clone, Debug)]
pub enum Meaning {
    /// The value in f64.
    Exact,
    /// The value and its error bar.
    Bars(Promise),
    /// The value as a kernel of some rung would round it.
    Rounded(Rounding),
    /// The value in double-double: its high part as the value, its low part in the bars' place.
    Double,
}

/// Which elements are computed.
#[derive(Clone, Copy, Debug)]
pub enum Elements<'a> {
    /// All outputs.
    All,
    /// Of one output, by its number, these elements in row-major order.
    Of(usize, &'a [usize]),
}

/// One evaluated output.
#[derive(Clone, Debug)]
pub struct Output {
    pub name: String,
    pub shape: Vec<usize>,
    /// Whether it holds integers.
    pub integer: bool,
    /// The values in row-major order, or those of the chosen elements.
    pub values: Vec<f64>,
    /// Their error bars (or low parts); empty where the meaning has none.
    pub bars: Vec<f64>,
}

/// Why an evaluation failed.
#[derive(Clone, Debug)]
pub enum EvalError {
    /// The op does what it must not, at a place in its text.
    Op(Box<Diagnostic>),
    /// The inputs do not fit.
    Input(String),
    /// It was asked to stop.
    Cancelled,
}

impl fmt::Display for EvalError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            EvalError::Op(diagnostic) => diagnostic.fmt(f),
            EvalError::Input(message) => f.write_str(message),
            EvalError::Cancelled => f.write_str("stopped"),
        }
    }
}

impl std::error::Error for EvalError {}

impl Promise {
    /// A kernel in `language` whose arithmetic is of one rung; inputs and outputs stored in f64.
    pub fn new(op: &Op, language: Language, compute: Float, accumulate: Float) -> Promise {
        Promise {
            language,
            functions: language,
            compute,
            accumulate,
            structured: true,
            rounds: Rounds::none(op),
            outputs: vec![None; op.outputs.len()],
            inputs: vec![None; op.inputs.len()],
            integers: true,
        }
    }

    /// Takes the inputs' storage from the tensors that are read.
    pub fn reading(mut self, inputs: &[Tensor]) -> Promise {
        self.inputs = inputs.iter().map(|t| storage(t.dtype)).collect();
        self
    }

    /// Whether a kernel compares the numbers of an input as they are stored: nothing rounds them on their way in, and
    /// none of them is flushed.
    fn takes_as_stored(&self, at: usize, tensor: &Tensor) -> bool {
        let Some(storage) = self.inputs.get(at).copied().flatten() else { return true };
        let (rounded, least) =
            (self.rounds.inputs.get(at).is_some_and(Option::is_some), self.compute.min_normal());
        let held = storage.unit_roundoff() >= self.compute.unit_roundoff();
        let flushed = |x: &f64| *x != 0.0 && x.abs() < least;
        let flushes = flushes_subnormals(self.language);
        !rounded && held && !(flushes && tensor.to_f64().iter().any(flushed))
    }
}

/// The finest format that a storage type's values need.
fn storage(dtype: DType) -> Option<Float> {
    match dtype {
        DType::Float(float) => Some(float),
        // dequantised numbers are f32
        DType::Block(_) => Some(Float::F32),
        DType::Int { .. } | DType::Bool => None,
    }
}

impl Rounding {
    /// A kernel whose arithmetic is of one rung, sums in sequence.
    pub fn new(op: &Op, compute: Float, accumulate: Float) -> Rounding {
        Rounding {
            compute,
            accumulate,
            order: Order::Sequential,
            fused: false,
            rounds: Rounds::none(op),
            outputs: vec![None; op.outputs.len()],
        }
    }
}

impl Op {
    /// The stage that a definition's name refers to, for naming intermediates that are rounded further.
    pub fn stage_named(&self, name: &str) -> Option<usize> {
        self.stages.iter().position(|s| s.written && s.name == name)
    }
}

/// What of a case is wanted, who watches, memory to be written over, and what earlier evaluations left.
struct Asked<'a> {
    of: Elements<'a>,
    progress: &'a Progress,
    spare: Spare,
    held: Option<&'a Held>,
}

impl Case<'_> {
    /// Evaluates on `inputs`, given in the order of the op's inputs.
    pub fn evaluate(
        &self,
        inputs: &[Tensor],
        meaning: &Meaning,
        of: Elements,
    ) -> Result<Vec<Output>, EvalError> {
        self.evaluate_watched(inputs, meaning, of, &Progress::default())
    }

    /// The same, telling `progress` how far it is.
    pub fn evaluate_watched(
        &self,
        inputs: &[Tensor],
        meaning: &Meaning,
        of: Elements,
        progress: &Progress,
    ) -> Result<Vec<Output>, EvalError> {
        self.evaluate_over(inputs, meaning, of, progress, Vec::new())
    }

    /// The same, written over the outputs of an earlier evaluation where they are as large: whoever evaluates large
    /// outputs again and again spares the system handing out their memory anew.
    pub fn evaluate_over(
        &self,
        inputs: &[Tensor],
        meaning: &Meaning,
        of: Elements,
        progress: &Progress,
        over: Vec<Output>,
    ) -> Result<Vec<Output>, EvalError> {
        let spare: Vec<Vec<f64>> = over.into_iter().flat_map(|o| [o.values, o.bars]).collect();
        self.asked(inputs, meaning, &Asked { of, progress, spare: Spare::new(spare), held: None })
    }

    /// Evaluates all outputs, and computes what other inputs do not change once for all evaluations with `held`: all
    /// of them in one meaning, and with the same inputs but for those.
    pub fn evaluate_beside(
        &self,
        inputs: &[Tensor],
        meaning: &Meaning,
        held: &Held,
    ) -> Result<Vec<Output>, EvalError> {
        let (progress, spare) = (&Progress::default(), Spare::new(Vec::new()));
        self.asked(inputs, meaning, &Asked { of: Elements::All, progress, spare, held: Some(held) })
    }

    fn asked(&self, inputs: &[Tensor], meaning: &Meaning, with: &Asked) -> Result<Vec<Output>, EvalError> {
        let of = with.of;
        if self.op.is_random() {
            return Err(EvalError::Input(self.op.without_values()));
        }
        self.check_inputs(inputs)?;
        if let (Elements::All, Some(message)) = (of, self.too_long()) {
            return Err(EvalError::Input(message));
        }
        match meaning {
            Meaning::Exact => self.with(&Exact, &given::plain(inputs), with),
            Meaning::Bars(promise) => {
                let flushes = flushes_subnormals(promise.language);
                let given = given::barred(inputs, &promise.rounds.inputs, flushes);
                // data that nothing rounds on its way in, and that come from few numbers
                let few = promise.structured && promise.rounds.is_none();
                let writing = Writing::of(self, inputs, few, &|at| promise.takes_as_stored(at, &inputs[at]));
                let mut made = self.with(&Bars::new(promise.clone(), &writing), &given, with)?;
                if matches!(of, Elements::All) {
                    for (output, dtype) in made.iter_mut().zip(&promise.outputs) {
                        if let Some(DType::Block(format)) = dtype {
                            storing::blocks(*format, &output.values, &mut output.bars);
                        }
                    }
                }
                self.keep_valid(inputs, promise, of, &mut made)?;
                Ok(made)
            }
            Meaning::Rounded(rounding) => {
                let given = given::rounded(inputs, &rounding.rounds.inputs);
                self.with(&Rounded(rounding.clone()), &given, with)
            }
            Meaning::Double => self.with(&crate::eval::double::Double, &given::plain(inputs), with),
        }
    }

    fn with<L: Lane>(&self, lane: &L, inputs: &[Given], asked: &Asked) -> Result<Vec<Output>, EvalError> {
        let tensors = views(inputs);
        let Asked { of, progress, spare, held } = asked;
        let (stages, recurrences, tensors) = (&self.stages, &self.op.recurrences, &tensors[..]);
        let run = Run { stages, recurrences, tensors, lane, progress, spare, held: &[] };
        let run = Run { held: held.map_or(&[], |held| held.planes(&run)), ..run };
        let made = match *of {
            Elements::All => {
                run.outputs(self).map(|all| (0..all.len()).zip(all).collect::<Vec<(usize, Values)>>())
            }
            Elements::Of(output, places) => {
                self.check_places(output, places)?;
                run.elements(output, self.op.output_stages[output], places)
                    .map(|values| vec![(output, values)])
            }
        };
        let made = made.map_err(|trouble| self.explain(trouble))?;
        Ok(made.into_iter().map(|(output, values)| self.named(output, values)).collect())
    }

    /// The elements of an output, a plain product, that sums of its rows with random signs cast doubt on, by what a
    /// kernel returned; none of any other output.
    pub fn doubtful(
        &self,
        inputs: &[Tensor],
        promise: &Promise,
        (output, got): (usize, &[f64]),
        seed: u64,
    ) -> Result<Option<Vec<usize>>, EvalError> {
        let given = given::barred(inputs, &promise.rounds.inputs, flushes_subnormals(promise.language));
        let writing = Writing::of(self, inputs, false, &|at| promise.takes_as_stored(at, &inputs[at]));
        let (lane, tensors) = (Bars::new(promise.clone(), &writing), views(&given));
        let (progress, spare) = (&Progress::default(), &Spare::new(Vec::new()));
        let (stages, recurrences, tensors, lane) = (&self.stages, &self.op.recurrences, &tensors[..], &lane);
        let run = Run { stages, recurrences, tensors, lane, progress, spare, held: &[] };
        let stage = self.op.output_stages[output];
        run.doubtful(output, stage, got, seed).map_err(|trouble| self.explain(trouble))
    }

    /// Whether [`Case::doubtful`] can look at an output.
    pub fn is_product(&self, output: usize) -> bool {
        Projected::of(&self.stages[self.op.output_stages[output]]).is_some()
    }

    fn named(&self, output: usize, (values, bars): Values) -> Output {
        let info = &self.op.outputs[output];
        Output {
            name: info.name.clone(),
            shape: self.output_shapes[output].clone(),
            integer: info.integer,
            values,
            bars,
        }
    }

    fn check_places(&self, output: usize, places: &[usize]) -> Result<(), EvalError> {
        let Some(shape) = self.output_shapes.get(output) else {
            return Err(EvalError::Input(format!("op {} has no output number {output}", self.op.name)));
        };
        let size: usize = shape.iter().product();
        match places.iter().find(|p| **p >= size) {
            Some(place) => Err(EvalError::Input(format!("element {place} is outside {} elements", size))),
            None => Ok(()),
        }
    }

    fn explain(&self, trouble: Trouble) -> EvalError {
        match trouble {
            Trouble::Cancelled => EvalError::Cancelled,
            Trouble::Empty(fold) => EvalError::Input(format!(
                "op {}: `{fold}` over nothing; its condition left no element",
                self.op.name
            )),
            Trouble::Arithmetic => EvalError::Input(format!(
                "op {}: integer arithmetic overflows 64 bits, divides by zero or shifts too far at these values; \
                 arithmetic that wraps is written inside `u32(...)` or the like",
                self.op.name
            )),
            Trouble::Large => EvalError::Input(format!(
                "op {}: an integer of 2^53 or more is more than a definition keeps: keep its halves, \
                 `bits(x, 0, 32)` and `bits(x, 32, 32)`",
                self.op.name
            )),
            Trouble::Outside { span, source, index, value, lo, extent } => {
                let name = match source {
                    Source::Tensor(at) => self.op.inputs[at].name.clone(),
                    Source::Stage(at) => self.op.stages[at].name.clone(),
                };
                let end = lo + extent as i64;
                let message = format!(
                    "index {index} of `{name}` is {value} here, outside {lo}..{end} ({end} excluded)"
                );
                let help = format!("guard it with `if`, or pad: `({name}[...] else 0)`");
                let mistake = Mistake::with_help(span, message, help);
                EvalError::Op(Box::new(mistake.locate(&self.op.file, &self.op.text)))
            }
        }
    }
}
