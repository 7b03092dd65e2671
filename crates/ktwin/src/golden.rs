//! Golden outputs of kernels: which cases are pinned, what there is of them now, and the files beside kernels that hold
//! what there was. It runs kernels and touches files; it prints nothing.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ktwin_check::pin::{Pinned, PinnedCase, described};
use ktwin_check::{
    Amount, Case, CaseReport, Device, Failure, Kernel, Prepared, Trial, Verdict, accepts, plan, prepare,
    run_case, verdict_of,
};
use ktwin_devices::Limits;
use ktwin_num::{DType, Layout, Regime};

use crate::{links, suite};

/// The most elements that an output of a pinned case has.
const SMALL: usize = 1 << 12;
/// Regimes that are pinned, one case each.
const REGIMES: [Regime; 3] = [Regime::Exact, Regime::Normal, Regime::Mixed];
/// The seed of the first case.
const SEED: u64 = 7;

/// The device that a kernel's own bits come from, or why they are left out.
pub type Found = Result<Arc<dyn Device>, String>;

/// What is pinned of a kernel, and what it is now.
pub struct Golden {
    /// The file that holds what is pinned.
    pub place: PathBuf,
    /// What was pinned.
    pub before: Option<Pinned>,
    /// What it is now.
    pub now: Pinned,
    /// The device that ran, or why none did.
    pub ran: Result<String, String>,
    /// What changed, in lines.
    pub drift: Vec<String>,
    /// What the kernel gets wrong now, a line a case: nothing of that is ever pinned.
    pub wrong: Vec<String>,
}

/// A case without a result.
pub struct Lost {
    /// What that says of the kernel.
    pub verdict: Verdict,
    /// Why there is none.
    pub why: String,
}

impl From<String> for Lost {
    fn from(why: String) -> Lost {
        Lost { verdict: Verdict::Error, why }
    }
}

impl Golden {
    /// Evaluates the cases that are pinned, or where none are, or all is wanted anew, those that would be.
    pub fn of(file: &Path, kernel: &Kernel, device: Found, anew: bool) -> Result<Golden, String> {
        let place = place(file);
        let beside = file.parent().unwrap_or(Path::new(""));
        for own in [&place, &next_to(&place)] {
            links::refuse(beside, own)?;
        }
        let wrong = |e: String| format!("{}: {e}", place.display());
        let before = match ktwin_check::read_text(&place) {
            Ok(text) => Some(Pinned::parse(&text).map_err(wrong)?),
            Err(e) if e.kind() == ErrorKind::NotFound => None,
            Err(e) => return Err(wrong(e.to_string())),
        };
        if !anew && before.as_ref().is_some_and(|before| before.cases.is_empty()) {
            return Err(wrong("it pins no case: remove it, and pin the kernel anew".into()));
        }
        let cases: Vec<Case> = match before.as_ref().filter(|_| !anew) {
            Some(before) => {
                before.cases.iter().map(|case| Case::parse(kernel, &case.case)).collect::<Result<_, _>>()?
            }
            None => chosen(kernel)?,
        };
        let op = format!("{} {}", kernel.op.name, kernel.content.hash);
        let source = kernel.source.path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let (mut now, mut wrong) = (Pinned { source, op, cases: Vec::new() }, Vec::new());
        let mut device = device;
        for case in &cases {
            let (lines, ended) = lines(kernel, case, &device)?;
            match ended {
                Ended::Right => {}
                Ended::Wrong(why) => wrong.push(format!("case {case}: {why}")),
                Ended::NotRun(why) => device = Err(why),
            }
            now.cases.push(PinnedCase { case: case.to_string(), lines });
        }
        let ran = device.map(|device| device.name().to_string());
        let drift = before.as_ref().map_or(Vec::new(), |before| now.drift(before, names(&ran).as_slice()));
        Ok(Golden { place, before, now, ran, drift, wrong })
    }

    /// The file for what changed, which is reviewed.
    pub fn next(&self) -> PathBuf {
        next_to(&self.place)
    }

    /// Whether it is as it was pinned.
    pub fn is_same(&self) -> bool {
        self.before.is_some() && self.drift.is_empty() && self.wrong.is_empty()
    }

    /// Whether all that was pinned is as it was, and there is more now: of a device that it was not pinned on before.
    pub fn only_adds(&self) -> bool {
        self.wrong.is_empty() && !self.drift.is_empty() && self.drift.iter().all(|line| is_more(line))
    }

    /// Pins what there is now.
    pub fn take(&self) -> Result<(), String> {
        self.write(&self.place)?;
        self.forget();
        Ok(())
    }

    /// Writes what there is now beside what was pinned.
    pub fn propose(&self) -> Result<(), String> {
        self.write(&self.next())
    }

    /// Removes what was written to be reviewed.
    pub fn forget(&self) {
        let _ = fs::remove_file(self.next());
    }

