//! Events for people: one quiet line for a passing kernel, all that helps for a failing one. Sees events
//! only.

use ktwin::explain::{by_policy, explained_in, measures, note, promised, sanitized, summary, visible};
use ktwin_check::{Event, KernelReport, Level, Totals, Verdict};
use ktwin_num::plural;

use super::paint::{Colour, Paint};
use super::progress::Bar;
use crate::outcome::say_painted;
use crate::wrap::{self, wrapped};

/// Prints events as they come.
pub struct Reporter {
    verbose: bool,
    /// Whether one kernel is tested, of which more is told.
    alone: bool,
    /// How thorough plans are: a pass says so where it is not the usual.
    level: Level,
    paint: Paint,
    /// Columns of the terminal; none where the output is no terminal: then nothing is wrapped.
    columns: Option<usize>,
    bar: Bar,
    /// Reasons, each with the kernels that it concerns.
    skipped: Vec<(String, Vec<String>)>,
    /// Kernels that are wrong, to be listed at the end.
    bad: Vec<String>,
}

impl Reporter {
    /// A reporter for standard output.
    pub fn new(verbose: bool, level: Level, paint: Paint) -> Reporter {
        let columns = wrap::columns();
        let (alone, bar, skipped, bad) = (false, Bar::new(), Vec::new(), Vec::new());
        Reporter { verbose, alone, level, paint, columns, bar, skipped, bad }
    }

