//! What a run that is cut short knows of the kernels that it did not finish: which cases ran, what was wrong in them,
//! and which kernels had no turn. Sees events; prints nothing.

use std::time::Instant;

use ktwin::suite;
use ktwin_check::{CaseEnded, Counts, Event, FailureReport, KernelReport, KernelStarted, Verdict};

/// Kernels that were begun and have no verdict yet.
#[derive(Default)]
pub struct Unfinished {
    begun: Vec<Begun>,
}

/// One of them.
struct Begun {
    started: KernelStarted,
    since: Instant,
    cases: Counts,
    sharp: usize,
    wrong: Option<Box<CaseEnded>>,
}

impl Unfinished {
    /// Takes note of an event.
    pub fn see(&mut self, event: &Event) {
        match event {
            Event::Kernel(started) => {
                let (started, cases) = (started.clone(), Counts::default());
                self.begun.push(Begun { started, since: Instant::now(), cases, sharp: 0, wrong: None });
            }
            Event::Case(case) => {
                let of = |b: &&mut Begun| b.started.kernel == case.kernel && b.started.device == case.device;
                if let Some(begun) = self.begun.iter_mut().find(of) {
                    begun.ended(case);
                }
            }
            Event::Verdict(report) => {
                let of = |b: &Begun| b.started.kernel == report.kernel && b.started.device == report.device;
                if let Some(at) = self.begun.iter().position(of) {
                    self.begun.remove(at);
                }
            }
            Event::Run(_) | Event::Done(_) => {}
        }
    }

    /// Reports on all kernels, each with its device, that have none yet.
    pub fn reports(&self, all: &[(String, String)], told: &[KernelReport]) -> Vec<KernelReport> {
        let is_told = |(kernel, device): &&(String, String)| {
            told.iter().any(|report| report.kernel == *kernel && report.device == *device)
        };
        let report = |(kernel, device): &(String, String)| {
            let of = |b: &&Begun| b.started.kernel == *kernel && b.started.device == *device;
            match self.begun.iter().find(of) {
                Some(begun) => begun.report(),
                None => suite::untried(kernel, device, suite::STOPPED),
            }
        };
        all.iter().filter(|job| !is_told(job)).map(report).collect()
    }
}

impl Begun {
    fn ended(&mut self, case: &CaseEnded) {
        self.cases.add(case.verdict);
        self.sharp += usize::from(case.sharp);
        if case.verdict.is_bad() && self.wrong.is_none() {
            self.wrong = Some(Box::new(case.clone()));
        }
    }

    fn report(&self) -> KernelReport {
        let Begun { started, since, cases, sharp, wrong } = self;
        // what a plan ran is followed by cases that are sought
        let done = match cases.total() {
            total if total < started.cases => format!("stopped after {total} of {} cases", started.cases),
            _ => format!("stopped after all {} cases, before what follows them", started.cases),
        };
        let (verdict, reason, failure) = match wrong {
            None => (Verdict::Skip, format!("{done}, none wrong"), None),
            Some(case) => {
                let reason = format!("{done}, before it was found why");
                let failure = FailureReport {
                    case: Some(case.case.clone()),
                    repeat: case.repeat.clone(),
                    findings: case.findings.clone(),
                    reason: if case.reason.is_empty() {
                        reason.clone()
                    } else {
                        format!("{}; {reason}", case.reason)
                    },
                    ..FailureReport::default()
                };
                (case.verdict, reason, Some(failure))
            }
        };
        KernelReport {
            kernel: started.kernel.clone(),
            op: started.op.clone(),
            device: started.device.clone(),
            seed: Some(started.seed),
            cases: *cases,
            sharp: *sharp,
            seconds: since.elapsed().as_secs_f64(),
            verdict,
            reason,
            failure,
            ..KernelReport::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn begun(kernel: &str) -> Event {
        let (kernel, op, device) = (kernel.into(), "silu".into(), "sim".into());
        Event::Kernel(KernelStarted { kernel, op, device, cases: 9, seed: 7 })
    }

    fn verdict(kernel: &str) -> KernelReport {
        let device = "sim".to_string();
        KernelReport { kernel: kernel.into(), device, ..KernelReport::default() }
    }

    #[test]
    fn every_kernel_gets_a_report_that_says_how_far_it_came() {
        let mut left = Unfinished::default();
        for event in [begun("a"), begun("b"), Event::Verdict(Box::new(verdict("a")))] {
            left.see(&event);
        }
        let all = ["a", "b", "c"].map(|name| (name.to_string(), "sim".to_string()));
        let reports = left.reports(&all, &[verdict("a")]);
        let said: Vec<(&str, Verdict, &str)> =
            reports.iter().map(|r| (r.kernel.as_str(), r.verdict, r.reason.as_str())).collect();
        let cut = ("b", Verdict::Skip, "stopped after 0 of 9 cases, none wrong");
        assert_eq!(
            said,
            [
                cut,
                (
                    "c",
                    Verdict::Skip,
                    "not run: the run was stopped before any case of it ran (by hand or by --time)"
                )
            ]
        );
    }
}
