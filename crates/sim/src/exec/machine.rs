//! The state of one worker of the machine: the registers of the lanes that run now, memory, clocks, findings.

use super::lanes::{ROW, Regs, Row};
use super::mem::object::Mem;
use super::mem::site::Site;
use super::report::{Report, Reports};
use crate::api::finding::{Access, FindingKind};
use crate::api::options::Mode;
use crate::ir::scalar::Scalar;
use crate::ir::{AtomicFun, Bin, Fmt, Gather, NONE, Program, Scan, Ty, Warp};
use std::sync::Arc;

/// Barrier intervals without a race at a new place after which the others are most likely known.
const QUIET: u32 = 16;

/// Rows that go together at most: 1024 lanes.
pub const MOST_ROWS: usize = 32;

/// What stays the same during a launch.
#[derive(Clone, Debug)]
pub struct Shape {
    pub size: [u32; 3],
    pub grid: [u32; 3],
    /// Lanes of a workgroup.
    pub lanes: u32,
    pub warp: u32,
    /// Lanes that a row holds: all 32, or one narrow warp.
    pub row_lanes: u32,
    /// Rows of a workgroup.
    pub rows: usize,
    /// Rows that run together.
    pub gang: usize,
}

/// Barrier intervals, numbered; each workgroup begins with a new one.
#[derive(Clone, Copy, Debug, Default)]
pub struct Clock {
    pub tick: u32,
    /// The first interval of this workgroup.
    pub start: u32,
}

/// Who came to the barriers of a workgroup.
#[derive(Default)]
pub struct Arrived {
    /// Lanes that came to each named one without waiting there.
    pub lanes: [u32; 16],
    /// Two barriers at which lanes were taken for having met at one.
    pub met: Option<[u32; 2]>,
}

/// One worker's state.
pub struct Machine {
    pub arch: pulp::Arch,
    pub prog: Arc<Program>,
    pub shape: Shape,
    pub regs: Regs,
    /// Active lanes of each row of the running gang.
    pub mask: [u32; MOST_ROWS],
    /// Lanes of each row of the running gang that have ended.
    pub ended: [u32; MOST_ROWS],
    /// Rows with active lanes.
    pub live: [u8; MOST_ROWS],
    pub live_len: usize,
    /// The first row of the running gang in its workgroup.
    pub first_row: usize,
    pub group: [u32; 3],
    pub group_index: u64,
    pub mems: Vec<Mem>,
    pub sites: Vec<Site>,
    /// How the elements of each access lie.
    pub formats: Vec<Fmt>,
    /// What each access does, where it is atomic.
    pub atomics: Vec<(AtomicFun, Ty)>,
    /// The same for reductions and scans.
    pub scans: Vec<(Scan, Bin, Ty)>,
    /// The same for shuffles.
    pub gathers: Vec<Gather>,
    /// The same for functions that are not exact.
    pub roughs: Vec<super::rough::Rough>,
    /// The same for functions of one lane, each with a number of its own; and for operations of warps.
    pub scalars: Vec<(Scalar, u64)>,
    pub warps: Vec<Warp>,
    pub mode: Mode,
    /// What fences, atomics and warp barriers order.
    pub knowledge: super::mem::order::Knowledge,
    /// What was there before the launch.
    pub early: super::mem::early::Early,
    /// Asynchronous copies that are not done.
    pub flights: super::mem::flight::Flights,
    /// What warps have put down for a matrix product: slots of as many rows as a gang has.
    pub tray: Vec<Row<u32>>,
    /// Active lanes and warps, of the running gang.
    pub active_lanes: u64,
    pub active_warps: u64,
    /// How often each block ran: by warps and by lanes.
    pub blocks: Vec<(u64, u64)>,
    /// Something was done that other workgroups see, where they go on in turns.
    pub touched: bool,
    /// What watched comparisons compared.
    pub compared: Vec<super::compared::Site>,
    /// Barriers passed.
    pub barriers: Vec<u64>,
    /// Steps that the workgroup may still run.
    pub budget: u64,
    /// The most that a workgroup took so far.
    pub used: u64,
    pub shared_clock: Clock,
    pub global_clock: Clock,
    /// The interval of buffers that the last barrier began.
    pub barrier_tick: u32,
    /// Who came to barriers.
    pub arrived: Arrived,
    /// First interval and number of each workgroup that ran, for the names in races.
    pub history: Vec<(u32, u64)>,
    pub reports: Reports,
    /// What it did out of bounds.
    pub astray: super::astray::Astray,
    /// Remember where each access came from, and look for births of NaN.
    pub detail: bool,
    pub counts: bool,
    /// A NaN or an infinity was stored.
    pub odd_stored: bool,
    pub notes: bool,
    pub seed: u64,
    /// Follows what reads gave that went wrong.
    pub watch: Option<Box<super::dropped::Watch>>,
    /// Reads of the running step that went wrong, by lane; no lane where something else did at the same line.
    pub vain: Option<Vec<(Option<u32>, super::report::Key)>>,
}

