//! Addresses: `base + index * stride`, checked against the length of the array, and lengths of buffers.

use crate::api::finding::FindingKind;
use crate::exec::alu::lift::{get, one, put, put_one};
use crate::exec::lanes::{ROW, Raw, Row};
use crate::exec::machine::Machine;
use crate::exec::step::{Pair, Step};

/// Set in an address that an index out of range made; no memory reaches that far.
pub const NOWHERE: u32 = 0x8000_0000;

/// The address in the place of one that an index out of range made; it keeps the low bits.
#[inline(always)]
pub fn nowhere(at: u32) -> u32 {
    at & (NOWHERE / 4 - 1) | NOWHERE
}

#[inline(always)]
fn address(base: u32, index: u32, stride: u32, len: u32) -> u32 {
    let at = base.wrapping_add(index.wrapping_mul(stride));
    if index < len { at } else { nowhere(at) }
}

lanes! {
    fn lanes(m, step) {
        for k in 0..m.live_len {
            let row = m.live[k] as usize;
            let base = &u32::rows(&m.regs)[step.src[0] as usize + row];
            let index = &u32::rows(&m.regs)[step.src[1] as usize + row];
            let (mut out, mut any) = (Row([0; ROW]), 0);
            for i in 0..ROW {
                out[i] = address(base[i], index[i], step.imm, step.imm2);
                any |= out[i];
            }
            if any & NOWHERE != 0 {
                let (base, index) = (*base, *index);
                m.note_far(row, &base, &index, step);
            }
            put(m, step, 0, row, &out);
        }
    }
}

lanes! {
    fn shared_lanes(m, step) {
        let index = one::<u32>(m, step, 1);
        let at = index.wrapping_mul(step.imm);
        let wrong = index >= step.imm2;
        for k in 0..m.live_len {
            let row = m.live[k] as usize;
            let base = &u32::rows(&m.regs)[step.src[0] as usize + row];
            let mut out = Row([0; ROW]);
            for i in 0..ROW {
                let sum = base[i].wrapping_add(at);
                out[i] = if wrong { nowhere(sum) } else { sum };
            }
            if wrong {
                let base = *base;
                m.note_far(row, &base, &Row([index; ROW]), step);
            }
            put(m, step, 0, row, &out);
        }
    }
}

/// Addresses of lanes by an index that they share.
pub fn shared_pair() -> Pair {
    Pair { lanes: shared_lanes, once }
}

fn once(m: &mut Machine, step: &Step) {
    let (base, index) = (one(m, step, 0), one(m, step, 1));
    let out = address(base, index, step.imm, step.imm2);
    if out & NOWHERE != 0 {
        m.note_far_shared(base, index, step);
    }
    put_one(m, step, 0, out);
}

pub fn pair() -> Pair {
    Pair { lanes, once }
}

fn length_of(m: &Machine, step: &Step) -> u32 {
    m.mems[step.mem as usize].bytes.saturating_sub(step.imm) / step.imm2.max(1)
}

fn length_once(m: &mut Machine, step: &Step) {
    let out = length_of(m, step);
    put_one(m, step, 0, out);
}

fn length_lanes(m: &mut Machine, step: &Step) {
    let out = Row([length_of(m, step); ROW]);
    for k in 0..m.live_len {
        put(m, step, 0, m.live[k] as usize, &out);
    }
}

/// `arrayLength`.
pub fn length() -> Pair {
    Pair { lanes: length_lanes, once: length_once }
}

fn check_lanes(m: &mut Machine, step: &Step) {
    for k in 0..m.live_len {
        let row = m.live[k] as usize;
        let index = get::<u32>(m, step, 0, row);
        let mut wrong = 0;
        for (i, &at) in index.iter().enumerate() {
            wrong |= u32::from(at >= step.imm2) << i;
        }
        let wrong = wrong & m.mask[row];
        if wrong != 0 {
            let at = index[wrong.trailing_zeros() as usize] as i32;
            let text = format!("index {at} is out of range: the value has {} elements", step.imm2);
            m.report_lanes(FindingKind::OutOfBounds, step.at, row, wrong, &text);
        }
    }
}

fn check_once(m: &mut Machine, step: &Step) {
    let at: u32 = one(m, step, 0);
    if at >= step.imm2 {
        let row = m.live[0] as usize;
        let text = format!("index {} is out of range: the value has {} elements", at as i32, step.imm2);
        m.report_lanes(FindingKind::OutOfBounds, step.at, row, m.mask[row], &text);
    }
}

/// Reports an index out of range.
pub fn check() -> Pair {
    Pair { lanes: check_lanes, once: check_once }
}

fn uniform_lanes(m: &mut Machine, step: &Step) {
    let mut first = None;
    for k in 0..m.live_len {
        let row = m.live[k] as usize;
        let value = get::<u32>(m, step, 0, row);
        for (i, &v) in value.iter().enumerate().filter(|(i, _)| m.mask[row] >> i & 1 == 1) {
            if *first.get_or_insert(v) != v {
                let text = "a pointer that must be the same for all lanes differs";
                m.report_lanes(FindingKind::NotUniform, step.at, row, 1 << i, text);
                return;
            }
        }
    }
}

/// Reports a value that differs among the lanes.
pub fn uniform() -> Pair {
    Pair { lanes: uniform_lanes, once: |_, _| {} }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_index_out_of_range_leads_nowhere() {
        assert_eq!(address(8, 3, 4, 4), 20);
        assert!(address(8, 4, 4, 4) >= NOWHERE);
        assert!(address(8, u32::MAX, 4, 4) >= NOWHERE);
        assert!(address(0, u32::MAX, 4, 4).checked_add(1 << 30).is_some());
    }
}
