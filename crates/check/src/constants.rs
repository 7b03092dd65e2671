//! A kernel with several sets of constants: tested with each of them in turn, and one report of it all.

use crate::event::{Counts, KernelReport};
use crate::kernel::Kernel;
use crate::verdict::Verdict;

/// Tests a kernel with each set until one is wrong. What is said of several is the worst that is said of any.
pub fn each(kernel: &Kernel, one: impl Fn(&Kernel) -> KernelReport) -> KernelReport {
    let mut whole: Option<KernelReport> = None;
    for set in kernel.each() {
        let mut report = one(&set);
        // a device that is missing is missing with every set
        if !matches!(report.verdict, Verdict::Pass | Verdict::Skip) {
            let reasons = report.failure.iter_mut().map(|failure| &mut failure.reason);
            reasons.chain([&mut report.reason]).for_each(|reason| *reason = named(&set, reason));
        }
        let bad = report.verdict.is_bad();
        whole = Some(whole.map_or(report.clone(), |before| joined(before, report)));
        if bad {
            break;
        }
    }
    whole.unwrap_or_default()
}

/// A reason with its set in words: `with BLOCK = 64, num_warps = 2: …`.
fn named(kernel: &Kernel, reason: &str) -> String {
    let define = kernel.contract.define.iter();
    let words = define.map(|(name, value)| format!("{} = {value}", name.text)).collect::<Vec<_>>().join(", ");
    let rest = if reason.is_empty() { String::new() } else { format!(": {reason}") };
    format!("with {words}{rest}")
}

/// The worse of two reports, with the cases of both.
fn joined(before: KernelReport, next: KernelReport) -> KernelReport {
    let rank = |report: &KernelReport| (report.verdict, report.ratio);
    let (mut out, other) = if rank(&next) >= rank(&before) { (next, before) } else { (before, next) };
    let (a, b) = (out.cases, other.cases);
    out.cases = Counts {
        pass: a.pass + b.pass,
        blind: a.blind + b.blind,
        skip: a.skip + b.skip,
        error: a.error + b.error,
        fail: a.fail + b.fail,
    };
    out.sharp += other.sharp;
    out.ratio = out.ratio.max(other.ratio);
    out.gaps.extend(other.gaps);
    out.gaps.sort();
    out.gaps.dedup();
    out.resources.extend(other.resources);
    out.sanitized = out.sanitized.take().or(other.sanitized);
    out.notes.extend(other.notes);
    out
}