impl Machine {
    /// The lane's index in the workgroup.
    pub fn lane(&self, row: usize, i: usize) -> u32 {
        (self.first_row + row) as u32 * self.shape.row_lanes + i as u32
    }

    /// Sets the active lanes.
    pub fn activate(&mut self, mask: &[u32; MOST_ROWS], rows: usize) {
        self.mask = *mask;
        self.live_len = 0;
        for (row, &bits) in mask.iter().enumerate().take(rows) {
            if bits != 0 {
                self.live[self.live_len] = row as u8;
                self.live_len += 1;
            }
        }
        self.active_lanes = self.active();
        self.active_warps = match self.shape.warp {
            32 => self.live_len as u64,
            64 => {
                let pairs = mask.chunks(2).take(rows.div_ceil(2));
                pairs.filter(|pair| pair.iter().any(|&bits| bits != 0)).count() as u64
            }
            width => mask.iter().take(rows).map(|&bits| narrow_warps(bits, width)).sum(),
        };
    }

    /// Active lanes in all.
    pub fn active(&self) -> u64 {
        self.live[..self.live_len].iter().map(|&row| u64::from(self.mask[row as usize].count_ones())).sum()
    }

    /// Reports something that some lanes of a row did.
    #[cold]
    pub fn report_lanes(&mut self, kind: FindingKind, at: u32, row: usize, lanes: u32, text: &str) {
        let line = self.prog.source.line(at);
        let count = u64::from(lanes.count_ones());
        if kind == FindingKind::OutOfBounds {
            self.went_astray((kind, line, NONE), Access::Read, count);
        }
        if self.reports.again((kind, line, NONE), self.group_index, count) {
            return;
        }
        let report = Report {
            kind,
            mem: NONE,
            offset: None,
            access: None,
            group: self.group_index,
            lane: self.lane(row, lanes.trailing_zeros() as usize),
            other: None,
            count,
            dropped: false,
            stopped: false,
            message: text.to_owned(),
        };
        self.reports.add(line, report);
    }

    /// Reports something that one lane did to memory.
    #[cold]
    pub fn report_access(&mut self, found: AccessReport) {
        let line = self.prog.source.line(found.at);
        let reads = matches!(found.kind, FindingKind::OutOfBounds | FindingKind::Uninitialised);
        if let Some(vain) = self.vain.as_mut().filter(|_| reads) {
            let lane = (found.access == Access::Read).then_some(found.lane);
            vain.push((lane, (found.kind, line, found.mem)));
        }
        if found.kind == FindingKind::OutOfBounds {
            self.went_astray((found.kind, line, found.mem), found.access, 1);
        }
        if self.reports.again((found.kind, line, found.mem), self.group_index, 1) {
            return;
        }
        let message = self.message(&found);
        let report = Report {
            kind: found.kind,
            mem: found.mem,
            offset: i64::try_from(found.offset).ok().map(|at| at as u64),
            access: Some(found.access),
            group: self.group_index,
            lane: found.lane,
            other: found.other,
            count: 1,
            dropped: false,
            stopped: false,
            message,
        };
        self.knowledge.races.quiet = 0;
        self.reports.add(line, report);
    }

    /// Another barrier interval begins.
    pub fn interval(&mut self) {
        let counts = self.detail && self.watch.is_none() && self.reports.has(FindingKind::Race);
        let quiet = &mut self.knowledge.races.quiet;
        *quiet = if counts { quiet.saturating_add(1) } else { 0 };
    }

