//! What a run tells, as plain data that can be printed, written as JSON or counted. Reporters see nothing
//! else.

use std::fmt;

use ktwin_num::Float;
use serde::{Deserialize, Serialize};

use crate::case::Case;
use crate::finding::{Finding, Kind};
use crate::json;
use crate::law::LawReport;
use crate::metrics::Metrics;
use crate::mutants::Mutant;
use crate::pattern::Pattern;
use crate::promise::PromiseReport;
use crate::verdict::Verdict;

/// The version of the events' schema: it grows when a field changes its meaning or goes.
pub const SCHEMA: u32 = 2;

/// One thing that happened.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
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
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct RunStarted {
    /// [`SCHEMA`].
    pub schema: u32,
    /// Kernels to test.
    pub kernels: usize,
    /// Devices by name.
    pub devices: Vec<String>,
}

/// The beginning of a kernel.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
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
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct CaseEnded {
    /// The kernel's file.
    pub kernel: String,
    /// The device.
    pub device: String,
    /// The case.
    pub case: Case,
    /// How a user repeats it.
    pub repeat: String,
    /// What is said of it.
    pub verdict: Verdict,
    /// The largest share of its bar that any element's error is; where a policy decides, the share of what it allows.
    #[serde(serialize_with = "json::out", deserialize_with = "json::back")]
    #[cfg_attr(test, schemars(with = "json::Number"))]
    pub ratio: f64,
    /// How far each output is off, by every measure.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub measures: Vec<Measures>,
    /// Whether a kernel one rung coarser would have been refused.
    pub sharp: bool,
    /// The mutants that this case cannot tell from the right output.
    pub blind_to: Vec<Mutant>,
    /// What is wrong, and notes.
    pub findings: Vec<Finding>,
    /// Why it was skipped, or how it ended.
    pub reason: String,
    /// Seconds.
    pub seconds: f64,
}

/// What is said of a kernel.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct KernelReport {
    /// Its file.
    pub kernel: String,
    /// The op it claims to compute.
    pub op: String,
    /// The device.
    pub device: String,
    /// What is said of it.
    pub verdict: Verdict,
    /// Why it was skipped, or why there is nothing to show.
    pub reason: String,
    /// Whether it was skipped since the device, which is there, lacks what the kernel asks of it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unsupported: bool,
    /// Cases by verdict.
    pub cases: Counts,
    /// Cases that a kernel one rung coarser would have failed.
    pub sharp: usize,
    /// How far each output is off, by every measure: the worst over all cases, failing ones included.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub measures: Vec<Measures>,
    /// The largest share of its bar that any element's error is; where a policy decides, the share of what it allows.
    #[serde(serialize_with = "json::out", deserialize_with = "json::back")]
    #[cfg_attr(test, schemars(with = "json::Number"))]
    pub ratio: f64,
    /// The promised rungs; nothing where its contract cannot be read.
    pub promised: Option<Rungs>,
    /// All that it promises; nothing where its contract cannot be read.
    pub promise: Option<PromiseReport>,
    /// How the roundings of long sums were bounded; said of arrays that `ktwin compare` judges.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sums: Option<String>,
    /// The rungs that the kernel behaves like, where cases can tell.
    pub behaves_like: Option<Rungs>,
    /// The form of the op that the kernel claims, and how much wider that makes its bars.
    pub form: Option<String>,
    /// What was seen of the law of a random op, in all cases.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub law: Option<LawReport>,
    /// What the plan leaves out, and why.
    pub gaps: Vec<String>,
    /// The box that the kernel ran in: `full`, `driver`, `partial (missing: …)` or `none (…)`; nothing where no foreign
    /// code runs.
    pub sandbox: Option<String>,
    /// What the compiled kernel takes of a card, where that was asked for or promised and a
    /// compiler says so.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub resources: Vec<crate::resources::Resources>,
    /// What a sanitizer beside the device said, where one was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sanitized: Option<crate::sanitize::Sanitized>,
    /// Notes of the device, such as where an infinity was born.
    pub notes: Vec<Note>,
    /// The failure, where there is one.
    pub failure: Option<FailureReport>,
    /// The seed that the cases' seeds come from; nothing where none was needed.
    pub seed: Option<u64>,
    /// Seconds.
    pub seconds: f64,
}

/// How far an output is off, by every measure.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Measures {
    /// The output.
    pub output: String,
    /// `mse`, `nmse`, `max_abs`, `mean_abs`, `max_rel`, `ulps`, `correlation`, `cosine`, `ratio` (to the error bar);
    /// the two shares only where they are defined, and `wrong_class` only where elements are of the wrong class.
    #[serde(with = "json::pairs")]
    #[cfg_attr(test, schemars(with = "std::collections::BTreeMap<String, json::Number>"))]
    pub values: Vec<(String, f64)>,
}

impl Measures {
    /// The measures of an output.
    pub fn new(output: &str, metrics: Metrics) -> Measures {
        let values = metrics.named().into_iter().map(|(name, value)| (name.to_string(), value));
        Measures { output: output.to_string(), values: values.collect() }
    }
}

