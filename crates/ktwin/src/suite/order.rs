//! Verdicts in the order of the jobs, whichever ends first. Other events pass at once.

use std::collections::{BTreeMap, BTreeSet};
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
    /// Jobs that were told of before their turn.
    early: BTreeSet<usize>,
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
                held.tell_those_next(self.emit);
            }
            other => (self.emit)(other),
        }
    }

    /// Tells all verdicts that are held back: those of earlier jobs may never come.
    pub fn rest(&self) {
        let mut held = self.lock();
        for (job, report) in std::mem::take(&mut held.waiting) {
            held.early.insert(job);
            held.tell(self.emit, report);
        }
    }

    /// What was told, in order, `missing` jobs included; their reports are made by number.
    pub fn end(self, jobs: usize, missing: impl Fn(usize) -> KernelReport) -> Vec<KernelReport> {
        let mut held = self.lock();
        while held.next < jobs.max(held.waiting.keys().last().map_or(0, |last| last + 1)) {
            let next = held.next;
            if !held.early.contains(&next) {
                let report = held.waiting.remove(&next).unwrap_or_else(|| missing(next));
                held.tell(self.emit, report);
            }
            held.next += 1;
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
    }

    fn tell_those_next(&mut self, emit: &(dyn Fn(Event) + Sync)) {
        loop {
            let next = self.next;
            match self.waiting.remove(&next) {
                Some(report) => self.tell(emit, report),
                None if self.early.contains(&next) => {}
                None => return,
            }
            self.next += 1;
        }
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

    #[test]
    fn what_is_held_back_can_be_told_before_its_turn() {
        let seen = Mutex::new(Vec::new());
        let emit = |event: Event| {
            if let Event::Verdict(report) = event {
                seen.lock().unwrap().push(report.kernel);
            }
        };
        let order = InOrder::new(&emit);
        order.emit(1, Event::Verdict(Box::new(report("b"))));
        order.rest();
        assert_eq!(*seen.lock().unwrap(), ["b"]);
        for (job, name) in [(0, "a"), (3, "d")] {
            order.emit(job, Event::Verdict(Box::new(report(name))));
        }
        let told = order.end(4, |job| report(&format!("missing {job}")));
        let names: Vec<&str> = told.iter().map(|r| r.kernel.as_str()).collect();
        assert_eq!(names, ["b", "a", "missing 2", "d"]);
    }
}