    /// Whether all places of this launch that race are most likely known: what races there again is counted, and no
    /// longer looked into.
    #[inline(always)]
    pub fn settled(&self) -> bool {
        self.knowledge.races.quiet > QUIET
    }
}

impl Machine {
    /// A finding in words.
    fn message(&self, found: &AccessReport) -> String {
        let name = &self.prog.mems[found.mem as usize].name;
        let verb = match found.access {
            Access::Read => "reads",
            Access::Write => "writes",
            Access::Atomic => "changes atomically",
        };
        match found.kind {
            FindingKind::OutOfBounds if (found.offset as i64) < -(1 << 30) => {
                format!("{verb} memory far from every buffer; `{name}` is the nearest")
            }
            FindingKind::OutOfBounds if (found.offset as i64) < 0 => {
                let before = (found.offset as i64).unsigned_abs();
                format!("{verb} {before} bytes before the start of `{name}`")
            }
            FindingKind::OutOfBounds => format!(
                "{verb} past the end of `{name}`: byte {}, and it has {} bytes{}",
                found.offset,
                self.mems[found.mem as usize].bytes,
                if wrapped(found.offset) { ": its 32-bit index went below 0 and wrapped around" } else { "" }
            ),
            FindingKind::Uninitialised if self.on_its_way(found) => {
                format!(
                    "reads byte {} of `{name}`, which an asynchronous copy may not have written yet",
                    found.offset
                )
            }
            FindingKind::Uninitialised => {
                format!("reads byte {} of `{name}`, which nobody wrote", found.offset)
            }
            FindingKind::Misaligned => {
                format!("{verb} `{name}` at byte {}, which is not aligned", found.offset)
            }
            FindingKind::Race if found.other.is_none() => format!(
                "{verb} byte {} of `{name}`, which another workgroup may not have written yet: \
                 no fence separates that write from the flag that announces it",
                found.offset
            ),
            FindingKind::Race => {
                let other = match found.other.map(|o| o.access) {
                    Some(Access::Write) => "writes",
                    Some(Access::Atomic) => "changes",
                    _ => "reads",
                };
                let (who, why) = match found.other {
                    Some(other) if other.group != self.group_index => {
                        ("a lane of another workgroup", "and nothing orders the two")
                    }
                    _ => ("another lane", self.no_barrier(found.mem)),
                };
                format!("{verb} byte {} of `{name}`, which {who} {other}, {why}", found.offset)
            }
            _ => format!("{verb} byte {} of `{name}`", found.offset),
        }
    }

    /// What is missing between two lanes of a workgroup: barriers of most languages order buffers only if they say so.
    fn no_barrier(&self, mem: u32) -> &'static str {
        let buffer = self.prog.mems[mem as usize].space == crate::ir::MemSpace::Global;
        match buffer && !self.prog.rules.parks {
            true => "with no barrier in between that orders buffers",
            false => "with no barrier in between",
        }
    }

    /// Whether a copy is still to write what was read.
    fn on_its_way(&self, found: &AccessReport) -> bool {
        let mem = &self.mems[found.mem as usize];
        let at = (found.offset >> mem.grain) as usize;
        mem.init.as_ref().and_then(|init| init.get(at)) == Some(&super::mem::flight::ON_ITS_WAY)
    }
}

/// What one lane did to memory.
#[derive(Clone, Copy, Debug)]
pub struct AccessReport {
    pub kind: FindingKind,
    pub at: u32,
    pub mem: u32,
    pub offset: u64,
    pub access: Access,
    pub lane: u32,
    pub other: Option<super::report::Other>,
}

/// Whether this is where an index of 32 bits without a sign ends up that went a little below 0, by the sizes of
/// elements.
fn wrapped(offset: u64) -> bool {
    let below = u64::from(u32::MAX - 0xffff)..=u64::from(u32::MAX);
    [4, 8, 16].iter().any(|size| below.contains(&(offset / size)))
}

/// All lanes of a row.
pub fn full(lanes: u32) -> u32 {
    if lanes as usize >= ROW { u32::MAX } else { (1 << lanes) - 1 }
}

/// Warps of so many lanes that have active ones in a row.
fn narrow_warps(bits: u32, width: u32) -> u64 {
    let ones = full(width);
    (0..32 / width).filter(|k| bits >> (k * width) & ones != 0).count() as u64
}
