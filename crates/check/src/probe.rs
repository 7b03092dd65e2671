//! A case run again with other numbers in its inputs, to see what a kernel makes of them.

use ktwin_lang::{Elements, Meaning};

use crate::device::{Failure, Launch, Ran};
use crate::finding::Kind;
use crate::inputs::{Prepared, reals};
use crate::launch::Memory;
use crate::trial::{self, Trial};

/// Launches that are made at a time.
pub const TOGETHER: usize = 64;

/// Runs launches of the case's program.
pub type Runs<'r> = &'r dyn Fn(Vec<Launch>) -> Option<Vec<Result<Ran, Failure>>>;

/// Whether what is wrong with a case is its values, and its real inputs are single numbers side by side.
pub fn is_fit(trial: &Trial) -> bool {
    let prepared = &trial.prepared;
    let plain =
        |i: &usize| prepared.inputs[*i].is_contiguous() && prepared.inputs[*i].dtype.float().is_some();
    trial.report.has_wrong_values()
        && trial.report.errors().all(|f| f.kind.is_of_values() && f.kind != Kind::WrongLaw)
        && prepared.chosen.is_none()
        && !prepared.case.regime.is_special()
        && reals(&prepared.kernel.op).iter().all(plain)
}

/// What the kernel makes of each.
pub fn results(all: &[Prepared], runs: Runs) -> Option<Vec<Vec<Vec<f64>>>> {
    let made = all.iter().map(|prepared| prepared.launch(0).ok()).collect::<Option<Vec<_>>>()?;
    let (launches, memories): (Vec<Launch>, Vec<Memory>) = made.into_iter().unzip();
    let ran = runs(launches)?.into_iter().map(Result::ok).collect::<Option<Vec<_>>>()?;
    let whole =
        |(memory, ran): (&Memory, &Ran)| trial::is_whole(memory, ran).then(|| trial::came_out(memory, ran));
    memories.iter().zip(&ran).map(whole).collect()
}

/// What the op makes of one.
pub fn exact(prepared: &Prepared) -> Option<Vec<Vec<f64>>> {
    let all = prepared.at.evaluate(&prepared.inputs, &Meaning::Exact, Elements::All).ok()?;
    Some(all.into_iter().map(|output| output.values).collect())
}

/// Whether a launch gave what the case is due.
pub fn came_out_right(trial: &Trial, memory: &Memory, ran: &Ran) -> bool {
    if !trial::is_whole(memory, ran) {
        return false;
    }
    let got = trial::came_out(memory, ran);
    let all = trial.expected.iter().zip(&got);
    all.clone().count() > 0
        && all
            .into_iter()
            .all(|(expected, got)| (0..got.len()).all(|at| !expected.judge(at, got[at]).fails()))
}
