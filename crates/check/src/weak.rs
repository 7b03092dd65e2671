//! Whether a promise is so weak that nothing could have shown that it is broken, where a stronger one of the
//! same op and types could have been tested.

use ktwin_num::{Float, Language};

use crate::case::Case;
use crate::check::{Check, case_seed};
use crate::inputs::Prepared;
use crate::kernel::Kernel;
use crate::mutants::{self, Mutant, refused};
use crate::plan::{Amount, plan};
use crate::report;
use crate::verdict::{CaseReport, Verdict};

/// Cases that are looked at.
const LOOKED_AT: usize = 12;
/// How often a whole plan is drawn anew in search of sharp cases.
const ROUNDS: usize = 3;

/// Fewer sharp cases than this may be sharp by chance, and so may fewer than one in [`RARE`]: among many cases there
/// are some whatever is promised.
const FEW: usize = 3;
const RARE: usize = 40;

/// The kernel as if it promised f32, rounded nothing further and took nothing as given; none where it promises as much.
fn stronger(kernel: &Kernel) -> Option<Kernel> {
    let finer = |f: Float| if f.unit_roundoff() > Float::F32.unit_roundoff() { Float::F32 } else { f };
    let mut strong = kernel.clone();
    let contract = &mut strong.contract;
    (contract.compute, contract.accumulate) = (finer(contract.compute), finer(contract.accumulate));
    contract.round.clear();
    contract.fix.clear();
    (strong.contract != kernel.contract).then_some(strong)
}

/// The cases that a weak promise lacks until what is sharp is not so by chance.
fn lacking(check: &Check) -> usize {
    let reports = &check.evidence.reports;
    let sharp = reports.iter().filter(|report| report.is_sharp()).count();
    let enough = FEW.max((reports.len() + check.evidence.looked_through) / RARE);
    enough.min(reports.len()).saturating_sub(sharp)
}

/// Why a pass with hardly a sharp case is not evidence, if it is not.
pub fn reason(check: &Check) -> Option<String> {
    // a law has no rung
    if check.kernel.op.is_random() || check.options.case.is_some() || lacking(check) == 0 {
        return None;
    }
    let strong = stronger(check.kernel)?;
    let ran = check.evidence.reports.iter().filter(|r| matches!(r.verdict, Verdict::Pass | Verdict::Blind));
    let mut cases: Vec<Case> = ran.rev().take(LOOKED_AT).map(|report| report.case.clone()).collect();
    if !check.kernel.contract.fix.is_empty() {
        // what is given could have been otherwise
        let others = plan(&strong, Amount::QUICK).map_or(Vec::new(), |plan| plan.cases);
        let seeded = others.into_iter().rev().take(LOOKED_AT).enumerate();
        cases.extend(seeded.map(|(number, case)| Case { seed: case_seed(1, number as u64), ..case }));
    }
    let could = cases.iter().any(|case| is_sharp(&strong, case, check.functions()));
    could.then(|| {
        let contract = &check.kernel.contract;
        let mut what = vec![crate::rung::rungs((contract.compute, contract.accumulate), true).to_string()];
        what.extend(contract.round.iter().map(|(name, dtype)| format!("{} rounded to {dtype}", name.text)));
        what.extend(contract.fix.iter().map(|(name, value)| format!("{} = {value}", name.text)));
        let what = what.join(", ");
        let sharp = check.evidence.reports.iter().any(CaseReport::is_sharp);
        let few = if sharp { "hardly any case" } else { "no case" };
        format!(
            "{few} can tell what is promised ({what}) from less, although a stronger promise could be tested"
        )
    })
}

impl Check<'_> {
    /// Looks for cases that would show a coarser kernel, where the plan held too few and they are possible, and
    /// runs them. They are found by the twin alone.
    pub(crate) fn sharpen(&mut self, seed: u64) {
        if self.kernel.op.is_random()
            || self.evidence.verdict() != Verdict::Pass
            || self.stopped()
            || reason(self).is_none()
        {
            return;
        }
        let Ok(plan) = plan(self.kernel, Amount::default()) else { return };
        let mut number = self.evidence.reports.len();
        let mut found = Vec::new();
        for case in (0..ROUNDS).flat_map(|_| &plan.cases) {
            number += 1;
            self.evidence.looked_through += 1;
            let case = Case { seed: case_seed(seed, number as u64), ..case.clone() };
            if is_sharp(self.kernel, &case, self.functions()) {
                found.push(case);
            }
            if found.len() >= lacking(self) {
                break;
            }
        }
        self.group(&found);
    }
}

