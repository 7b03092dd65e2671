//! What is left out of what is told of a failure: accidents, and what is said better otherwise.

use crate::diagnose;
use crate::explanation::SEVERAL;
use crate::pattern::{Pattern, Rule, What};
use crate::trial::Trial;

/// Where one value of a scalar alone fails, any function of it explains the same as another.
pub fn functions_of_one_number(out: &mut Vec<Pattern>) {
    let one = out.iter().find_map(|p| match &p.what {
        What::FailsWhen { rule: Rule::Scalar { name, .. } }
        | What::FailsOnlyWhen { rule: Rule::Scalar { name, .. }, .. } => Some(name.clone()),
        _ => None,
    });
    let Some(one) = one else { return };
    out.retain(|p| match &p.what {
        What::FormulaOfFailing { now, .. } => !now.contains(&one),
        _ => true,
    });
}

/// Whether what is said of the smallest case is an accident, by the largest one; and of numbers that are kept in a
/// type, which are the same wherever they are wrong, by any, or where there is but one.
pub fn is_accident(pattern: &Pattern, larger: Option<&Trial>, all: &[&Trial]) -> bool {
    if larger.is_some_and(|larger| diagnose::by_accident(pattern, larger)) {
        return true;
    }
    let wrong: Vec<_> = all.iter().filter(|trial| trial.report.has_wrong_values()).collect();
    let failing = |trial: &&&Trial| trial.report.outputs.iter().map(|o| o.failing.len()).sum::<usize>();
    matches!(pattern.what, What::KeptIn { .. })
        && (wrong.iter().map(failing).sum::<usize>() < SEVERAL
            || wrong.iter().any(|trial| diagnose::by_accident(pattern, trial)))
}
