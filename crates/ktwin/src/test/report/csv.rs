//! A run as a table for programs: a line for each kernel on each device.

use ktwin::explain::{explained, measures};
use ktwin_check::{KernelReport, Level};

use super::Told;
use crate::page::{harmless, quoted};

const HEAD: &str = "kernel,op,device,verdict,cases,passed,failed,sharp,ratio,gaps,seed,seconds,why,measures,blind,\
                    skipped,not_judged,plan,policy";

/// The whole table.
pub fn table(told: &Told) -> String {
    let plan = told.level.map_or("one case", Level::name);
    let lines = told.reports.iter().map(|report| line(report, plan));
    std::iter::once(HEAD.to_string()).chain(lines).map(|line| line + "\r\n").collect()
}

fn line(report: &KernelReport, plan: &str) -> String {
    let why = explained(report).into_iter().next().unwrap_or_else(|| report.reason.clone());
    let cells = [
        harmless(&report.kernel),
        harmless(&report.op),
        harmless(&report.device),
        report.verdict.to_string(),
        report.cases.total().to_string(),
        report.cases.pass.to_string(),
        report.cases.fail.to_string(),
        report.sharp.to_string(),
        // of what passed: a kernel that is wrong has none
        if report.cases.fail > 0 { String::new() } else { report.ratio.to_string() },
        report.gaps.len().to_string(),
        report.seed.map_or(String::new(), |seed| seed.to_string()),
        format!("{:.3}", report.seconds),
        harmless(why.lines().next().unwrap_or("")),
        measures(report).join("; "),
        report.cases.blind.to_string(),
        report.cases.skip.to_string(),
        report.cases.error.to_string(),
        plan.to_owned(),
        harmless(report.promise.as_ref().and_then(|promise| promise.policy.as_deref()).unwrap_or("")),
    ];
    cells.iter().map(|cell| quoted(cell)).collect::<Vec<_>>().join(",")
}

#[cfg(test)]
mod tests {
    use ktwin_check::Totals;

    use super::*;

    fn of_one(report: KernelReport) -> String {
        let (totals, level) = (Totals::default(), Some(Level::Quick));
        table(&Told { reports: &[report], totals: &totals, cases: &[], allow_skip: false, level })
    }

    #[test]
    fn a_comma_does_not_make_a_cell() {
        let report =
            KernelReport { kernel: "a,\"b\".c".into(), reason: "x, y\nz".into(), ..KernelReport::default() };
        let text = of_one(report);
        let line = text.lines().nth(1).unwrap();
        assert!(line.starts_with("\"a,\"\"b\"\".c\",,,error,0,"), "{line}");
        assert!(line.ends_with("0.000,\"x, y\",,0,0,0,quick,"), "{line}");
    }

    #[test]
    fn nothing_is_a_formula_or_acts_on_a_terminal() {
        let report = KernelReport { kernel: "=cmd|x\u{1b}[2J.c".into(), ..KernelReport::default() };
        let text = of_one(report);
        assert!(text.lines().nth(1).unwrap().starts_with("'=cmd|x\\u{1b}[2J.c,"), "{text}");
    }
}
