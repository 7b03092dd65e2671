//! The forms of an op in which kernels may write it: which of them judges a case, what all of them refuse, and what
//! they cost: how much wider their bars are than those of the op's own definitions.

use crate::compare::Expected;
use crate::inputs::Prepared;
use crate::mutants::{self, Mutant};
use crate::trial::Trial;
use crate::verdict::CaseReport;

/// The trial by the form that it is closest to, of those that no contract need claim: outputs as a whole, never one by
/// one form and another by another.
pub fn closest<'a>(first: Trial<'a>, judged: impl Fn(Prepared<'a>) -> Option<Trial<'a>>) -> Trial<'a> {
    let failing = |t: &Trial| t.report.outputs.iter().map(|o| o.failing.len()).sum::<usize>();
    let mut best = first;
    let forms = best.prepared.kernel.op.forms.iter().enumerate();
    for (number, form) in forms.filter(|(_, form)| form.name.is_none()) {
        if failing(&best) == 0 {
            break;
        }
        let other = best.prepared.written_as(&form.op).and_then(&judged);
        if let Some(mut other) = other.filter(|other| failing(other) < failing(&best)) {
            let before = best.report.form.as_ref().map_or(1.0, |(_, wider)| *wider);
            let wider = before * ratio(&other.expected, &best.expected).unwrap_or(1.0);
            other.report.form = Some((form.shown(number), wider));
            best = other;
        }
    }
    best
}

/// The mutants that a case refuses, by whichever form they were judged.
pub fn refused(trial: &Trial) -> Vec<Mutant> {
    let op = &trial.prepared.kernel.op;
    let forms = op.forms.iter().filter(|form| form.name.is_none()).map(|form| &form.op);
    let others = [op].into_iter().chain(forms).filter(|form| !std::ptr::eq(*form, trial.prepared.at.op));
    let expected = |form| trial.prepared.written_as(form)?.expected().ok();
    let others: Vec<Vec<Expected>> = others.filter_map(expected).collect();
    let all: Vec<&[Expected]> =
        std::iter::once(&trial.expected).chain(&others).map(|expected| &expected[..]).collect();
    mutants::refused(&trial.prepared, &all)
}

/// The form that judged, claimed or not, and how much wider its bars are at most, in a sentence.
pub fn sentence(trials: &[Trial], reports: &[CaseReport]) -> Option<String> {
    let claimed = trials.first().and_then(|trial| trial.prepared.kernel.contract.form.as_ref());
    if let Some(claimed) = claimed {
        let most = trials.iter().filter_map(widest).fold(1.0, f64::max);
        return Some(format!("form {}: {}", claimed.text, in_words(most)));
    }
    let judged: Vec<&(String, f64)> = reports.iter().filter_map(|report| report.form.as_ref()).collect();
    let (first, _) = judged.first()?;
    let by = if judged.iter().all(|(form, _)| form == first) { first } else { "an `also`" };
    let most = judged.iter().fold(1.0, |most: f64, (_, wider)| most.max(*wider));
    Some(format!("{by} of the op judged {} of {} cases: {}", judged.len(), reports.len(), in_words(most)))
}

fn in_words(most: f64) -> String {
    match most {
        m if m < 1.5 => "bars as narrow as the op's own".to_owned(),
        m => format!("bars up to {m:.0}x wider"),
    }
}

/// The largest ratio of a bar of the claimed form to that of the op's own definitions.
fn widest(trial: &Trial) -> Option<f64> {
    let plain = trial.prepared.kernel.plain.as_ref()?;
    ratio(&trial.expected, &trial.prepared.written_as(plain)?.expected().ok()?)
}

fn ratio(form: &[Expected], own: &[Expected]) -> Option<f64> {
    let pairs = form.iter().zip(own).flat_map(|(form, own)| form.bars.iter().zip(&own.bars));
    let ratios = pairs.filter(|(f, o)| f.is_finite() && **o > 0.0).map(|(f, o)| f / o);
    ratios.reduce(f64::max)
}
