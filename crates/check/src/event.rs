//! What a run tells, as plain data that can be printed, written as JSON or counted. Reporters see nothing
//! else.

use serde::{Serialize, Serializer};

use crate::promise::PromiseReport;

/// The version of the events' schema: it grows when a field changes its meaning or goes.
pub const SCHEMA: u32 = 1;

/// One thing that happened.
#[derive(Clone, Debug, Serialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum Event {
    /// A run begins.
    Run(RunStarted),
    /// A kernel begins.
    Kernel(KernelStarted),
    /// A case ended.
    Case(CaseEnded),
    /// A kernel ended.
    Verdict(Box<KernelReport>),
    /// The run ended.
    Done(Totals),
}

/// The beginning of a run.
#[derive(Clone, Debug, Serialize)]
pub struct RunStarted {
    /// [`SCHEMA`].
    pub schema: u32,
    /// Kernels to test.
    pub kernels: usize,
    /// Devices by name.
    pub devices: Vec<String>,
}

/// The beginning of a kernel.
#[derive(Clone, Debug, Serialize)]
pub struct KernelStarted {
    /// Its file.
    pub kernel: String,
    /// The op it claims to compute.
    pub op: String,
    /// The device.
    pub device: String,
    /// Cases planned.
    pub cases: usize,
    /// The seed that the cases' seeds come from.
    pub seed: u64,
}

/// The end of a case.
#[derive(Clone, Debug, Serialize)]
pub struct CaseEnded {
    /// The kernel's file.
    pub kernel: String,
    /// The device.
    pub device: String,
    /// The case as `--case` takes it.
    pub case: String,
    /// pass, blind, skip, error, invalid, fail, crash or hang.
    pub verdict: String,
    /// The largest share of its bar that any element's error is.
    #[serde(serialize_with = "number")]
    pub ratio: f64,
    /// Whether a kernel one rung coarser would have been refused.
    pub sharp: bool,
    /// The mutants that this case cannot tell from the right output.
    pub blind_to: Vec<String>,
    /// What is wrong, in sentences.
    pub findings: Vec<String>,
    /// Why it was skipped, or how it ended.
    pub reason: String,
    /// Seconds.
    pub seconds: f64,
}

/// What is said of a kernel.
#[derive(Clone, Debug, Default, Serialize)]
pub struct KernelReport {
    /// Its file.
    pub kernel: String,
    /// The op it claims to compute.
    pub op: String,
    /// The device.
    pub device: String,
    /// pass, blind, skip, error, invalid, fail, crash or hang.
    pub verdict: String,
    /// Why it was skipped, or why there is nothing to show.
    pub reason: String,
    /// Cases by verdict.
    pub cases: Counts,
    /// Cases that a kernel one rung coarser would have failed.
    pub sharp: usize,
    /// The largest share of its bar that any element's error is.
    #[serde(serialize_with = "number")]
    pub ratio: f64,
    /// The promised rung: compute, and the accumulator where it is another.
    pub promised: String,
    /// All that it promises; nothing where its contract cannot be read.
    pub promise: Option<PromiseReport>,
    /// The rung that the kernel behaves like, where cases can tell.
    pub behaves_like: Option<String>,
    /// The form of the op that the kernel claims, and how much wider that makes its bars.
    pub form: Option<String>,
    /// What the plan leaves out, and why.
    pub gaps: Vec<String>,
    /// The box that the kernel ran in: `full`, `driver`, `partial (missing: …)` or `none (…)`; nothing where no foreign
    /// code runs.
    pub sandbox: Option<String>,
    /// What the compiled kernel takes of a card, where that was asked for or promised and a
    /// compiler says so.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub resources: Vec<crate::resources::Resources>,
    /// Notes of the device, such as where an infinity was born.
    pub notes: Vec<FindingReport>,
    /// The failure, where there is one.
    pub failure: Option<FailureReport>,
    /// The seed that the cases' seeds come from.
    pub seed: u64,
    /// Seconds.
    pub seconds: f64,
}

/// Cases by verdict.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct Counts {
    /// Right, with evidence.
    pub pass: usize,
    /// No evidence.
    pub blind: usize,
    /// Not run.
    pub skip: usize,
    /// Not judged, since ktwin itself failed.
    pub error: usize,
    /// Wrong, crashed or hung.
    pub fail: usize,
}

impl Counts {
    /// All of them.
    pub fn total(&self) -> usize {
        self.pass + self.blind + self.skip + self.error + self.fail
    }
}

/// A failure, shrunk and looked at.
#[derive(Clone, Debug, Default, Serialize)]
pub struct FailureReport {
    /// The smallest case found that fails, as `--case` takes it.
    pub case: String,
    /// The command that repeats it.
    pub repeat: String,
    /// What is wrong in this case.
    pub findings: Vec<FindingReport>,
    /// The kinds of findings in all cases together.
    pub kinds: Vec<String>,
    /// The outputs that are wrong.
    pub outputs: Vec<OutputReport>,
    /// What the failing elements have in common, in sentences.
    pub patterns: Vec<String>,
    /// How it ended, where it has no result.
    pub reason: String,
}

/// A finding with its line.
#[derive(Clone, Debug, Serialize)]
pub struct FindingReport {
    /// Its kind in words.
    pub kind: String,
    /// The line of the kernel's file.
    pub line: Option<u32>,
    /// The text of that line.
    pub text: String,
    /// The finding in a sentence.
    pub message: String,
    /// Workgroup and lane of the first that met it.
    pub place: Option<String>,
    /// How many times it was met.
    pub count: u64,
}

/// A wrong output.
#[derive(Clone, Debug, Serialize)]
pub struct OutputReport {
    /// Its name.
    pub name: String,
    /// Its shape.
    pub shape: Vec<usize>,
    /// Elements in all.
    pub total: usize,
    /// Failing elements.
    pub failing: usize,
    /// The worst of them.
    pub worst: Vec<ElementReport>,
    /// A small map: `.` right, `+` some wrong, `#` all wrong.
    pub map: Vec<String>,
}

/// A wrong element.
#[derive(Clone, Debug, Serialize)]
pub struct ElementReport {
    /// Its indices.
    pub index: Vec<usize>,
    /// What it must be.
    #[serde(serialize_with = "number")]
    pub expected: f64,
    /// What it is.
    #[serde(serialize_with = "number")]
    pub got: f64,
    /// How far they differ.
    #[serde(serialize_with = "number")]
    pub error: f64,
    /// The most that they may.
    #[serde(serialize_with = "number")]
    pub bar: f64,
}

/// The end of a run.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct Totals {
    /// Kernels that pass.
    pub pass: usize,
    /// Kernels that are wrong.
    pub fail: usize,
    /// Files that are no valid kernels: they cannot be read, or their contract is wrong.
    pub invalid: usize,
    /// Kernels without evidence.
    pub blind: usize,
    /// Kernels that were not run, or not in every case.
    pub skip: usize,
    /// Kernels that could not be judged, since ktwin itself failed.
    pub error: usize,
    /// Whether the run was stopped before its end.
    pub stopped: bool,
    /// Seconds.
    pub seconds: f64,
}

/// JSON has no NaN and no infinity: they become strings.
fn number<S: Serializer>(value: &f64, serializer: S) -> Result<S::Ok, S::Error> {
    match value.is_finite() {
        true => serializer.serialize_f64(*value),
        false => serializer.serialize_str(&value.to_string()),
    }
}