    /// Shows one event.
    pub fn see(&mut self, event: &Event) {
        match event {
            Event::Run(run) => {
                self.alone = run.kernels == 1;
                self.bar.begin(run.kernels);
            }
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
        self.bar.say(&self.text(report));
    }

    /// All that is told of a kernel.
    fn text(&self, report: &KernelReport) -> String {
        let colour = match report.verdict {
            Verdict::Pass => Colour::Green,
            Verdict::Blind | Verdict::Skip | Verdict::Expected => Colour::Yellow,
            _ => Colour::Red,
        };
        let plan = if report.verdict == Verdict::Pass { planned(self.level) } else { String::new() };
        let head = self.wrapped(&format!("{:<5} {}{plan}", report.verdict, summary(report)), INDENT);
        let word = format!("{:<5}", report.verdict);
        let mut text = format!("{}{}\n", self.paint.paint(colour, &word), &head[word.len()..]);
        // what is known needs no telling again
        let known = report.verdict == Verdict::Expected && !self.verbose;
        let wrong = explained_in(report, self.columns.unwrap_or(0)).into_iter().filter(|_| !known);
        for line in promised(report).into_iter().chain(wrong) {
            text.push_str(&self.beneath(&line));
        }
        // who brings a rule of their own knows errors by other measures than shares of a bar
        let told = by_policy(report) || report.failure.is_some() || self.alone;
        if told && !known || self.verbose {
            measures(report).iter().for_each(|line| text.push_str(&self.beneath(line)));
        }
        sanitized(report).iter().for_each(|line| text.push_str(&self.beneath(&visible(line))));
        if self.verbose {
            for gap in &report.gaps {
                text.push_str(
                    &self
                        .paint
                        .paint(Colour::Dim, self.beneath(&format!("gap: {}", visible(gap))).trim_end()),
                );
                text.push('\n');
            }
            for one in &report.resources {
                text.push_str(&self.beneath(&format!("resources: {}", visible(&one.to_string()))));
            }
            let notes = report.notes.iter().flat_map(note);
            notes.for_each(|line| text.push_str(&self.beneath(&format!("note: {}", visible(&line)))));
        }
        text
    }

    /// A line below that of its kernel. Tables, maps and code stay as they are, and so do commands, which are copied.
    fn beneath(&self, line: &str) -> String {
        let line = format!("{:INDENT$}{line}", "");
        let is_fixed = line[INDENT..].starts_with("  ") || line[INDENT..].starts_with("repeat: ");
        let line = if is_fixed { line } else { self.wrapped(&line, INDENT + 2) };
        line + "\n"
    }

    /// A text in lines as wide as the terminal, all but the first indented.
    fn wrapped(&self, text: &str, hang: usize) -> String {
        match self.columns {
            Some(columns) => wrapped(text, columns.max(hang + 20), hang),
            None => text.to_string(),
        }
    }

    fn done(&mut self, totals: &Totals) {
        self.bar.finish();
        say_painted(&self.closing(totals));
    }

    /// What is told at the end: skips, failures, how many there were of each.
    fn closing(&self, totals: &Totals) -> String {
        let mut text = String::new();
        for (reason, kernels) in &self.skipped {
            let named: Vec<String> = kernels.iter().take(NAMED).map(|kernel| visible(kernel)).collect();
            let which = match kernels.len().saturating_sub(NAMED) {
                0 => named.join(", "),
                more => format!("{} and {} more (-v has all)", named.join(", "), plural(more, "kernel")),
            };
            let line = self.wrapped(&format!("skip  {which}: {}", visible(reason)), INDENT);
            text.push_str(&format!(
                "{}{}\n",
                self.paint.paint(Colour::Yellow, "skip "),
                &line["skip ".len()..]
            ));
        }
        // one failure needs no list
        if self.bad.len() > 1 {
            text.push_str("\nfailed:\n");
            self.bad.iter().for_each(|line| text.push_str(&format!("  {}\n", visible(line))));
            text.push('\n');
        }
        text + &format!("{} in {:.2} s\n", counted(totals), totals.seconds)
    }
}

/// Of kernels that are skipped for one reason, so many are named.
const NAMED: usize = 4;
/// What stands before lines below that of their kernel.
const INDENT: usize = 6;

/// Which plan ran, where it is not the usual one: `, quick plan`.
pub fn planned(level: Level) -> String {
    if level == Level::Usual { String::new() } else { format!(", {} plan", level.name()) }
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
        (true, true) => "stopped before any kernel was judged".to_owned(),
        (true, false) => "nothing ran".to_owned(),
        (false, stopped) => shown.join(", ") + if stopped { ", stopped before the end" } else { "" },
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::super::paint::When;
    use super::*;

    /// A kernel of this repository by the quick plan with one seed, its path as seen from the repository.
    fn report(kernel: &str) -> KernelReport {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let report = ktwin::kernel(root.join(kernel)).quick().seed(1).run().unwrap();
        let text = serde_json::to_string(&report).unwrap().replace(&format!("{}/", root.display()), "");
        KernelReport { seconds: 0.25, ..serde_json::from_str(&text).unwrap() }
    }

    /// What a run over a kernel that passes, one that fails and one that is skipped prints.
    fn shown(reports: &[KernelReport], columns: usize) -> String {
        let mut reporter = Reporter::new(false, Level::Quick, Paint::new(When::Never));
        reporter.columns = Some(columns);
        let mut text = String::new();
        for report in reports {
            if report.verdict == Verdict::Skip {
                reporter.skipped.push((report.reason.clone(), vec![report.kernel.clone()]));
            } else {
                text.push_str(&reporter.text(report));
            }
        }
        let totals = Totals { pass: 1, fail: 1, skip: 1, seconds: 0.75, ..Totals::default() };
        text + &reporter.closing(&totals)
    }

    #[test]
    fn what_people_see_in_80_and_160_columns() {
        let why = "no device named runs .cu files: sim runs .comp, .glsl, .ptx, .spv and .wgsl files, native runs \
                   .c files";
        let skip = KernelReport {
            kernel: "kernels/cuda/softmax.cu".into(),
            verdict: Verdict::Skip,
            reason: why.into(),
            ..KernelReport::default()
        };
        let reports =
            [report("kernels/wgsl/rmsnorm.wgsl"), report("faults/rmsnorm_weight_by_row.wgsl"), skip];
        for columns in [80, 160] {
            let text = shown(&reports, columns);
            let own = |line: &&str| !line.contains("repeat: ") && line.chars().count() > columns;
            assert_eq!(text.lines().find(own), None);
            let file =
                Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/words/terminal_{columns}.txt"));
            if std::env::var_os("KTWIN_UPDATE").is_some() {
                std::fs::write(&file, &text).unwrap();
            }
            let due = std::fs::read_to_string(&file).unwrap_or_default();
            assert_eq!(text, due, "{}: KTWIN_UPDATE=1 writes it anew", file.display());
        }
    }
}
