//! One workgroup: its memory made ready, its gangs run in turn, its barriers kept.

use super::decode::Code;
use super::flow::{Gang, State, run};
use super::machine::{MOST_ROWS, Machine, full};
use super::mem::shadow::MOST_TICKS;
use crate::api::finding::FindingKind;
use crate::ir::MemSpace;

/// The gangs of a workgroup, ready for any number of workgroups.
pub fn gangs(m: &Machine, code: &Code) -> Vec<Gang> {
    let shape = &m.shape;
    let mut out = Vec::new();
    for first_row in (0..shape.rows).step_by(shape.gang) {
        let rows = shape.gang.min(shape.rows - first_row);
        let mut all = [0; MOST_ROWS];
        for (row, mask) in all.iter_mut().enumerate().take(rows) {
            let first = (first_row + row) as u32 * shape.row_lanes;
            *mask = full(shape.row_lanes.min(shape.lanes.saturating_sub(first)));
        }
        out.push(Gang {
            regs: code.regs.clone(),
            first_row,
            rows,
            all,
            ended: [0; MOST_ROWS],
            stored: [0; MOST_ROWS],
            returned: [0; MOST_ROWS],
            waiting: Vec::new(),
            parked: Vec::new(),
            rounds: 0,
            fair: false,
            turns: 0,
            state: State::Ready,
        });
    }
    out
}

/// Steps that a gang takes before others do, at least and at most.
const TURN: (u64, u64) = (64, 4159);

/// Runs one workgroup to its end.
pub fn run_workgroup(m: &mut Machine, code: &Code, gangs: &mut [Gang], index: u64, budget: u64) {
    let mut running = Running::begin(m, gangs, index, budget);
    while running.round(m, code, gangs, TURN) {}
    m.used = m.used.max(budget - m.budget);
}

/// A workgroup between its turns.
pub struct Running {
    random: Random,
    order: Vec<usize>,
}

impl Running {
    /// A workgroup before its first step.
    pub fn begin(m: &mut Machine, gangs: &mut [Gang], index: u64, budget: u64) -> Running {
        let (x, y) = (u64::from(m.shape.grid[0]), u64::from(m.shape.grid[1]));
        m.group = [(index % x) as u32, (index / x % y) as u32, (index / x / y) as u32];
        m.group_index = index;
        m.budget = budget;
        m.astray.begin(budget);
        begin(m);
        gangs.iter_mut().for_each(Gang::restart);
        let random = Random(m.seed ^ index.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        Running { random, order: (0..gangs.len()).collect() }
    }

    /// Every gang goes on for a turn. Says whether the workgroup has not ended.
    pub fn round(
        &mut self,
        m: &mut Machine,
        code: &Code,
        gangs: &mut [Gang],
        (least, most): (u64, u64),
    ) -> bool {
        if m.seed != 0 {
            self.random.shuffle(&mut self.order);
        }
        for &i in &self.order {
            if gangs[i].state == State::Ready {
                // without a seed a gang runs to its next barrier, but not forever: others may have to move
                // first
                let turn =
                    if m.seed == 0 { 1 << 16 } else { least + self.random.next() % (most - least + 1) };
                run(m, code, &mut gangs[i], turn);
            }
            if gangs[i].state == State::Stuck {
                return false;
            }
        }
        if gangs.iter().any(|gang| gang.state == State::Ready) {
            return true;
        }
        let over = gangs.iter().all(|gang| gang.state == State::Done);
        !over && if m.prog.parks() { super::barrier::meet(m, code, gangs) } else { meet(m, code, gangs) }
    }
}

/// All gangs wait or have ended: lets them go on if they wait at one barrier.
fn meet(m: &mut Machine, code: &Code, gangs: &mut [Gang]) -> bool {
    let mut at = gangs.iter().filter_map(|gang| match gang.state {
        State::Waiting(block) => Some(block),
        _ => None,
    });
    let Some(block) = at.next() else { return false };
    let other = at.find(|&other| other != block);
    let ended = gangs.iter().find(|gang| gang.state == State::Done);
    if other.is_some() || ended.is_some() {
        let text = match other {
            Some(other) => {
                let line = m.prog.source.line(code.blocks[other as usize].at);
                format!("some lanes wait at this barrier while others wait at line {line}")
            }
            None => "some lanes wait at this barrier while others have ended".to_owned(),
        };
        let waits = gangs.iter().find(|gang| gang.state == State::Waiting(block));
        if let Some(gang) = waits {
            m.first_row = gang.first_row;
            m.report_lanes(
                FindingKind::DivergentBarrier,
                code.blocks[block as usize].at,
                0,
                gang.all[0],
                &text,
            );
        }
        return false;
    }
    let super::decode::End::Barrier { shared, global, next } = code.blocks[block as usize].term else {
        return false;
    };
    m.barriers[block as usize] += 1;
    super::barrier::passed(m, shared, global);
    for gang in gangs {
        gang.waiting.push((next, gang.all));
        gang.state = State::Ready;
    }
    true
}

/// The next interval of shared memory.
pub fn advance_shared(m: &mut Machine) {
    m.interval();
    m.shared_clock.tick += 1;
    if m.shared_clock.tick > MOST_TICKS {
        m.shared_clock.tick = 1;
        for mem in m.mems.iter_mut().filter(|mem| mem.space == MemSpace::Shared) {
            if let Some(shadow) = &mut mem.shadow {
                shadow.clear();
            }
        }
    }
}

/// Makes memory and clocks ready for a new workgroup.
fn begin(m: &mut Machine) {
    m.flights.clear();
    m.arrived = Default::default();
    m.knowledge.begin();
    m.early.begin(m.seed, m.group_index);
    advance_shared(m);
    m.shared_clock.start = m.shared_clock.tick;
    if m.global_clock.tick >= MOST_TICKS {
        // all that was before was some other workgroup's
        for shadow in m.mems.iter_mut().filter_map(|mem| mem.shadow.as_mut()) {
            for stamp in shadow.writes.iter_mut().chain(&mut shadow.reads) {
                *stamp = if *stamp == 0 { 0 } else { 1 << super::mem::shadow::TICK_SHIFT };
            }
        }
        m.global_clock.tick = 1;
        m.history.clear();
        // shared stamps were touched too: begin them anew
        m.shared_clock.tick = MOST_TICKS;
        advance_shared(m);
    }
    m.global_clock.tick += 1;
    m.global_clock.start = m.global_clock.tick;
    m.barrier_tick = m.global_clock.tick;
    m.history.push((m.global_clock.tick, m.group_index));
    for mem in &mut m.mems {
        mem.filled.fill(0);
    }
    for mem in m.mems.iter_mut().filter(|mem| mem.space == MemSpace::Shared) {
        mem.words.get_mut().fill(0);
        if let Some(init) = &mut mem.init {
            init.fill(0);
        }
    }
}

/// A generator for schedules.
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for i in (1..items.len()).rev() {
            items.swap(i, (self.next() % (i as u64 + 1)) as usize);
        }
    }
}
