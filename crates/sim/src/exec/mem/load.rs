//! Loads: a whole row at once while its addresses are in order, lane by lane when something is to be looked
//! at.

use super::site::{Shape, site_of};
use crate::exec::alu::lift::put;
use crate::exec::lanes::{ROW, Raw, Row};
use crate::exec::machine::Machine;
use crate::exec::step::{Pair, Step};
use crate::ir::Fmt;
use crate::ptx::{READ_ONLY, vector_size};
use ktwin_num::f16_to_f32;

/// The addresses of a row; lanes that are not active get that of the first active one, which is harmless to
/// read.
#[inline(always)]
pub fn addresses(m: &Machine, step: &Step, row: usize) -> Row<u32> {
    let mut addr = u32::rows(&m.regs)[step.src[0] as usize + row];
    let mask = m.mask[row];
    if mask != u32::MAX {
        let first = addr[mask.trailing_zeros() as usize & 31];
        for i in 0..ROW {
            addr[i] = if mask & (1 << i) != 0 { addr[i] } else { first };
        }
    }
    addr
}

/// Looks the pattern up, counts the access, and tells whether all of it is in bounds, aligned and of no
/// interest to any check.
#[inline(always)]
pub fn plain(m: &mut Machine, step: &Step, row: usize, addr: &Row<u32>) -> bool {
    let site = &mut m.sites[site_of(step, row)];
    if site.differs(addr) {
        site.learn(addr, m.counts);
    }
    let first = addr[0].wrapping_add(step.imm);
    if m.counts {
        site.count(first, m.mask[row].count_ones());
    }
    let mem = &m.mems[step.mem as usize];
    let low = i64::from(first) + i64::from(site.low);
    let high = i64::from(first) + i64::from(site.high) + i64::from(site.bytes);
    let element = (site.bytes / u32::from(step.len) - 1) | vector_size(step.imm2).saturating_sub(1);
    low >= 0 && high <= i64::from(mem.bytes) && (first | site.bits) & element == 0
}

/// Whether all that the lanes of a row touch, which is in bounds, is written.
#[inline(always)]
pub fn all_written(init: &[u8], grain: u32, addr: &Row<u32>, imm: u32, bytes: u32) -> bool {
    let each = (bytes >> grain).max(1) as usize;
    let mut all = true;
    for i in 0..ROW {
        let start = (addr[i].wrapping_add(imm) >> grain) as usize;
        all &= init[start..start + each].iter().all(|&b| b == 1);
    }
    all
}

/// Whether checks must see each lane of a load.
#[inline(always)]
fn watched(m: &mut Machine, step: &Step, row: usize, addr: &Row<u32>) -> bool {
    let first = addr[0].wrapping_add(step.imm);
    let cached = step.imm2 & READ_ONLY != 0 && m.prog.mems[step.mem as usize].writable;
    if cached || (m.detail || m.prog.warp_syncs && step.tracked) && !m.settled() {
        return true;
    }
    let lane = m.lane(row, 0);
    let (mask, shape) = (m.mask[row], m.sites[site_of(step, row)].shape);
    let run = shape == Shape::Run && mask == u32::MAX && step.len == 1;
    let mem = &mut m.mems[step.mem as usize];
    if let Some(init) = &mem.init {
        let grains = (4 >> mem.grain.min(2)) as usize;
        let start = (first >> mem.grain) as usize;
        if !run {
            let bytes = m.sites[site_of(step, row)].bytes;
            if !all_written(init, mem.grain, addr, step.imm, bytes) {
                return true;
            }
        } else if init[start..start + ROW * grains].iter().any(|&b| b != 1) {
            return true;
        }
    }
    if !step.tracked {
        return false;
    }
    let Some(shadow) = &mut mem.shadow else { return false };
    let global = mem.space == crate::ir::MemSpace::Global;
    let clock = if global { m.global_clock } else { m.shared_clock };
    !(run && mem.grain == 2 && shadow.read_run((first >> 2) as usize, lane, clock, global))
}

lanes! {
    fn word_lanes(m, step) {
        for k in 0..m.live_len {
            let row = m.live[k] as usize;
            let addr = addresses(m, step, row);
            if !plain(m, step, row, &addr) || watched(m, step, row, &addr) {
                super::slow::load(m, step, row);
                continue;
            }
            if step.len == 1 {
                let out = fetch_row(m, step, row, &addr);
                put(m, step, 0, row, &out);
            } else {
                fetch_many(m, step, row, &addr);
            }
        }
    }
}

