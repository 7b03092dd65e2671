//! Stores: a whole row at once where its addresses are a run and nobody else touched them, lane by lane
//! elsewhere.

use super::load::{addresses, plain};
use super::site::{Shape, site_of};
use crate::exec::lanes::{ROW, Raw};
use crate::exec::machine::Machine;
use crate::exec::step::{Pair, Step};
use crate::ir::{Fmt, MemSpace};

lanes! {
    fn word_lanes(m, step) {
        for k in 0..m.live_len {
            let row = m.live[k] as usize;
            let addr = addresses(m, step, row);
            let plain = plain(m, step, row, &addr);
            if m.notes && step.float != 0 {
                note_odd(m, step, row);
            }
            if !(plain && step.len == 1 && step.imm2 == 0 && run(m, step, row, addr[0].wrapping_add(step.imm))) {
                super::slow::store(m, step, row);
            }
        }
    }
}

/// Stores a run of words, if it is one and clean.
#[inline(always)]
fn run(m: &mut Machine, step: &Step, row: usize, first: u32) -> bool {
    let shape = m.sites[site_of(step, row)].shape;
    let closely = (m.detail || m.prog.warp_syncs) && !m.settled() || m.knowledge.delayed.is_some();
    if closely || m.mask[row] != u32::MAX || shape != Shape::Run {
        return false;
    }
    let lane = m.lane(row, 0);
    let (shared, global) = (m.shared_clock, m.global_clock);
    let mem = &mut m.mems[step.mem as usize];
    if mem.grain != 2 || mem.space == MemSpace::Private {
        return false;
    }
    let at = (first >> 2) as usize;
    let is_global = mem.space == MemSpace::Global;
    let clock = if is_global { global } else { shared };
    if let Some(shadow) = &mut mem.shadow
        && !shadow.write_run(at, lane, clock, is_global, step.tracked)
    {
        return false;
    }
    if let Some(init) = &mut mem.init {
        init[at..at + ROW].fill(1);
    }
    let values = &u32::rows(&m.regs)[step.src[1] as usize + row];
    mem.words.get_mut()[at..at + ROW].copy_from_slice(&values[..]);
    true
}

/// Remembers that a NaN or an infinity was stored.
#[inline(always)]
fn note_odd(m: &mut Machine, step: &Step, row: usize) {
    let mut odd = false;
    for slot in 0..usize::from(step.len) {
        let values = &u32::rows(&m.regs)[step.src[slot + 1] as usize + row];
        for v in values.iter() {
            odd |= v & 0x7f80_0000 == 0x7f80_0000;
        }
    }
    m.odd_stored |= odd;
}

fn other_lanes(m: &mut Machine, step: &Step) {
    for k in 0..m.live_len {
        let row = m.live[k] as usize;
        let addr = addresses(m, step, row);
        plain(m, step, row, &addr);
        if m.notes && step.float == 16 {
            note_odd(m, step, row);
        }
        super::slow::store(m, step, row);
    }
}

pub fn pair(fmt: Fmt) -> Pair {
    let lanes = if fmt == Fmt::Word { word_lanes } else { other_lanes };
    Pair { lanes, once: lanes }
}
