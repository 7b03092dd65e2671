//! What orders accesses beside barriers of the whole workgroup: warp barriers, and fences with atomics between them.
//!
//! A fence makes what a lane knows (its own accesses, those of its workgroup before the last barrier, and what it has
//! learnt) ready to be published; an atomic write publishes it at an address; whoever reads that address
//! atomically, and then passes a fence or a barrier, knows it too. What a lane made ready before a barrier, any lane of
//! the workgroup publishes after it: so `__threadfence(); __syncthreads();` and one lane's atomic are enough. Of the
//! workgroup's own memory moments are known, since a fence does not end an interval there.

use super::delayed::Delayed;
use super::known::Known;
use super::race::Races;
use super::shadow::{Clash, FOREIGN, LANE_BITS, TICK_SHIFT};
use crate::api::finding::Access;
use crate::exec::machine::Machine;
use crate::ir::MemSpace;
use rustc_hash::FxHashMap as HashMap;

/// What is known in the running workgroup, and what has been published.
#[derive(Clone, Debug, Default)]
pub struct Knowledge {
    pub(super) published: HashMap<(u32, u32), Known>,
    /// The same in the memory of the running workgroup.
    pub(super) inside: HashMap<(u32, u32), Known>,
    /// By lane: known, read but not yet fenced, ready to be published.
    pub(super) known: HashMap<u32, Known>,
    pub(super) pending: HashMap<u32, Known>,
    pub(super) ready: HashMap<u32, Known>,
    /// Ready to be published within the workgroup alone.
    pub(super) near: HashMap<u32, Known>,
    /// Known to all lanes since the last barrier, and what fences before it made ready: any lane publishes it.
    pub(super) common: Known,
    pub(super) fenced: Known,
    pub(super) fenced_near: Known,
    /// Who last changed what by an atomic operation, and whether that is one for its workgroup alone.
    pub(super) changed: HashMap<(u32, u32), (u64, u32, bool)>,
    /// Counts warp barriers; the last ones of each warp, with the lanes that they were for.
    pub(super) moment: u32,
    /// Lanes of a warp.
    width: u32,
    warps: HashMap<u32, Vec<(u32, u64)>>,
    /// The same with whatever lanes of a warp do together: the values that they trade come of what they have read, and
    /// whoever has one writes after those reads.
    meetings: HashMap<u32, Vec<(u32, u64)>>,
    /// When each grain was last written and read, and by which lanes of which warp.
    touched: HashMap<(u32, u32), Touch>,
    /// Where accesses race.
    pub races: Races,
    /// Plain stores that others do not see yet, where workgroups go on in turns and fences order what they do.
    pub delayed: Option<Delayed>,
    /// Words whose last value may not have come to other workgroups yet.
    late: HashMap<(u32, u32), Late>,
}

/// Barriers of a warp that are remembered: what comes after an access is ordered by any that both
/// lanes took part in.
const MOST_SYNCS: usize = 64;

#[derive(Clone, Debug, Default)]
struct Touch {
    written: u32,
    tick: u32,
    /// Those that read last, and those of other warps before them; none of whom the last write came after.
    last: Readers,
    others: Vec<Readers>,
}

/// Lanes of a warp that read, since a barrier of the warp ordered what was before, and when the last of them did.
#[derive(Clone, Copy, Debug, Default)]
struct Readers {
    warp: u32,
    lanes: u64,
    read: u32,
}

/// A store that no fence has published: who made it, and what was there before.
#[derive(Clone, Debug)]
struct Late {
    old: u64,
    written: bool,
    by: (u64, u32, u32),
    /// What the store before it published.
    published: Known,
    /// Workgroups that have been given the old value once.
    seen: Vec<u64>,
}

/// Whether barriers of a warp have ordered what some of its lanes did at a moment before what a
/// lane does now.
fn synced(warps: &HashMap<u32, Vec<(u32, u64)>>, warp: u32, since: u32, lanes: u64, own: u64) -> bool {
    let Some(all) = warps.get(&warp) else { return lanes == 0 };
    let reaches = |from: u64| {
        let after = all.iter().filter(|(moment, _)| *moment > since);
        let know = after.fold(from, |know, (_, lanes)| if lanes & know == 0 { know } else { know | lanes });
        know & own != 0
    };
    (0..64).map(|i| lanes & 1 << i).filter(|&from| from != 0).all(reaches)
}

/// Adds to what is remembered of a warp; what all its lanes took part in comes in the place of all before.
fn remember(all: &mut Vec<(u32, u64)>, met: (u32, u64), there: u64) {
    if met.1 == there {
        all.clear();
    } else if all.len() == MOST_SYNCS {
        all.remove(0);
    }
    all.push(met);
}

impl Knowledge {
    /// Before anything ran, with warps of so many lanes.
    pub fn new(width: u32) -> Knowledge {
        Knowledge { width, ..Knowledge::default() }
    }

