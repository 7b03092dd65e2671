//! Asynchronous copies: what they wrote is in flight until the lane that started them has waited for their group.

use crate::exec::machine::Machine;
use crate::exec::step::Step;

/// A grain that a copy will write.
pub const ON_ITS_WAY: u8 = 2;

/// Bytes that a copy wrote.
#[derive(Clone, Copy, Debug)]
pub struct Flight {
    lane: u32,
    /// The group of the lane that it belongs to.
    group: u32,
    mem: u32,
    addr: u32,
    bytes: u32,
}

/// The copies of a workgroup.
#[derive(Clone, Debug, Default)]
pub struct Flights {
    open: Vec<Flight>,
    /// Groups that each lane has ended.
    groups: Vec<u32>,
}

impl Flights {
    pub fn clear(&mut self) {
        self.open.clear();
        self.groups.clear();
    }

    fn group(&mut self, lane: u32) -> &mut u32 {
        let lane = lane as usize;
        if self.groups.len() <= lane {
            self.groups.resize(lane + 1, 0);
        }
        &mut self.groups[lane]
    }
}

impl Machine {
    /// A copy has written some bytes, which must not be read yet.
    pub fn take_off(&mut self, step: &Step, addr: u32, bytes: u32, lane: u32) {
        let group = *self.flights.group(lane);
        self.flights.open.push(Flight { lane, group, mem: step.mem, addr, bytes });
        let mem = &mut self.mems[step.mem as usize];
        let grain = mem.grain;
        if let Some(init) = &mut mem.init {
            init[(addr >> grain) as usize..=((addr + bytes - 1) >> grain) as usize].fill(ON_ITS_WAY);
        }
    }

    /// The active lanes of a row end a group.
    pub fn commit(&mut self, row: usize) {
        for i in (0..32).filter(|i| self.mask[row] >> i & 1 == 1) {
            let lane = self.lane(row, i);
            *self.flights.group(lane) += 1;
        }
    }

    /// The active lanes of a row wait for all groups but the last `kept`; for everything, if that is `u32::MAX`.
    pub fn wait(&mut self, row: usize, kept: u32) {
        let (first, mask) = (self.lane(row, 0), self.mask[row]);
        let groups = std::mem::take(&mut self.flights.groups);
        let done = |f: &Flight| {
            let i = f.lane.wrapping_sub(first);
            let ended = groups.get(f.lane as usize).copied().unwrap_or(0);
            let old = kept == u32::MAX || u64::from(f.group) + u64::from(kept) < u64::from(ended);
            i < 32 && mask >> i & 1 == 1 && old
        };
        let (landed, open) = std::mem::take(&mut self.flights.open).into_iter().partition::<Vec<_>, _>(done);
        (self.flights.open, self.flights.groups) = (open, groups);
        for flight in landed {
            let mem = &mut self.mems[flight.mem as usize];
            let grain = mem.grain;
            if let Some(init) = &mut mem.init {
                let last = (flight.addr + flight.bytes - 1) >> grain;
                init[(flight.addr >> grain) as usize..=last as usize].fill(1);
            }
        }
    }
}
