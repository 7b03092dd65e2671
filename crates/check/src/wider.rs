//! What claiming a form of the op costs: how much wider its bars are than those of the op's own definitions.

use crate::trial::Trial;

/// The form that a kernel claims, and how much wider its bars are at most, in a sentence.
pub fn sentence(trials: &[Trial]) -> Option<String> {
    let kernel = trials.first()?.prepared.kernel;
    let name = &kernel.contract.form.as_ref()?.text;
    let most = trials.iter().filter_map(widest).fold(1.0, f64::max);
    Some(match most {
        m if m < 1.5 => format!("form {name}: bars as narrow as the op's own"),
        m => format!("form {name}: bars up to {m:.0}x wider"),
    })
}

/// The largest ratio of a bar of the form to that of the op's own definitions.
fn widest(trial: &Trial) -> Option<f64> {
    let plain = trial.prepared.kernel.plain.as_ref()?;
    let own = trial.prepared.written_as(plain)?.expected().ok()?;
    let pairs = trial.expected.iter().zip(&own).flat_map(|(form, own)| form.bars.iter().zip(&own.bars));
    let ratios = pairs.filter(|(f, o)| f.is_finite() && **o > 0.0).map(|(f, o)| f / o);
    ratios.reduce(f64::max)
}
