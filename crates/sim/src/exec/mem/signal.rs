//! What fences, atomic operations and warps' barriers pass on: how knowledge travels from lane to lane.

use rustc_hash::FxHashMap as HashMap;

use super::known::{ALL, INSIDE, Known, WARP};
use super::shadow::{LANE_BITS, MOST_TICKS};
use crate::exec::machine::Machine;
use crate::ir::MemSpace;

/// What an atomic operation does to the word that it is on, and whether it is one for its workgroup alone.
#[derive(Clone, Copy, Debug)]
pub struct Signal {
    pub reads: bool,
    pub writes: bool,
    pub near: bool,
}

/// What an atomic write leaves at a word: one that has read goes on what was there.
fn publish(told: &mut HashMap<(u32, u32), Known>, at: (u32, u32), ready: Option<Known>, reads: bool) {
    match (ready, reads) {
        (Some(ready), true) => told.entry(at).or_default().learn(&ready),
        (Some(ready), false) => {
            told.insert(at, ready);
        }
        (None, true) => {}
        (None, false) => {
            told.remove(&at);
        }
    }
}

impl Machine {
    /// The active lanes of a row pass a fence, for all lanes or for those of their workgroup.
    pub fn fence(&mut self, row: usize, near: bool) {
        self.early.end();
        if let Some(delayed) = self.knowledge.delayed.as_mut().filter(|_| !near) {
            delayed.publish();
        }
        let (group, tick, start) = (self.group_index, self.global_clock.tick, self.barrier_tick);
        for i in (0..32).filter(|i| self.mask[row] >> i & 1 == 1) {
            let lane = self.lane(row, i);
            let all = &mut self.knowledge;
            let known = all.known.entry(lane).or_default();
            if let Some(pending) = all.pending.remove(&lane) {
                known.learn(&pending);
            }
            let mut ready = known.clone();
            ready.learn(&all.common);
            ready.insert((group, lane), tick);
            ready.insert((group, ALL), start.saturating_sub(1));
            ready.insert((group, lane | INSIDE), all.moment);
            if !near {
                all.ready.insert(lane, ready.clone());
            }
            all.near.insert(lane, ready);
        }
        // what comes after the fence is not what it orders
        self.global_clock.tick = (tick + 1).min(MOST_TICKS);
        self.knowledge.moment += 1;
    }

    /// An atomic access: learns what was published here, publishes what is ready. What is for the lanes of a workgroup
    /// alone is neither told to others nor heard from them.
    pub fn signal(&mut self, at: (u32, u32), lane: u32, signal: Signal) {
        let global = self.mems[at.0 as usize].space == MemSpace::Global;
        let all = &mut self.knowledge;
        if signal.reads {
            let far = all.published.get(&at).filter(|_| global && !signal.near);
            for told in far.into_iter().chain(all.inside.get(&at)) {
                all.pending.entry(lane).or_default().learn(told);
            }
        }
        if !signal.writes {
            return;
        }
        let told = |own: Option<&Known>, fenced: &Known| {
            own.cloned().or((!fenced.is_empty()).then(|| fenced.clone()))
        };
        let near = told(all.near.get(&lane), &all.fenced_near);
        publish(&mut all.inside, at, near, signal.reads);
        if global {
            let far = told(all.ready.get(&lane), &all.fenced).filter(|_| !signal.near);
            publish(&mut all.published, at, far, signal.reads);
        }
    }

    /// Whether an atomic operation meets one of another workgroup of which either is none for the other's lanes, and
    /// which nothing orders before it.
    pub fn apart(&mut self, at: (u32, u32), lane: u32, signal: Signal) -> bool {
        if self.mems[at.0 as usize].space != MemSpace::Global {
            return false;
        }
        let (group, tick, all) = (self.group_index, self.global_clock.tick, &mut self.knowledge);
        let last = all.changed.get(&at).copied();
        if signal.writes {
            all.changed.insert(at, (group, tick << 10 | lane, signal.near));
        }
        let Some((other, stamp, theirs)) = last.filter(|(other, ..)| *other != group) else { return false };
        let (who, when) = (stamp & LANE_BITS, stamp >> 10);
        let knows = |known: &Known| known.covers((other, who), when);
        (signal.near || theirs) && !knows(&all.common) && !all.known.get(&lane).is_some_and(knows)
    }

    /// Where there are fences, lanes that wait for each other know what any of them knows, that what they did before is
    /// over, and each publishes what any had made ready.
    pub(super) fn tell_each_other(&mut self, first: u32, lanes: u64) {
        if !self.prog.fences {
            return;
        }
        let (group, tick) = (self.group_index, self.global_clock.tick);
        // what is known of warps as a whole is of those of 32 lanes
        let whole = self.shape.warp == 32 && lanes == self.all_of(first / 32);
        let met: Vec<u32> = (0..64).filter(|i| lanes >> i & 1 == 1).map(|i| first + i).collect();
        let all = &mut self.knowledge;
        let (mut known, mut ready, mut near) = (Known::default(), Known::default(), Known::default());
        for lane in &met {
            let told = [all.known.remove(lane), all.pending.remove(lane)];
            told.iter().flatten().for_each(|told| known.learn(told));
            all.ready.remove(lane).iter().for_each(|own| ready.learn(own));
            all.near.remove(lane).iter().for_each(|own| near.learn(own));
        }
        let warp = met.first().map(|lane| WARP | (lane / 32));
        for who in met.iter().copied().filter(|_| !whole).chain(warp.filter(|_| whole)) {
            known.insert((group, who), tick);
            known.insert((group, who | INSIDE), all.moment);
        }
        [&mut known, &mut ready, &mut near].into_iter().for_each(Known::thin);
        for lane in met {
            all.known.insert(lane, known.clone());
            for (made, of) in [(&ready, &mut all.ready), (&near, &mut all.near)] {
                if !made.is_empty() {
                    of.insert(lane, made.clone());
                }
            }
        }
        // what comes after the barrier is not what it orders
        self.global_clock.tick = (tick + 1).min(MOST_TICKS);
    }
}
