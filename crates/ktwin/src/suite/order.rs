//! Verdicts in the order of the jobs, whichever ends first. Other events pass at once.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard};

use ktwin_check::{Event, KernelReport};

/// Hands events on.
pub struct InOrder<'a> {
    emit: &'a (dyn Fn(Event) + Sync),
    held: Mutex<Held>,
}

#[derive(Default)]
struct Held {
    /// The job whose verdict comes next.
    next: usize,
    waiting: BTreeMap<usize, KernelReport>,
    told: Vec<KernelReport>,
}

impl<'a> InOrder<'a> {
    /// Events go to `emit`.
    pub fn new(emit: &'a (dyn Fn(Event) + Sync)) -> InOrder<'a> {
        InOrder { emit, held: Mutex::default() }
    }

    /// An event of a job. Verdicts are held back until those of all earlier jobs have been told.
    pub fn emit(&self, job: usize, event: Event) {
        match event {
            Event::Verdict(report) => {
                let mut held = self.lock();
                held.waiting.insert(job, *report);
                while let Some(report) = {
                    let next = held.next;
                    held.waiting.remove(&next)
                } {
                    held.tell(self.emit, report);
                }
            }
            other => (self.emit)(other),
        }
    }

    /// What was told, in order, `missing` jobs included; their reports are made by number.
    pub fn end(self, jobs: usize, missing: impl Fn(usize) -> KernelReport) -> Vec<KernelReport> {
        let mut held = self.lock();
        while held.next < jobs.max(held.waiting.keys().last().map_or(0, |last| last + 1)) {
            let next = held.next;
            let report = held.waiting.remove(&next).unwrap_or_else(|| missing(next));
            held.tell(self.emit, report);
        }
        std::mem::take(&mut held.told)
    }

    fn lock(&self) -> MutexGuard<'_, Held> {
        self.held.lock().unwrap_or_else(|e| e.into_inner())
    }
}

impl Held {
    fn tell(&mut self, emit: &(dyn Fn(Event) + Sync), report: KernelReport) {
        emit(Event::Verdict(Box::new(report.clone())));
        self.told.push(report);
        self.next += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report(kernel: &str) -> KernelReport {
        KernelReport { kernel: kernel.into(), ..KernelReport::default() }
    }

    #[test]
    fn verdicts_come_in_order_and_none_is_missing() {
        let seen = Mutex::new(Vec::new());
        let emit = |event: Event| {
            if let Event::Verdict(report) = event {
                seen.lock().unwrap().push(report.kernel);
            }
        };
        let order = InOrder::new(&emit);
        for (job, name) in [(2, "c"), (0, "a"), (4, "e")] {
            order.emit(job, Event::Verdict(Box::new(report(name))));
        }
        assert_eq!(*seen.lock().unwrap(), ["a"]);
        let told = order.end(6, |job| report(&format!("missing {job}")));
        let names: Vec<&str> = told.iter().map(|r| r.kernel.as_str()).collect();
        assert_eq!(names, ["a", "missing 1", "c", "missing 3", "e", "missing 5"]);
        assert_eq!(*seen.lock().unwrap(), names);
    }
}
