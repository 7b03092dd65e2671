//! Matrix products of a warp: fragments gathered into matrices, multiplied, handed back.
//!
//! Products are exact. In mode `nearest` their sum is rounded once; in the others every term is first cut to what an
//! accumulator of the least width on any tensor core holds beside the largest, and the sum is cut, not rounded.

use super::SLOTS;
use crate::api::finding::FindingKind;
use crate::api::options::Mode;
use crate::exec::lanes::ROW;
use crate::exec::machine::{MOST_ROWS, Machine};
use crate::exec::scalar::format::{decode, power, round_to};
use crate::exec::step::Step;
use crate::ir::mma::{Elem, Mma, Part};
use crate::ir::scalar::{How, Num, Round};

/// Elements of the largest fragment: 16 by 64.
const MOST: usize = 1024;

/// Where each matrix is put down.
pub fn slot(part: Part) -> u32 {
    match part {
        Part::A => 0,
        Part::B => 16,
        Part::C => 32,
        Part::D => 48,
    }
}

/// Which lanes and bits make up a matrix.
fn each(mma: &Mma, part: Part, mut f: impl FnMut(usize, usize, usize, u32)) {
    let (_, cols) = mma.size(part);
    let packed = mma.elem(part).packed();
    for r in 0..mma.regs(part) {
        for lane in 0..ROW as u32 {
            for i in 0..packed {
                let (row, col) = mma.place(part, lane, r, i);
                f((row * cols + col) as usize, r as usize, lane as usize, i);
            }
        }
    }
}

fn value(elem: Elem, bits: u64) -> f64 {
    match elem {
        Elem::Float(num) => decode(num, bits),
        Elem::S8 => f64::from(bits as u8 as i8),
        Elem::U8 => f64::from(bits as u8),
        Elem::S4 => f64::from(((bits as u8) << 4) as i8 >> 4),
        Elem::U4 => f64::from(bits as u8 & 15),
        Elem::S32 => f64::from(bits as u32 as i32),
    }
}

fn gather(m: &Machine, mma: &Mma, part: Part, row: usize, out: &mut [f64; MOST]) {
    let elem = mma.elem(part);
    let bits = elem.bits();
    let first = slot(part) as usize;
    let wide = bits == 64;
    each(mma, part, |at, r, lane, i| {
        let word = |s: usize| m.tray[(first + s) % SLOTS * MOST_ROWS + row][lane];
        let raw = if wide {
            u64::from(word(2 * r)) | u64::from(word(2 * r + 1)) << 32
        } else {
            u64::from(word(r)) >> (i * bits)
        };
        out[at % MOST] = value(elem, raw);
    });
}

/// The bits of a result.
fn bits_of(mma: &Mma, value: f64, cut: bool) -> u64 {
    match mma.d {
        Elem::Float(num) => {
            let round = if cut && num == Num::F32 { Round::Zero } else { Round::Near };
            round_to(num, value, How { round, ..How::default() })
        }
        _ if mma.sat => value.clamp(f64::from(i32::MIN), f64::from(i32::MAX)) as i32 as u32 as u64,
        _ => u64::from(value as i64 as u32),
    }
}

/// The sum as a tensor core may make it: terms cut to 24 bits below the largest.
fn cut_sum(a: &[f64], b: &[f64], stride: usize, c: f64) -> f64 {
    let terms = || a.iter().enumerate().map(|(k, x)| x * b[k * stride]).chain([c]);
    let largest = terms().fold(0.0f64, |most, t| most.max(t.abs()));
    if !largest.is_finite() || largest == 0.0 {
        return terms().sum();
    }
    let place = ((largest.to_bits() >> 52) as i32 - 1023 - 23).max(-149);
    terms().map(|t| (t * power(-place)).trunc() * power(place)).sum()
}

lanes! {
    fn multiply(m, step) {
        let mma = m.prog.mmas[step.imm2 as usize];
        let cut = m.mode != Mode::Nearest && matches!(mma.d, Elem::Float(Num::F32 | Num::F16)) ;
        let (rows, cols, depth) = (mma.m as usize, mma.n as usize, mma.k as usize);
        for live in 0..m.live_len {
            let row = m.live[live] as usize;
            let (mut a, mut b, mut c) = ([0.0; MOST], [0.0; MOST], [0.0; MOST]);
            gather(m, &mma, Part::A, row, &mut a);
            gather(m, &mma, Part::B, row, &mut b);
            gather(m, &mma, Part::C, row, &mut c);
            for i in 0..rows {
                let sums = &mut c[i * cols..(i + 1) * cols];
                if cut {
                    for (j, sum) in sums.iter_mut().enumerate() {
                        *sum = cut_sum(&a[i * depth..(i + 1) * depth], &b[j..], cols, *sum);
                    }
                    continue;
                }
                for k in 0..depth {
                    let x = a[i * depth + k];
                    for (sum, y) in sums.iter_mut().zip(&b[k * cols..(k + 1) * cols]) {
                        *sum += x * y;
                    }
                }
            }
            scatter(m, &mma, row, &c, cut);
        }
    }
}

fn scatter(m: &mut Machine, mma: &Mma, row: usize, sums: &[f64; MOST], cut: bool) {
    let first = slot(Part::D) as usize;
    let bits = mma.d.bits();
    let wide = bits == 64;
    each(mma, Part::D, |at, r, lane, i| {
        let raw = bits_of(mma, sums[at % MOST], cut);
        let mut put = |s: usize, word: u32| m.tray[(first + s) % SLOTS * MOST_ROWS + row][lane] = word;
        if wide {
            put(2 * r, raw as u32);
            put(2 * r + 1, (raw >> 32) as u32);
        } else if bits == 32 {
            put(r, raw as u32);
        } else {
            let shift = i * bits;
            let slot = &mut m.tray[(first + r) % SLOTS * MOST_ROWS + row][lane];
            let ones = ((1u32 << bits) - 1) << shift;
            *slot = *slot & !ones | (raw as u32) << shift & ones;
        }
    });
}

pub fn run(m: &mut Machine, step: &Step) {
    for k in 0..m.live_len {
        let row = m.live[k] as usize;
        let active = m.mask[row];
        if active != u32::MAX {
            let text = format!("a matrix product of a warp with {} of 32 lanes", active.count_ones());
            m.report_lanes(FindingKind::Warp, step.at, row, active, &text);
        }
    }
    multiply(m, step);
}