/// One word a lane, all in bounds.
#[inline(always)]
fn fetch_row(m: &Machine, step: &Step, row: usize, addr: &Row<u32>) -> Row<u32> {
    let words = m.mems[step.mem as usize].words.get();
    let at = |i: usize| (addr[i].wrapping_add(step.imm) >> 2) as usize;
    let mut out = Row([0; ROW]);
    match m.sites[site_of(step, row)].shape {
        Shape::Same => out = Row([words[at(0)]; ROW]),
        Shape::Run => out.copy_from_slice(&words[at(0)..at(0) + ROW]),
        Shape::Halves(low, high) => {
            let (first, second) = (fetch_half(words, at(0), low), fetch_half(words, at(ROW / 2), high));
            out[..ROW / 2].copy_from_slice(&first);
            out[ROW / 2..].copy_from_slice(&second);
        }
        Shape::Any => {
            for i in 0..ROW {
                out[i] = words[at(i)];
            }
        }
    }
    out
}

#[inline(always)]
fn fetch_half(words: &[u32], at: usize, run: bool) -> [u32; ROW / 2] {
    let mut out = [words[at]; ROW / 2];
    if run {
        out.copy_from_slice(&words[at..at + ROW / 2]);
    }
    out
}

/// Several words a lane.
#[inline(always)]
fn fetch_many(m: &mut Machine, step: &Step, row: usize, addr: &Row<u32>) {
    let same = m.sites[site_of(step, row)].shape == Shape::Same;
    for slot in 0..usize::from(step.len) {
        let words = m.mems[step.mem as usize].words.get();
        let at = |i: usize| (addr[i].wrapping_add(step.imm) >> 2) as usize + slot;
        let mut out = Row([0; ROW]);
        if same {
            out = Row([words[at(0)]; ROW]);
        } else {
            for i in 0..ROW {
                out[i] = words[at(i)];
            }
        }
        put(m, step, slot, row, &out);
    }
}

/// What 16 bits or 8 in memory are in a register.
#[inline(always)]
pub fn widen(fmt: Fmt, bits: u32) -> u32 {
    match fmt {
        Fmt::Half => f16_to_f32(bits as u16).to_bits(),
        Fmt::Short => i32::from(bits as i16) as u32,
        Fmt::Byte => bits & 0xff,
        _ => bits & 0xffff,
    }
}

/// Elements of 16 bits or 8.
#[inline(always)]
fn shorts(m: &mut Machine, step: &Step, fmt: Fmt) {
    for k in 0..m.live_len {
        let row = m.live[k] as usize;
        let addr = addresses(m, step, row);
        if !plain(m, step, row, &addr) || watched(m, step, row, &addr) {
            super::slow::load(m, step, row);
            continue;
        }
        for slot in 0..usize::from(step.len) {
            let words = m.mems[step.mem as usize].words.get();
            let mut out = Row([0; ROW]);
            for i in 0..ROW {
                let at = addr[i].wrapping_add(step.imm).wrapping_add(fmt.bytes() * slot as u32);
                out[i] = words[(at >> 2) as usize] >> (8 * (at & 3));
            }
            for v in out.iter_mut() {
                *v = widen(fmt, *v);
            }
            put(m, step, slot, row, &out);
        }
    }
}

lanes! {
    fn half_lanes(m, step) {
        shorts(m, step, Fmt::Half);
    }
}

lanes! {
    fn signed_lanes(m, step) {
        shorts(m, step, Fmt::Short);
    }
}

lanes! {
    fn byte_lanes(m, step) {
        shorts(m, step, Fmt::Byte);
    }
}

lanes! {
    fn unsigned_lanes(m, step) {
        shorts(m, step, Fmt::UShort);
    }
}

fn wide_lanes(m: &mut Machine, step: &Step) {
    for k in 0..m.live_len {
        let row = m.live[k] as usize;
        let addr = addresses(m, step, row);
        if !plain(m, step, row, &addr) || watched(m, step, row, &addr) {
            super::slow::load(m, step, row);
            continue;
        }
        for slot in 0..usize::from(step.len) {
            let words = m.mems[step.mem as usize].words.get();
            let mut out = Row([0u64; ROW]);
            for i in 0..ROW {
                let at = (addr[i].wrapping_add(step.imm) >> 2) as usize + 2 * slot;
                out[i] = u64::from(words[at]) | u64::from(words[at + 1]) << 32;
            }
            put(m, step, slot, row, &out);
        }
    }
}

pub fn pair(fmt: Fmt) -> Pair {
    match fmt {
        Fmt::Word => Pair { lanes: word_lanes, once: super::slow::load_once },
        Fmt::Wide => Pair { lanes: wide_lanes, once: super::slow::load_once },
        Fmt::Half => Pair { lanes: half_lanes, once: super::slow::load_once },
        Fmt::Short => Pair { lanes: signed_lanes, once: super::slow::load_once },
        Fmt::UShort => Pair { lanes: unsigned_lanes, once: super::slow::load_once },
        Fmt::Byte => Pair { lanes: byte_lanes, once: super::slow::load_once },
    }
}
