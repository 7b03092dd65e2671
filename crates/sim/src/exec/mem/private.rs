//! Private arrays: each lane has its own, side by side, so that one index for all lanes is one row.

use super::load::addresses;
use super::site::site_of;
use crate::api::finding::Access;
use crate::exec::alu::lift::put;
use crate::exec::lanes::{ROW, Raw, Row};
use crate::exec::machine::Machine;
use crate::exec::step::{Pair, Step};
use crate::ir::Fmt;

/// The first word of a row whose lanes all have the same address in bounds.
#[inline(always)]
fn same(m: &mut Machine, step: &Step, row: usize) -> Option<usize> {
    let addr = addresses(m, step, row);
    let mut diff = 0;
    for i in 0..ROW {
        diff |= addr[i] ^ addr[0];
    }
    let first = addr[0].wrapping_add(step.imm);
    let mem = &m.mems[step.mem as usize];
    let inside = u64::from(first) + 4 * u64::from(step.len) <= u64::from(mem.bytes);
    (diff == 0 && inside && first & 3 == 0).then(|| mem.word(first, ((m.first_row + row) * ROW) as u32))
}

/// Whether the active lanes' words of a row, from the one at `at`, were all written.
#[inline(always)]
fn all_filled(m: &Machine, step: &Step, row: usize, at: usize) -> bool {
    let mem = &m.mems[step.mem as usize];
    if mem.filled.is_empty() {
        return true;
    }
    (0..usize::from(step.len)).all(|slot| {
        let at = at + slot * mem.stride as usize;
        let words = mem.filled.get(at..at + ROW).unwrap_or_default();
        words.iter().enumerate().all(|(i, word)| *word != 0 || m.mask[row] >> i & 1 == 0)
    })
}

fn count(m: &mut Machine, step: &Step, row: usize) {
    let lanes = m.mask[row].count_ones();
    let cost = &mut m.sites[site_of(step, row)].cost;
    cost.execs += 1;
    cost.lanes += u64::from(lanes);
}

lanes! {
    fn load_words(m, step) {
        for k in 0..m.live_len {
            let row = m.live[k] as usize;
            count(m, step, row);
            match same(m, step, row) {
                Some(at) if all_filled(m, step, row, at) => {
                    for slot in 0..usize::from(step.len) {
                        let mem = &m.mems[step.mem as usize];
                        let at = at + slot * mem.stride as usize;
                        let mut out = Row([0; ROW]);
                        out.copy_from_slice(&mem.words.get()[at..at + ROW]);
                        put(m, step, slot, row, &out);
                    }
                }
                _ => scattered_load(m, step, row),
            }
        }
    }
}

fn scattered_load(m: &mut Machine, step: &Step, row: usize) {
    let base = addresses(m, step, row);
    let lane_slot = ((m.first_row + row) * ROW) as u32;
    for slot in 0..usize::from(step.len) {
        let mut out = Row([0; ROW]);
        for i in 0..ROW {
            let addr = base[i].wrapping_add(step.imm).wrapping_add(4 * slot as u32);
            let mem = &m.mems[step.mem as usize];
            if u64::from(addr) + 4 <= u64::from(mem.bytes) && addr & 3 == 0 {
                out[i] = mem.words.get()[mem.word(addr, lane_slot + i as u32)];
                if m.mask[row] >> i & 1 == 1 && !mem.is_filled(addr, 4, lane_slot + i as u32) {
                    let lane = m.lane(row, i);
                    m.watch_read(step, addr, 4, lane);
                }
            } else if m.mask[row] >> i & 1 == 1 {
                let lane = m.lane(row, i);
                m.in_bounds(step, addr, 4, Access::Read, lane);
            }
        }
        put(m, step, slot, row, &out);
    }
}

lanes! {
    fn store_words(m, step) {
        for k in 0..m.live_len {
            let row = m.live[k] as usize;
            count(m, step, row);
            match same(m, step, row) {
                Some(at) if m.mask[row] == u32::MAX => {
                    for slot in 0..usize::from(step.len) {
                        let values = &u32::rows(&m.regs)[step.src[slot + 1] as usize + row];
                        let mem = &mut m.mems[step.mem as usize];
                        let at = at + slot * mem.stride as usize;
                        mem.words.get_mut()[at..at + ROW].copy_from_slice(&values[..]);
                        if let Some(filled) = mem.filled.get_mut(at..at + ROW) {
                            filled.fill(15);
                        }
                    }
                }
                _ => scattered_store(m, step, row),
            }
        }
    }
}

fn scattered_store(m: &mut Machine, step: &Step, row: usize) {
    let base = addresses(m, step, row);
    let lane_slot = ((m.first_row + row) * ROW) as u32;
    for slot in 0..usize::from(step.len) {
        for i in 0..ROW {
            if m.mask[row] >> i & 1 == 0 {
                continue;
            }
            let addr = base[i].wrapping_add(step.imm).wrapping_add(4 * slot as u32);
            let value = u32::rows(&m.regs)[step.src[slot + 1] as usize + row][i];
            let mem = &mut m.mems[step.mem as usize];
            if u64::from(addr) + 4 <= u64::from(mem.bytes) && addr & 3 == 0 {
                let at = mem.word(addr, lane_slot + i as u32);
                mem.words.get_mut()[at] = value;
                mem.fill(addr, 4, lane_slot + i as u32);
            } else {
                let lane = m.lane(row, i);
                m.in_bounds(step, addr, 4, Access::Write, lane);
            }
        }
    }
}

fn load_any(m: &mut Machine, step: &Step) {
    for k in 0..m.live_len {
        let row = m.live[k] as usize;
        count(m, step, row);
        super::slow::load(m, step, row);
    }
}

fn store_any(m: &mut Machine, step: &Step) {
    for k in 0..m.live_len {
        let row = m.live[k] as usize;
        count(m, step, row);
        super::slow::store(m, step, row);
    }
}

pub fn load(fmt: Fmt) -> Pair {
    let lanes = if fmt == Fmt::Word { load_words } else { load_any };
    Pair { lanes, once: lanes }
}

pub fn store(fmt: Fmt) -> Pair {
    let lanes = if fmt == Fmt::Word { store_words } else { store_any };
    Pair { lanes, once: lanes }
}
