//! What orders accesses beside barriers of the whole workgroup: warp barriers, and fences with atomics between them.
//!
//! A fence makes what a lane knows (its own accesses, those of its workgroup before the last barrier, and what it has
//! learnt) ready to be published; an atomic write publishes it at an address; whoever reads that address
//! atomically, and then passes a fence or a barrier, knows it too.

use super::shadow::{Clash, LANE_BITS, SEVERAL, TICK_SHIFT};
use crate::api::finding::Access;
use crate::exec::machine::Machine;
use crate::ir::MemSpace;
use std::collections::HashMap;

/// Every lane of a workgroup.
const ALL: u32 = u32::MAX;

/// Accesses known to be over: by workgroup and lane, up to an interval.
type Known = HashMap<(u64, u32), u32>;

/// What is known in the running workgroup, and what has been published.
#[derive(Clone, Debug, Default)]
pub struct Knowledge {
    published: HashMap<(u32, u32), Known>,
    /// By lane: known, read but not yet fenced, ready to be published.
    known: HashMap<u32, Known>,
    pending: HashMap<u32, Known>,
    ready: HashMap<u32, Known>,
    /// Known to all lanes since the last barrier.
    common: Known,
    /// Counts warp barriers; when each warp last had one.
    moment: u32,
    warps: HashMap<u32, u32>,
    /// When each grain was last written and read, and by which warps.
    touched: HashMap<(u32, u32), Touch>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Touch {
    written: u32,
    read: u32,
    tick: u32,
    readers: u32,
}

fn learn(into: &mut Known, from: &Known) {
    for (&who, &tick) in from {
        let slot = into.entry(who).or_default();
        *slot = (*slot).max(tick);
    }
}

impl Knowledge {
    /// A new workgroup knows nothing of the others but what was published.
    pub fn begin(&mut self) {
        self.known.clear();
        self.pending.clear();
        self.ready.clear();
        self.common.clear();
        self.warps.clear();
        self.touched.clear();
    }

    /// A barrier: all know what any knows.
    pub fn barrier(&mut self) {
        for known in self.known.drain().chain(self.pending.drain()) {
            learn(&mut self.common, &known.1);
        }
    }
}

impl Machine {
    /// The active lanes of a row pass a fence.
    pub fn fence(&mut self, row: usize) {
        let (group, tick, start) = (self.group_index, self.global_clock.tick, self.barrier_tick);
        for i in (0..32).filter(|i| self.mask[row] >> i & 1 == 1) {
            let lane = self.lane(row, i);
            let all = &mut self.knowledge;
            let known = all.known.entry(lane).or_default();
            if let Some(pending) = all.pending.remove(&lane) {
                learn(known, &pending);
            }
            let mut ready = known.clone();
            learn(&mut ready, &all.common);
            ready.insert((group, lane), tick);
            ready.insert((group, ALL), start.saturating_sub(1));
            all.ready.insert(lane, ready);
        }
        // what comes after the fence is not what it orders
        self.global_clock.tick = (tick + 1).min(super::shadow::MOST_TICKS);
    }

    /// An atomic access: learns what was published here, publishes what is ready.
    pub fn signal(&mut self, at: (u32, u32), lane: u32, reads: bool, writes: bool) {
        if self.mems[at.0 as usize].space != MemSpace::Global {
            return;
        }
        let all = &mut self.knowledge;
        if reads && let Some(published) = all.published.get(&at) {
            learn(all.pending.entry(lane).or_default(), published);
        }
        if !writes {
            return;
        }
        let ready = all.ready.get(&lane);
        match (ready, reads) {
            (Some(ready), true) => learn(all.published.entry(at).or_default(), ready),
            (Some(ready), false) => {
                all.published.insert(at, ready.clone());
            }
            (None, true) => {}
            (None, false) => {
                all.published.remove(&at);
            }
        }
    }

    /// The lanes of a warp wait for each other.
    pub fn warp_barrier(&mut self, row: usize) {
        let warp = self.lane(row, 0) / 32;
        self.knowledge.moment += 1;
        self.knowledge.warps.insert(warp, self.knowledge.moment);
    }

    /// Remembers when and by whom a grain was touched.
    pub fn seen(&mut self, mem: u32, addr: u32, bytes: u32, lane: u32, writes: bool) {
        let object = &self.mems[mem as usize];
        if !matches!(object.space, MemSpace::Shared | MemSpace::Global) {
            return;
        }
        let tick = self.clock(object.space).tick;
        let grain = object.grain;
        for g in addr >> grain..=(addr + bytes - 1) >> grain {
            let moment = self.knowledge.moment;
            let touch = self.knowledge.touched.entry((mem, g)).or_default();
            if touch.tick != tick {
                (touch.tick, touch.readers) = (tick, 0);
            }
            if writes {
                touch.written = moment;
            } else {
                (touch.read, touch.readers) = (moment, touch.readers | 1 << (lane / 32));
            }
        }
    }

    /// Whether something orders the other access of a clash before this one.
    pub fn ordered(&self, mem: u32, addr: u32, lane: u32, clash: &Clash) -> bool {
        if !self.prog.strict && !self.prog.warp_syncs {
            return false;
        }
        let (other, tick) = (clash.stamp & LANE_BITS, clash.stamp >> TICK_SHIFT);
        let object = &self.mems[mem as usize];
        let clock = self.clock(object.space);
        if tick == clock.tick && self.prog.warp_syncs {
            let touch = self.knowledge.touched.get(&(mem, addr >> object.grain)).copied().unwrap_or_default();
            let synced = self.knowledge.warps.get(&(lane / 32)).copied().unwrap_or(0);
            let by_warp = match clash.access {
                Access::Read if clash.stamp & SEVERAL != 0 => {
                    touch.readers == 1 << (lane / 32) && touch.read < synced
                }
                Access::Read => other / 32 == lane / 32 && touch.read < synced,
                _ => other / 32 == lane / 32 && touch.written < synced,
            };
            if by_warp {
                return true;
            }
        }
        if object.space != MemSpace::Global {
            return false;
        }
        let group = match self.history.partition_point(|&(start, _)| start <= tick) {
            0 => return false,
            n => self.history[n - 1].1,
        };
        let knows = |known: &Known| {
            let upto = |who: u32| known.get(&(group, who)).is_some_and(|&t| tick <= t);
            upto(other) || upto(ALL)
        };
        knows(&self.knowledge.common) || self.knowledge.known.get(&lane).is_some_and(knows)
    }
}
