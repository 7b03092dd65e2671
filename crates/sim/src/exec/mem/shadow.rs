//! Who touched each grain of memory last, and in which barrier interval: enough to see a race when it
//! happens.
//!
//! A stamp is 20 bits of interval, two flags and 10 bits of lane. The flags of reads: several lanes read in that
//! interval; a lane of another workgroup read before. That of writes: it was an atomic operation.

use super::object::Mem;
use crate::api::finding::Access;
use crate::exec::machine::Clock;
use crate::exec::spare::Spare;

pub const LANE_BITS: u32 = 0x3ff;
pub const SEVERAL: u32 = 0x400;
pub const FOREIGN: u32 = 0x800;
const ATOMIC: u32 = 0x400;
pub const TICK_SHIFT: u32 = 12;
/// Intervals that a stamp can tell apart.
pub const MOST_TICKS: u32 = (1 << 20) - 2;

/// The last writer and the last readers of every grain.
#[derive(Clone, Debug, Default)]
pub struct Shadow {
    pub writes: Vec<u32>,
    pub reads: Vec<u32>,
    /// Where in the code; only with detail.
    pub write_at: Vec<u32>,
    pub read_at: Vec<u32>,
}

/// An access that meets an earlier one.
#[derive(Clone, Copy, Debug)]
pub struct Clash {
    /// The earlier one's stamp.
    pub stamp: u32,
    pub at: u32,
    pub access: Access,
}

impl Shadow {
    /// Nothing touched yet; reads are noted only where they may race.
    pub fn new(spare: &Spare, grains: usize, reads: bool, detail: bool) -> Shadow {
        let more = if detail { grains } else { 0 };
        Shadow {
            writes: spare.zeros(grains),
            reads: spare.zeros(if reads { grains } else { 0 }),
            write_at: vec![0; more],
            read_at: vec![0; more],
        }
    }

    /// Forgets everything: all that was before is ordered before all that comes.
    pub fn clear(&mut self) {
        self.writes.fill(0);
        self.reads.fill(0);
    }

    /// Notes a read; tells of a write that it races with.
    pub fn read(&mut self, grain: usize, lane: u32, clock: Clock, global: bool, at: u32) -> Option<Clash> {
        let write = self.writes[grain];
        let clash = clashes(write, lane, clock, global);
        let old = self.reads[grain];
        let mut new = clock.tick << TICK_SHIFT | lane;
        if old >> TICK_SHIFT == clock.tick {
            new = if old & LANE_BITS == lane { old } else { old | SEVERAL };
        } else if global && old != 0 && (old >> TICK_SHIFT < clock.start || old & FOREIGN != 0) {
            new |= FOREIGN;
        }
        self.reads[grain] = new;
        let before = self.write_at.get(grain).copied().unwrap_or(0);
        if new != old
            && let Some(slot) = self.read_at.get_mut(grain)
        {
            *slot = at;
        }
        clash.then_some(Clash { stamp: write & !ATOMIC, at: before, access: kind(write) })
    }

    /// Notes a write; tells of a write or a read that it races with.
    pub fn write(&mut self, grain: usize, lane: u32, clock: Clock, global: bool, at: u32) -> Option<Clash> {
        let write = self.writes[grain];
        let clash = match clashes(write, lane, clock, global) {
            true => {
                let at = self.write_at.get(grain).copied().unwrap_or(0);
                Some(Clash { stamp: write & !ATOMIC, at, access: kind(write) })
            }
            false => self.read_before(grain, lane, clock, global),
        };
        self.note(grain, clock.tick << TICK_SHIFT | lane, at);
        clash
    }

    /// The reads that a write races with.
    fn read_before(&self, grain: usize, lane: u32, clock: Clock, global: bool) -> Option<Clash> {
        let read = self.reads.get(grain).copied().unwrap_or(0);
        let clash = clashes(read, lane, clock, global)
            || (read & SEVERAL != 0 && read >> TICK_SHIFT == clock.tick)
            || read & FOREIGN != 0;
        let at = self.read_at.get(grain).copied().unwrap_or(0);
        clash.then_some(Clash { stamp: read, at, access: Access::Read })
    }

    fn note(&mut self, grain: usize, stamp: u32, at: u32) {
        self.writes[grain] = stamp;
        if let Some(slot) = self.write_at.get_mut(grain) {
            *slot = at;
        }
    }

    /// Notes an atomic operation, as a write that clashes with nothing: the languages keep atomics apart.
    pub fn touch(&mut self, grain: usize, lane: u32, clock: Clock) {
        self.writes[grain] = clock.tick << TICK_SHIFT | ATOMIC | lane;
    }

    /// The plain write that an atomic load races with.
    pub fn plain_write(&self, grain: usize, lane: u32, clock: Clock, global: bool) -> Option<Clash> {
        let stamp = self.writes[grain];
        let clash = stamp & ATOMIC == 0 && clashes(stamp, lane, clock, global);
        let at = self.write_at.get(grain).copied().unwrap_or(0);
        clash.then_some(Clash { stamp, at, access: Access::Write })
    }