    fn write(&self, file: &Path) -> Result<(), String> {
        let text = match &self.before {
            Some(before) => self.now.clone().keeping(before, names(&self.ran).as_slice()).text(),
            None => self.now.text(),
        };
        let made = file.parent().map_or(Ok(()), fs::create_dir_all);
        made.and_then(|()| fs::write(file, text))
            .map_err(|e| format!("{}: {}", file.display(), ktwin_num::reason(&e)))
    }
}

/// Whether a line of a difference takes nothing away.
fn is_more(line: &str) -> bool {
    line.starts_with("+ ") || line.starts_with("case ")
}

fn next_to(place: &Path) -> PathBuf {
    place.with_extension("snap.new")
}

fn names(ran: &Result<String, String>) -> Vec<&str> {
    ran.iter().map(String::as_str).collect()
}

/// Where a kernel's snapshot is.
fn place(file: &Path) -> PathBuf {
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    file.parent().unwrap_or(Path::new("")).join("snapshots").join(format!("{name}.snap"))
}

/// The largest small case of a quick plan in each regime.
fn chosen(kernel: &Kernel) -> Result<Vec<Case>, String> {
    let all = plan(kernel, Amount::QUICK)?.cases;
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

/// Names of arrays with what is pinned of each.
type Lines = Vec<(String, String)>;

/// What came of running a case.
enum Ended {
    /// Nothing is wrong with it, or nothing was run.
    Right,
    /// What is wrong.
    Wrong(String),
    /// Why the device runs no such kernel: a compiler that is missing, for one.
    NotRun(String),
}

/// What is pinned of a case: its inputs, the twin, and what the kernel returns.
fn lines(kernel: &Kernel, case: &Case, device: &Found) -> Result<(Lines, Ended), String> {
    accepts(kernel, case).map_err(|why| format!("{case}: {why}"))?;
    let prepared = prepare(kernel, case)?;
    let mut lines = twin(&prepared)?;
    let Ok(device) = device else { return Ok((lines, Ended::Right)) };
    let trial = match run(kernel, &**device, &prepared) {
        Ok(trial) => trial,
        Err(lost) if lost.verdict.is_bad() => return Ok((lines, Ended::Wrong(lost.why))),
        Err(lost) if lost.verdict == Verdict::Skip => return Ok((lines, Ended::NotRun(lost.why))),
        Err(lost) => return Err(format!("{case}: {}", lost.why)),
    };
    for ((expected, got), blocks) in trial.expected.iter().zip(&trial.got).zip(&trial.packed) {
        let bytes: Vec<u8> = got.iter().flat_map(|v| v.to_bits().to_le_bytes()).collect();
        let codes = blocks.as_ref().map(|blocks| &*blocks.bytes);
        let dtype = expected.dtype.to_string();
        let told = described(&dtype, &expected.shape, codes.unwrap_or(&bytes), got);
        lines.push((format!("{} {}", device.name(), expected.name), told));
    }
    let first = trial.report.errors().next();
    let what = || first.map_or("wrong".to_string(), |f| format!("{}: {}", f.kind, f.message));
    let is_bad = trial.report.verdict.is_bad();
    Ok((lines, if is_bad { Ended::Wrong(what()) } else { Ended::Right }))
}

/// Runs a case; the error says why there is nothing to look at.
pub fn run<'k>(kernel: &'k Kernel, device: &dyn Device, prepared: &Prepared<'k>) -> Result<Trial<'k>, Lost> {
    let (launch, _) = prepared.launch(0)?;
    let build = prepared.build(&launch)?;
    let failed = |failure: Failure| Lost { verdict: verdict_of(&failure), why: failure.to_string() };
    let program = device.compile(&kernel.source, &build).map_err(failed)?;
    let functions = device.functions(kernel.rules());
    let lost = |report: Box<CaseReport>| {
        let why = match report.reason.as_str() {
            "" => report.findings.first().map_or(report.verdict.name().to_owned(), ToString::to_string),
            reason => format!("{}: {reason}", report.verdict.name()),
        };
        Lost { verdict: report.verdict, why }
    };
    run_case(kernel, &*program, &prepared.case, functions).map_err(lost)
}

/// The device of this name, or the usual one, for a kernel that promises the same bits twice.
pub fn device(kernel: &Kernel, name: Option<&str>) -> Result<Found, String> {
    if let Err(why) = repeats(kernel) {
        return Ok(Err(why));
    }
    let usual = suite::device_for(kernel.source.kind);
    let Some(name) = name.or(usual.as_deref()) else {
        return Ok(Err("no device runs its language".into()));
    };
    let device = ktwin_devices::find(name, Limits::default())?;
    Ok(match device.probe() {
        Ok(_) => Ok(device),
        Err(absent) => Err(absent.to_string()),
    })
}

/// Whether a kernel's own bits may be pinned.
pub fn repeats(kernel: &Kernel) -> Result<(), String> {
    match kernel.contract.promises.deterministic {
        true => Ok(()),
        false => Err("its contract does not promise the same bits twice".into()),
    }
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