/// A pair of rungs.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Rungs {
    /// Of the arithmetic.
    #[serde(serialize_with = "json::out", deserialize_with = "json::back")]
    #[cfg_attr(test, schemars(schema_with = "json::rungs"))]
    pub compute: Float,
    /// Of sums.
    #[serde(serialize_with = "json::out", deserialize_with = "json::back")]
    #[cfg_attr(test, schemars(schema_with = "json::rungs"))]
    pub accumulate: Float,
    /// Where either is tf32: it may be f16 as well, whose numbers have as many digits.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub or_f16: bool,
}

impl fmt::Display for Rungs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = |rung: Float| match self.or_f16 && rung.same_format(Float::TF32) {
            true => "f16 or tf32",
            false => rung.name(),
        };
        f.write_str(name(self.compute))?;
        match self.compute.same_format(self.accumulate) {
            true => Ok(()),
            false => write!(f, " with {} accumulation", name(self.accumulate)),
        }
    }
}

/// Something worth knowing of a kernel, but nothing wrong.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Note {
    /// What it is.
    #[serde(flatten)]
    pub finding: Finding,
    /// The first case in which it was met.
    pub case: Case,
}

/// Cases by verdict.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
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
    /// Counts one more of these cases.
    pub fn add(&mut self, verdict: Verdict) {
        *match verdict {
            Verdict::Pass => &mut self.pass,
            Verdict::Blind => &mut self.blind,
            Verdict::Skip => &mut self.skip,
            Verdict::Error => &mut self.error,
            _ => &mut self.fail,
        } += 1;
    }

    /// The cases of so many verdicts.
    pub fn of(verdicts: impl Iterator<Item = Verdict>) -> Counts {
        let mut out = Counts::default();
        verdicts.for_each(|verdict| out.add(verdict));
        out
    }

    /// All of them.
    pub fn total(&self) -> usize {
        self.pass + self.blind + self.skip + self.error + self.fail
    }
}

/// A failure, shrunk and looked at.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct FailureReport {
    /// The smallest case found that fails; nothing where none was run.
    pub case: Option<Case>,
    /// How a user repeats it.
    pub repeat: String,
    /// What is wrong in this case.
    pub findings: Vec<Finding>,
    /// The kinds of findings in all cases together.
    pub kinds: Vec<Kind>,
    /// Findings that this case does not show, each with the smallest case found that does.
    #[serde(default)]
    pub others: Vec<Note>,
    /// The inputs of a case that is small enough to be followed by hand.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub inputs: Vec<InputReport>,
    /// The outputs that are wrong.
    pub outputs: Vec<OutputReport>,
    /// What the failing elements, or the failing cases, have in common.
    pub patterns: Vec<Pattern>,
    /// How it ended, where it has no result, or how another case did; of several applications, which is shown.
    pub reason: String,
}

/// An input with all its elements, row by row.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct InputReport {
    /// Its name.
    pub name: String,
    /// Its shape.
    pub shape: Vec<usize>,
    /// What it holds.
    #[serde(serialize_with = "json::out", deserialize_with = "json::back")]
    #[cfg_attr(test, schemars(with = "Vec<json::Number>"))]
    pub values: Vec<f64>,
}

/// A wrong output.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
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
    /// Elements by how many bars their errors are: 0, up to 1/16, 1/4, 1/2, 1, 2, 4, 16, 256, 65536, more; the last
    /// are of the wrong class.
    #[serde(default)]
    pub histogram: Vec<usize>,
    /// All elements, row by row, of a matrix that is small enough to be shown whole.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub whole: Vec<ElementReport>,
    /// Of any other output with several elements, what is due and what came out as small maps: digits from the least
    /// number that is due to the largest, `<` below, `>` above, `N` no number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub levels: Option<[Vec<String>; 2]>,
}

/// An element: a wrong one, or any of an output that is shown whole.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ElementReport {
    /// Its indices.
    pub index: Vec<usize>,
    /// What it must be.
    #[serde(serialize_with = "json::out", deserialize_with = "json::back")]
    #[cfg_attr(test, schemars(with = "json::Number"))]
    pub expected: f64,
    /// What it is; nothing where the kernel never wrote it.
    #[serde(serialize_with = "json::out", deserialize_with = "json::back")]
    #[cfg_attr(test, schemars(with = "Option<json::Number>"))]
    pub got: Option<f64>,
    /// How far they differ.
    #[serde(serialize_with = "json::out", deserialize_with = "json::back")]
    #[cfg_attr(test, schemars(with = "Option<json::Number>"))]
    pub error: Option<f64>,
    /// The most that they may.
    #[serde(serialize_with = "json::out", deserialize_with = "json::back")]
    #[cfg_attr(test, schemars(with = "json::Number"))]
    pub bar: f64,
}

/// The end of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Totals {
    /// Kernels that pass.
    pub pass: usize,
    /// Kernels that are wrong.
    pub fail: usize,
    /// Files that are not valid kernels: they cannot be read, or their contract is wrong.
    pub invalid: usize,
    /// Kernels without evidence.
    pub blind: usize,
    /// Kernels that were not run, or not in every case.
    pub skip: usize,
    /// Kernels that could not be judged, since ktwin itself failed.
    pub error: usize,
    /// Kernels that are wrong as the project's registry expects.
    #[serde(default)]
    pub expected: usize,
    /// Whether the run was stopped before its end.
    pub stopped: bool,
    /// Seconds.
    pub seconds: f64,
}