    /// Notes an atomic operation in memory of a workgroup where accesses need not be atomic; tells of one that was not
    /// and that it races with.
    pub fn change(&mut self, grain: usize, lane: u32, clock: Clock, at: u32) -> Option<Clash> {
        let write = self.writes[grain];
        let clash = match write & ATOMIC == 0 && clashes(write, lane, clock, false) {
            true => {
                let at = self.write_at.get(grain).copied().unwrap_or(0);
                Some(Clash { stamp: write, at, access: Access::Write })
            }
            false => self.read_before(grain, lane, clock, false),
        };
        self.note(grain, clock.tick << TICK_SHIFT | ATOMIC | lane, at);
        clash
    }

    /// Notes a whole row of writes when none of them can clash; otherwise notes nothing and returns false.
    #[inline(always)]
    pub fn write_run(&mut self, grain: usize, lane: u32, clock: Clock, global: bool, reads: bool) -> bool {
        let writes = &mut self.writes[grain..grain + 32];
        let first = if global { clock.start } else { 0 };
        let mut bad = false;
        for (i, &old) in writes.iter().enumerate() {
            bad |= row_clash(old, lane + i as u32, clock.tick, first);
        }
        if reads {
            for (i, &old) in self.reads[grain..grain + 32].iter().enumerate() {
                bad |= row_clash(old, lane + i as u32, clock.tick, first);
                bad |= old & FOREIGN != 0 || (old & SEVERAL != 0 && old >> TICK_SHIFT == clock.tick);
            }
        }
        if !bad {
            for (i, slot) in writes.iter_mut().enumerate() {
                *slot = clock.tick << TICK_SHIFT | (lane + i as u32);
            }
        }
        !bad
    }

    /// Notes a whole row of reads when none of them can clash and no grain was read by others.
    #[inline(always)]
    pub fn read_run(&mut self, grain: usize, lane: u32, clock: Clock, global: bool) -> bool {
        let first = if global { clock.start } else { 0 };
        let mut bad = false;
        let reads = &mut self.reads[grain..grain + 32];
        for (i, (&write, &read)) in self.writes[grain..grain + 32].iter().zip(reads.iter()).enumerate() {
            bad |= row_clash(write, lane + i as u32, clock.tick, first);
            bad |= row_clash(read, lane + i as u32, clock.tick, first);
            bad |= read & (FOREIGN | SEVERAL) != 0;
        }
        if !bad {
            for (i, slot) in reads.iter_mut().enumerate() {
                *slot = clock.tick << TICK_SHIFT | (lane + i as u32);
            }
        }
        !bad
    }
}

/// What left a stamp of a write.
fn kind(write: u32) -> Access {
    if write & ATOMIC == 0 { Access::Write } else { Access::Atomic }
}

#[inline(always)]
fn row_clash(old: u32, lane: u32, tick: u32, first: u32) -> bool {
    let when = old >> TICK_SHIFT;
    (when == tick && old & LANE_BITS != lane) || (old != 0 && when < first)
}

fn clashes(old: u32, lane: u32, clock: Clock, global: bool) -> bool {
    old != 0 && row_clash(old, lane, clock.tick, if global { clock.start } else { 0 })
}

impl Mem {
    /// Marks bytes as initialised.
    pub fn mark(&mut self, addr: u32, bytes: u32) {
        if let Some(init) = &mut self.init {
            let first = (addr >> self.grain) as usize;
            let last = ((addr + bytes - 1) >> self.grain) as usize;
            init[first..=last].fill(1);
        }
    }

    /// Whether all of some bytes are initialised.
    pub fn is_marked(&self, addr: u32, bytes: u32) -> bool {
        self.init.as_ref().is_none_or(|init| {
            let first = (addr >> self.grain) as usize;
            let last = ((addr + bytes - 1) >> self.grain) as usize;
            init[first..=last].iter().all(|&b| b == 1)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Clock = Clock { tick: 7, start: 5 };

    #[test]
    fn lanes_race_within_an_interval_only() {
        let mut shadow = Shadow::new(&Spare::default(), 1, true, false);
        assert!(shadow.write(0, 3, NOW, false, 0).is_none());
        assert!(shadow.write(0, 3, NOW, false, 0).is_none());
        assert!(shadow.read(0, 4, NOW, false, 0).is_some());
        assert!(shadow.read(0, 4, Clock { tick: 8, ..NOW }, false, 0).is_none());
        assert!(shadow.write(0, 4, Clock { tick: 8, ..NOW }, false, 0).is_none());
    }

    #[test]
    fn two_readers_clash_with_a_writer() {
        let mut shadow = Shadow::new(&Spare::default(), 1, true, false);
        shadow.read(0, 3, NOW, false, 0);
        shadow.read(0, 4, NOW, false, 0);
        shadow.read(0, 3, NOW, false, 0);
        assert!(shadow.write(0, 3, NOW, false, 0).is_some());
    }

    #[test]
    fn workgroups_race_in_buffers_whatever_the_interval() {
        let mut shadow = Shadow::new(&Spare::default(), 2, true, false);
        shadow.write(0, 3, Clock { tick: 2, start: 2 }, true, 0);
        assert!(shadow.read(0, 3, NOW, true, 0).is_some());
        shadow.read(1, 3, Clock { tick: 2, start: 2 }, true, 0);
        shadow.read(1, 3, NOW, true, 0);
        shadow.read(1, 3, Clock { tick: 8, start: 5 }, true, 0);
        assert!(shadow.write(1, 3, Clock { tick: 8, start: 5 }, true, 0).is_some());
    }
}
