//! Findings as they are made: merged by line, the first one kept as the example.

use crate::api::finding::{Access, Finding, FindingKind, OtherAccess, Severity};
use crate::ir::{NONE, Program};
use std::collections::BTreeMap;

/// What findings are merged by: kind, line, memory object.
pub type Key = (FindingKind, u32, u32);

/// The other access of a race, by number.
#[derive(Clone, Copy, Debug)]
pub struct Other {
    pub at: u32,
    pub access: Access,
    pub group: u64,
    pub lane: u32,
}

/// One finding, by number.
#[derive(Clone, Debug)]
pub struct Report {
    pub kind: FindingKind,
    pub mem: u32,
    pub offset: Option<u64>,
    pub access: Option<Access>,
    pub group: u64,
    pub lane: u32,
    pub other: Option<Other>,
    pub count: u64,
    /// A read that nothing depends on.
    pub dropped: bool,
    /// A workgroup was stopped for it.
    pub stopped: bool,
    pub message: String,
}

/// All findings of one worker.
#[derive(Clone, Debug, Default)]
pub struct Reports {
    entries: BTreeMap<Key, Report>,
}

impl Reports {
    /// Adds a finding at a line; the earliest workgroup's is kept as the example.
    pub fn add(&mut self, line: u32, report: Report) {
        match self.entries.entry((report.kind, line, report.mem)) {
            std::collections::btree_map::Entry::Vacant(slot) => {
                slot.insert(report);
            }
            std::collections::btree_map::Entry::Occupied(mut slot) => {
                let count = slot.get().count + report.count;
                if report.group < slot.get().group {
                    slot.insert(report);
                }
                slot.get_mut().count = count;
            }
        }
    }

    /// Counts one more of a finding that is there already.
    pub fn again(&mut self, key: Key, group: u64, count: u64) -> bool {
        match self.entries.get_mut(&key) {
            Some(report) if report.group <= group => {
                report.count += count;
                true
            }
            _ => false,
        }
    }

    pub fn merge(&mut self, other: Reports) {
        for ((_, line, _), report) in other.entries {
            self.add(line, report);
        }
    }

    /// Keeps the findings that a condition on kind and memory object is for.
    pub fn retain(&mut self, keep: impl Fn(FindingKind, u32) -> bool) {
        self.entries.retain(|(kind, _, mem), _| keep(*kind, *mem));
    }

    pub fn has(&self, kind: FindingKind) -> bool {
        self.entries.keys().any(|key| key.0 == kind)
    }

    /// Nothing depends on the reads of this finding.
    pub fn drop_reads(&mut self, key: Key) {
        if let Some(report) = self.entries.get_mut(&key) {
            report.dropped = true;
            report.message += ", but nothing depends on what it gives";
        }
    }

    /// A workgroup was stopped for this finding.
    pub fn stopped(&mut self, key: Key) {
        if let Some(report) = self.entries.get_mut(&key) {
            report.stopped = true;
            report.message += "; after so many of them the workgroup was stopped";
        }
    }

    /// The findings in words, errors first, then by line.
    pub fn finish(self, prog: &Program, grid: [u32; 3]) -> Vec<Finding> {
        let source = &prog.source;
        let place = |group: u64| {
            let (x, y) = (u64::from(grid[0].max(1)), u64::from(grid[1].max(1)));
            [(group % x) as u32, (group / x % y) as u32, (group / x / y) as u32]
        };
        let mut out: Vec<Finding> = self
            .entries
            .into_iter()
            .map(|((kind, line, mem), report)| Finding {
                kind,
                severity: if report.dropped { Severity::Note } else { kind.severity(prog.rules.defined) },
                line,
                text: source.text(line),
                buffer: (mem != NONE).then(|| prog.mems[mem as usize].name.clone()),
                offset: report.offset,
                access: report.access,
                workgroup: place(report.group),
                lane: report.lane,
                other: report.other.map(|other| OtherAccess {
                    line: source.line(other.at),
                    text: source.text(source.line(other.at)),
                    access: other.access,
                    workgroup: place(other.group),
                    lane: other.lane,
                }),
                count: report.count,
                stopped: report.stopped,
                message: report.message,
            })
            .collect();
        out.sort_by_key(|f| (f.severity, f.line, f.kind));
        out
    }
}