    /// The warp of a lane, and its bit among the lanes of that.
    fn place(&self, lane: u32) -> (u32, u64) {
        (lane / self.width, 1 << (lane % self.width))
    }

    /// A new workgroup knows nothing of the others but what was published.
    pub fn begin(&mut self) {
        self.inside.clear();
        self.known.clear();
        self.pending.clear();
        self.ready.clear();
        self.near.clear();
        (self.common, self.fenced) = (Known::default(), Known::default());
        self.fenced_near = Known::default();
        self.warps.clear();
        self.meetings.clear();
        self.touched.clear();
    }

    /// Whether a lane knows that what another did to the workgroup's own memory up to a moment is over.
    fn is_over(&self, other: (u64, u32), moment: u32, lane: u32) -> bool {
        self.known.get(&lane).is_some_and(|known| known.covers_inside(other, moment))
    }

    /// Whether a lane knows this of these that read a grain.
    fn reads_are_over(&self, group: u64, lane: u32, by: &Readers) -> bool {
        let lanes = (0..64).filter(|i| by.lanes >> i & 1 == 1);
        let mut readers = lanes.map(|i| by.warp * self.width + i);
        readers.all(|reader| reader == lane || self.is_over((group, reader), by.read, lane))
    }

    /// Whether it knows it of them, or barriers of its own warp say so.
    fn came_before(&self, group: u64, lane: u32, by: &Readers) -> bool {
        let (warp, own) = self.place(lane);
        by.warp == warp && synced(&self.meetings, by.warp, by.read, by.lanes & !own, own)
            || self.reads_are_over(group, lane, by)
    }

    /// A lane reads a grain beside those that did, or after them.
    fn read_too(&self, touch: &mut Touch, group: u64, lane: u32) {
        let (warp, own) = self.place(lane);
        touch.others.retain(|by| !self.reads_are_over(group, lane, by));
        if touch.last.warp != warp {
            let at = touch.others.iter().position(|by| by.warp == warp);
            let back = at.map(|at| touch.others.swap_remove(at)).unwrap_or_default();
            let before = std::mem::replace(&mut touch.last, back);
            touch.others.extend(Some(before).filter(|by| !self.reads_are_over(group, lane, by)));
        }
        let over = self.came_before(group, lane, &touch.last);
        let lanes = if over { own } else { touch.last.lanes | own };
        touch.last = Readers { warp, lanes, read: self.moment };
    }

    /// A barrier: all know what any knows.
    pub fn barrier(&mut self) {
        for known in self.known.drain().chain(self.pending.drain()) {
            self.common.learn(&known.1);
        }
        self.ready.drain().for_each(|(_, ready)| self.fenced.learn(&ready));
        self.near.drain().for_each(|(_, near)| self.fenced_near.learn(&near));
    }
}

impl Machine {
    /// Whether it is remembered when lanes did what: always where those of a warp wait for each other, and in detail
    /// where they trade values, and where fences order what they do.
    pub fn follows_warps(&self) -> bool {
        let asked = self.detail && (self.prog.warp_meets || self.prog.rules.fences);
        (self.prog.warp_syncs || asked) && !self.settled()
    }

    /// Lanes wait for those of their own warps. Of warps of 64 lanes, both rows come with their lanes.
    pub fn warp_barrier(&mut self, rows: &[(usize, u32)]) {
        for (warp, lanes) in self.by_warp(rows) {
            self.tell_each_other(warp * self.knowledge.width, lanes);
            let (met, there) = self.met(warp, lanes);
            remember(self.knowledge.warps.entry(warp).or_default(), met, there);
            remember(self.knowledge.meetings.entry(warp).or_default(), met, there);
        }
    }

    /// Lanes of a warp trade values.
    pub fn warp_meeting(&mut self, row: usize, lanes: u32) {
        if !self.follows_warps() {
            return;
        }
        for (warp, lanes) in self.by_warp(&[(row, lanes)]) {
            let (met, there) = self.met(warp, lanes);
            remember(self.knowledge.meetings.entry(warp).or_default(), met, there);
        }
    }

    /// The next moment with those that meet in it, and all that there are of their warp.
    fn met(&mut self, warp: u32, lanes: u64) -> ((u32, u64), u64) {
        self.knowledge.moment += 1;
        ((self.knowledge.moment, lanes), self.all_of(warp))
    }

    /// The lanes that there are of a warp.
    pub(super) fn all_of(&self, warp: u32) -> u64 {
        let width = self.knowledge.width;
        let there = width.min(self.shape.lanes.saturating_sub(warp * width));
        u64::MAX.checked_shr(64 - there).unwrap_or(0)
    }