fn prepared<'a>(kernel: &'a Kernel, case: &Case, functions: Language) -> Option<Prepared<'a>> {
    crate::inputs::prepare(kernel, case).ok().map(|p| p.with_functions(functions))
}

/// Whether a kernel one rung coarser than this promise would be refused in this case.
fn is_sharp(strong: &Kernel, case: &Case, functions: Language) -> bool {
    let Some(prepared) = prepared(strong, case, functions) else { return false };
    let Ok(expected) = prepared.expected() else { return false };
    refused(&prepared, &[&expected]).iter().any(|mutant: &Mutant| mutant.is_rung())
}

/// Why a policy, or a contract, shows nothing: zeros would have passed in every case.
fn takes_all(check: &Check) -> Option<String> {
    let reports = &check.evidence.reports;
    let refuses = |report: &CaseReport| report.refuses.contains(&Mutant::Zeros);
    if check.options.case.is_some() || reports.iter().any(refuses) {
        return None;
    }
    if let Some(policy) = &check.kernel.contract.policy {
        return Some(format!("`{policy}` would let zeros pass in every case"));
    }
    let judged = !check.kernel.op.is_random() && reports.iter().any(|report| !report.refuses.is_empty());
    judged.then(|| "zeros are right in every case that the contract takes".into())
}

/// Why a policy shows nothing of precision: it lets numbers that are a quarter off pass in every ordinary case, where
/// the error bar would have told one rung from the next.
fn takes_a_quarter(check: &Check) -> Option<String> {
    let reports = &check.evidence.reports;
    let policy = check.kernel.contract.policy.as_ref()?;
    if check.kernel.op.is_random() || check.options.case.is_some() || reports.iter().any(CaseReport::is_sharp)
    {
        return None;
    }
    let mut by_bar = check.kernel.clone();
    by_bar.contract.policy = None;
    let refuses = |case: &Case| {
        let expected = prepared(check.kernel, case, check.functions()).and_then(|p| p.expected().ok());
        expected.is_some_and(|expected| mutants::refuses_a_quarter(&expected))
    };
    let ran = reports.iter().filter(|r| matches!(r.verdict, Verdict::Pass | Verdict::Blind));
    let ordinary = ran.map(|report| &report.case).filter(|case| case.regime.is_ordinary());
    let cases: Vec<&Case> = ordinary.rev().take(LOOKED_AT).collect();
    let weak = !cases.iter().any(|case| refuses(case))
        && cases.iter().any(|case| is_sharp(&by_bar, case, check.functions()));
    weak.then(|| format!("`{policy}` would let numbers that are a quarter off pass in every case"))
}

/// Why nothing that was seen is evidence. A law is shown by many outcomes, whatever each of them may be.
fn proves_nothing(check: &Check) -> Option<String> {
    report::proves_nothing(&check.evidence.reports).filter(|_| !check.kernel.op.is_random())
}

/// Why random outcomes show nothing: no test of their law was made.
fn no_law(check: &Check) -> Option<String> {
    let tests =
        check.evidence.reports.iter().filter_map(|r| r.law.as_ref()).map(|law| law.tests).sum::<usize>();
    let none = check.kernel.op.is_random() && tests == 0;
    none.then(|| "no case has outcomes by which its law could be told from another".into())
}

/// The verdict of a kernel whose cases are these, and the reason where it is weak.
pub fn judged(check: &Check, verdict: Verdict) -> (Verdict, Option<String>) {
    let weak = || {
        proves_nothing(check)
            .or_else(|| takes_all(check))
            .or_else(|| takes_a_quarter(check))
            .or_else(|| no_law(check))
            .or_else(|| reason(check))
    };
    match (verdict == Verdict::Pass).then(weak).flatten() {
        Some(reason) => (Verdict::Blind, Some(reason)),
        None => (verdict, None),
    }
}
