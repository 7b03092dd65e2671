//! Whether a kernel is wrong only where several workgroups run: what they share is lost, or read too early.

use ktwin_num::math;

use crate::case::Case;
use crate::common::{FEWEST, LIKELY};
use crate::kernel::Kernel;
use crate::pattern::What;
use crate::verdict::{CaseReport, Verdict};

/// The part of the cases with several workgroups that fail, where no other case does, and that is no accident; with
/// the size from which on there are several, where a rule tells it. What a rule tells otherwise is told alone.
pub fn told(kernel: &Kernel, reports: &[CaseReport], rule: Option<&What>) -> Option<What> {
    let rule = match rule {
        Some(What::FailsWhen { rule } | What::FailsOnlyWhen { rule, .. }) => Some(rule),
        _ => None,
    };
    let (mut failing, mut passing, mut alone) = (0, 0, 0);
    for report in reports.iter().filter(|r| r.verdict.is_bad() || r.verdict == Verdict::Pass) {
        let several = several(kernel, &report.case)?;
        if rule.is_some_and(|rule| rule.holds(&report.case) != several) {
            return None;
        }
        match (several, report.verdict.is_bad()) {
            (true, true) => failing += 1,
            (true, false) => passing += 1,
            (false, false) => alone += 1,
            (false, true) => return None,
        }
    }
    let of = failing + passing;
    let share = of as f64 / (of + alone).max(1) as f64;
    let told = failing >= FEWEST && alone >= FEWEST && math::pow(share, failing as f64) < LIKELY;
    told.then(|| What::SeveralGroups { failing, of, rule: rule.cloned() })
}

/// Whether any launch of a case has more than one workgroup; nothing where a kernel has none.
fn several(kernel: &Kernel, case: &Case) -> Option<bool> {
    let at = case.bind(&kernel.op).ok()?;
    let launches = kernel.launches(&at).ok()?;
    if launches.iter().all(|(link, _)| link.grid.is_empty()) {
        return None;
    }
    let more = |expr, numbers| kernel.whole_beside(expr, &at, numbers).is_ok_and(|groups| groups > 1);
    Some(launches.iter().any(|(link, numbers)| link.grid.iter().any(|expr| more(expr, numbers))))
}