    /// Lanes of rows, by warps.
    fn by_warp(&self, rows: &[(usize, u32)]) -> Vec<(u32, u64)> {
        let mut out: Vec<(u32, u64)> = Vec::new();
        for &(row, lanes) in rows {
            for lane in (0..32).filter(|i| lanes >> i & 1 == 1).map(|i| self.lane(row, i)) {
                let (warp, own) = self.knowledge.place(lane);
                match out.last_mut().filter(|(last, _)| *last == warp) {
                    Some((_, all)) => *all |= own,
                    None => out.push((warp, own)),
                }
            }
        }
        out
    }

    /// A store that others learn of in their own time: what was there before may be read once more.
    pub fn delay(&mut self, at: (u32, u32), lane: u32, old: u64, written: bool) {
        let by = (self.group_index, lane, self.global_clock.tick);
        let published = self.knowledge.published.get(&at).cloned().unwrap_or_default();
        self.knowledge.late.insert(at, Late { old, written, by, published, seen: Vec::new() });
    }

    /// The older value that a load may still give, where nothing orders it after the last store,
    /// and whether it was ever written. Each workgroup is given it once: at last every store is
    /// seen.
    pub fn stale(&mut self, at: (u32, u32), lane: u32) -> Option<(u64, bool)> {
        let (group, all) = (self.group_index, &mut self.knowledge);
        let late = all.late.get_mut(&at)?;
        let (by, who, tick) = late.by;
        let knows = |known: &Known| known.covers((by, who), tick);
        let ordered = by == group || knows(&all.common) || all.known.get(&lane).is_some_and(knows);
        if ordered || late.seen.contains(&group) {
            return None;
        }
        late.seen.push(group);
        all.pending.entry(lane).or_default().learn(&late.published);
        Some((late.old, late.written))
    }

    /// Remembers when and by whom a grain was touched.
    pub fn seen(&mut self, mem: u32, addr: u32, bytes: u32, lane: u32, writes: bool) {
        let object = &self.mems[mem as usize];
        if !matches!(object.space, MemSpace::Shared | MemSpace::Global) {
            return;
        }
        let tick = self.clock(object.space).tick;
        let (grain, group) = (object.grain, self.group_index);
        let mut touched = std::mem::take(&mut self.knowledge.touched);
        for g in addr >> grain..=(addr + bytes - 1) >> grain {
            let touch = touched.entry((mem, g)).or_default();
            if touch.tick != tick {
                *touch = Touch { tick, written: touch.written, ..Touch::default() };
            }
            if writes {
                // whoever knows of this write knows of the reads before it
                *touch = Touch { tick, written: self.knowledge.moment, ..Touch::default() };
            } else {
                self.knowledge.read_too(touch, group, lane);
            }
        }
        self.knowledge.touched = touched;
    }

    /// Whether something orders the other access of a clash before this one.
    pub fn ordered(&self, mem: u32, addr: u32, lane: u32, clash: &Clash) -> bool {
        if !self.prog.rules.fences && !self.follows_warps() {
            return false;
        }
        let (other, tick) = (clash.stamp & LANE_BITS, clash.stamp >> TICK_SHIFT);
        let object = &self.mems[mem as usize];
        let clock = self.clock(object.space);
        let all = &self.knowledge;
        if tick == clock.tick && self.follows_warps() {
            let touch = all.touched.get(&(mem, addr >> object.grain));
            let ((warp, bit), group) = (all.place(lane), self.group_index);
            let written = touch.map_or(0, |touch| touch.written);
            let by_lanes = match clash.access {
                Access::Read => {
                    let mut readers = touch.into_iter().flat_map(|t| t.others.iter().chain([&t.last]));
                    clash.stamp & FOREIGN == 0 && readers.all(|by| all.came_before(group, lane, by))
                }
                _ => {
                    let (theirs, own) = all.place(other);
                    theirs == warp && synced(&all.warps, warp, written, own, bit)
                        || all.is_over((group, other), written, lane)
                }
            };
            if by_lanes {
                return true;
            }
        }
        let by_fences = || self.says(&all.common, clash) || self.told(&all.known, lane, clash);
        object.space == MemSpace::Global && by_fences()
    }

    /// Whether what a lane has read, fenced or not, says that the other access of a clash is over.
    pub fn announced(&self, lane: u32, clash: &Clash) -> bool {
        self.told(&self.knowledge.pending, lane, clash)
    }

    fn told(&self, known: &HashMap<u32, Known>, lane: u32, clash: &Clash) -> bool {
        known.get(&lane).is_some_and(|known| self.says(known, clash))
    }

    fn says(&self, known: &Known, clash: &Clash) -> bool {
        let (other, tick) = (clash.stamp & LANE_BITS, clash.stamp >> TICK_SHIFT);
        let group = match self.history.partition_point(|&(start, _)| start <= tick) {
            0 => return false,
            n => self.history[n - 1].1,
        };
        known.covers((group, other), tick)
    }
}
