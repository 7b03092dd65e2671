//! Events for people: one quiet line for a passing kernel, all that helps for a failing one. Sees events
//! only.

use ktwin::explain::{explained, note, promised, summary, visible};
use ktwin_check::{Event, KernelReport, Level, Totals, Verdict};
use ktwin_num::plural;

use super::paint::{Colour, Paint};
use super::progress::Bar;
use crate::outcome::say;

/// Prints events as they come.
pub struct Reporter {
    verbose: bool,
    /// How thorough plans are: a pass says so where it is not the usual.
    level: Level,
    paint: Paint,
    bar: Bar,
    /// Reasons, each with the kernels that it concerns.
    skipped: Vec<(String, Vec<String>)>,
    /// Kernels that are wrong, to be listed at the end.
    bad: Vec<String>,
}

impl Reporter {
    /// A reporter for standard output.
    pub fn new(verbose: bool, level: Level, paint: Paint) -> Reporter {
        Reporter { verbose, level, paint, bar: Bar::new(), skipped: Vec::new(), bad: Vec::new() }
    }

    /// Shows one event.
    pub fn see(&mut self, event: &Event) {
        match event {
            Event::Run(run) => self.bar.begin(run.kernels),
            Event::Kernel(_) => {}
            Event::Case(case) => self.bar.case(&case.kernel),
            Event::Verdict(report) => self.verdict(report),
            Event::Done(totals) => self.done(totals),
        }
    }

    fn verdict(&mut self, report: &KernelReport) {
        self.bar.kernel();
        if report.verdict == Verdict::Skip && !self.verbose {
            // said once for all of them, at the end
            match self.skipped.iter_mut().find(|(reason, _)| *reason == report.reason) {
                Some((_, kernels)) => kernels.push(report.kernel.clone()),
                None => self.skipped.push((report.reason.clone(), vec![report.kernel.clone()])),
            }
            return;
        }
        if report.verdict.is_bad() {
            let on = if report.op.is_empty() {
                &report.device
            } else {
                &format!("{} on {}", report.op, report.device)
            };
            self.bad.push(format!("{:<7} {}  {on}", report.verdict, report.kernel));
        }
        let colour = match report.verdict {
            Verdict::Pass => Colour::Green,
            Verdict::Blind | Verdict::Skip | Verdict::Expected => Colour::Yellow,
            _ => Colour::Red,
        };
        let word = self.paint.paint(colour, &format!("{:<5}", report.verdict));
        let unusual = self.level != Level::Usual && report.verdict == Verdict::Pass;
        let plan = if unusual { format!(", {} plan", self.level.name()) } else { String::new() };
        let mut text = format!("{word} {}{plan}\n", summary(report));
        // what is known needs no telling again
        let known = report.verdict == Verdict::Expected && !self.verbose;
        for line in promised(report).into_iter().chain(explained(report).into_iter().filter(|_| !known)) {
            text.push_str(&format!("      {line}\n"));
        }
        if self.verbose {
            for gap in &report.gaps {
                text.push_str(&self.paint.paint(Colour::Dim, &format!("      gap: {gap}")));
                text.push('\n');
            }
            for one in &report.resources {
                text.push_str(&format!("      resources: {}\n", visible(&one.to_string())));
            }
            let notes = report.notes.iter().flat_map(note);
            notes.for_each(|line| text.push_str(&format!("      note: {}\n", visible(&line))));
        }
        self.bar.say(&text);
    }

    fn done(&mut self, totals: &Totals) {
        self.bar.finish();
        let mut text = String::new();
        for (reason, kernels) in &self.skipped {
            let skip = self.paint.paint(Colour::Yellow, "skip ");
            let which = match &kernels[..] {
                [only] => visible(only),
                several => plural(several.len(), "kernel"),
            };
            text.push_str(&format!("{skip} {which}: {}\n", visible(reason)));
        }
        // one failure needs no list
        if self.bad.len() > 1 {
            text.push_str("\nfailed:\n");
            self.bad.iter().for_each(|line| text.push_str(&format!("  {}\n", visible(line))));
            text.push('\n');
        }
        text.push_str(&format!("{} in {:.2} s\n", counted(totals), totals.seconds));
        say(&text);
    }
}

/// How many kernels of each verdict: `2 passed, 1 failed`.
pub fn counted(totals: &Totals) -> String {
    let counts = [
        (totals.pass, "passed"),
        (totals.expected, "failed as expected"),
        (totals.fail, "failed"),
        (totals.invalid, "invalid"),
        (totals.blind, "blind"),
        (totals.skip, "skipped"),
        (totals.error, "not judged"),
    ];
    let shown = counts.iter().filter(|(n, _)| *n > 0).map(|(n, what)| format!("{n} {what}"));
    let shown: Vec<String> = shown.collect();
    match (shown.is_empty(), totals.stopped) {
        (true, true) => "stopped before any verdict".to_owned(),
        (true, false) => "nothing ran".to_owned(),
        (false, stopped) => shown.join(", ") + if stopped { ", stopped before the end" } else { "" },
    }
}
