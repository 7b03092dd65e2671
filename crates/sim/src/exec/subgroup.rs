//! Subgroup operations: among the active lanes of each warp of a row, or of the two rows of a wide warp.

use super::lanes::{ROW, Raw};
use super::machine::Machine;
use super::step::{Pair, Step};
use crate::ir::{Bin, Gather, Scan, Ty};

/// The warps of the running gang, as ranges of its lanes (row times 32, plus lane).
fn warps(m: &Machine) -> Vec<(usize, usize)> {
    let width = m.shape.warp as usize;
    let mut out = Vec::new();
    if width > ROW {
        for first in (0..m.live_rows()).step_by(width / ROW) {
            out.push((first * ROW, (first * ROW + width).min(m.live_rows() * ROW)));
        }
    } else {
        for k in 0..m.live_len {
            let row = m.live[k] as usize;
            let lanes = (m.shape.row_lanes as usize).max(1);
            for first in (0..lanes).step_by(width) {
                out.push((row * ROW + first, row * ROW + first + width));
            }
        }
    }
    out
}

impl Machine {
    /// Rows up to the last live one.
    fn live_rows(&self) -> usize {
        self.live[..self.live_len].iter().map(|&row| row as usize + 1).max().unwrap_or(0)
    }

    fn is_active(&self, at: usize) -> bool {
        self.mask[at / ROW] >> (at % ROW) & 1 == 1
    }
}

fn read<T: Raw>(m: &Machine, src: u32, at: usize) -> T {
    T::rows(&m.regs)[src as usize + at / ROW][at % ROW]
}

fn write<T: Raw>(m: &mut Machine, dst: u32, at: usize, value: T) {
    T::rows_mut(&mut m.regs)[dst as usize + at / ROW][at % ROW] = value;
}

/// One step of a reduction.
fn join(bin: Bin, ty: Ty, a: u64, b: u64) -> u64 {
    let real = |f: fn(f64, f64) -> f64| match ty {
        Ty::F64 => f(f64::from_bits(a), f64::from_bits(b)).to_bits(),
        _ => {
            let out = f(f64::from(f32::from_bits(a as u32)), f64::from(f32::from_bits(b as u32)));
            let out = if ty == Ty::F16 { super::alu::convert::half_of_f64(out) } else { out as f32 };
            u64::from(out.to_bits())
        }
    };
    let less = match ty {
        Ty::I16 | Ty::I32 => (a as i32) < b as i32,
        Ty::I64 => (a as i64) < b as i64,
        _ => a < b,
    };
    match (bin, ty.is_float()) {
        (Bin::Add, true) => real(|x, y| x + y),
        (Bin::Mul, true) => real(|x, y| x * y),
        (Bin::Min, true) => real(f64::min),
        (Bin::Max, true) => real(f64::max),
        (Bin::Add, _) => wrap(ty, a.wrapping_add(b)),
        (Bin::Mul, _) => wrap(ty, a.wrapping_mul(b)),
        (Bin::Min, _) => {
            if less {
                a
            } else {
                b
            }
        }
        (Bin::Max, _) => {
            if less {
                b
            } else {
                a
            }
        }
        (Bin::And, _) => a & b,
        (Bin::Or, _) => a | b,
        _ => a ^ b,
    }
}

fn wrap(ty: Ty, bits: u64) -> u64 {
    match ty {
        Ty::I16 => u64::from(i32::from(bits as i16) as u32),
        Ty::U16 => bits & 0xffff,
        Ty::I64 | Ty::U64 => bits,
        _ => bits & 0xffff_ffff,
    }
}

/// The value that changes nothing.
fn identity(bin: Bin, ty: Ty) -> u64 {
    let real = |v: f64| if ty == Ty::F64 { v.to_bits() } else { u64::from((v as f32).to_bits()) };
    match (bin, ty.is_float()) {
        (Bin::Mul, true) => real(1.0),
        (Bin::Add, true) => real(0.0),
        (Bin::Min, true) => real(f64::INFINITY),
        (Bin::Max, true) => real(f64::NEG_INFINITY),
        (Bin::Mul, _) => 1,
        (Bin::And, _) => wrap(ty, u64::MAX),
        _ => 0,
    }
}

/// The warps, or their clusters of so many lanes.
fn clusters(m: &Machine, size: u32) -> Vec<(usize, usize)> {
    let warps = warps(m);
    if size == 0 {
        return warps;
    }
    let size = size as usize;
    let parts =
        |(first, end): (usize, usize)| (first..end).step_by(size).map(move |at| (at, (at + size).min(end)));
    warps.into_iter().flat_map(parts).collect()
}

fn scan<T: Raw>(m: &mut Machine, step: &Step) {
    let (kind, bin, ty) = m.scans[step.site as usize];
    for (first, end) in clusters(m, step.imm) {
        let mut sum = None;
        for at in first..end {
            if !m.is_active(at) {
                continue;
            }
            let value = read::<T>(m, step.src[0], at).to_u64();
            let before = sum;
            let now = sum.map_or(value, |s| join(bin, ty, s, value));
            sum = Some(now);
            let out = if kind == Scan::Exclusive { before.unwrap_or(identity(bin, ty)) } else { now };
            write(m, step.dst[0], at, T::from_u64(out));
        }
        if kind == Scan::Reduce {
            for at in first..end {
                write(m, step.dst[0], at, T::from_u64(sum.unwrap_or(0)));
            }
        }
    }
}

pub fn scan_pair(ty: Ty) -> Pair {
    let lanes = if ty.wide() { scan::<u64> } else { scan::<u32> };
    Pair { lanes, once: lanes }
}

fn vote(m: &mut Machine, step: &Step, all: bool) {
    for (first, end) in warps(m) {
        let mut active = (first..end).filter(|&at| m.is_active(at));
        let truth = |at: usize| read::<u32>(m, step.src[0], at) != 0;
        let out = if all { active.all(truth) } else { active.any(truth) };
        for at in first..end {
            write(m, step.dst[0], at, u32::from(out));
        }
    }
}

fn all(m: &mut Machine, step: &Step) {
    vote(m, step, true);
}

fn any(m: &mut Machine, step: &Step) {
    vote(m, step, false);
}

pub fn vote_pair(every: bool) -> Pair {
    let lanes = if every { all } else { any };
    Pair { lanes, once: lanes }
}

fn ballot(m: &mut Machine, step: &Step) {
    for (first, end) in warps(m) {
        let mut words = [0u32; 4];
        for at in (first..end).filter(|&at| m.is_active(at)) {
            if read::<u32>(m, step.src[0], at) != 0 {
                words[(at - first) / 32] |= 1 << ((at - first) % 32);
            }
        }
        for at in first..end {
            for (slot, &word) in words.iter().enumerate() {
                write(m, step.dst[slot], at, word);
            }
        }
    }
}

pub fn ballot_pair() -> Pair {
    Pair { lanes: ballot, once: ballot }
}

fn gather<T: Raw>(m: &mut Machine, step: &Step) {
    let kind = m.gathers[step.site as usize];
    for (first, end) in warps(m) {
        let old: Vec<T> = (first..end).map(|at| read(m, step.src[0], at)).collect();
        let active: Vec<bool> = (first..end).map(|at| m.is_active(at)).collect();
        let lowest = active.iter().position(|&a| a).unwrap_or(0);
        for at in (first..end).filter(|at| active[at - first]) {
            let lane = at - first;
            let by = read::<u32>(m, step.src[1], at) as usize;
            let from = match kind {
                Gather::First => lowest,
                Gather::Broadcast | Gather::Shuffle => by,
                Gather::Up => lane.wrapping_sub(by),
                Gather::Down => lane.wrapping_add(by),
                Gather::Xor => lane ^ by,
                Gather::QuadBroadcast => lane & !3 | by & 3,
                Gather::QuadX => lane ^ 1,
                Gather::QuadY => lane ^ 2,
                Gather::QuadDiagonal => lane ^ 3,
            };
            // reading from a lane that does not exist or is not active is undefined: here it gives its own value
            let from = if active.get(from).copied().unwrap_or(false) { from } else { lane };
            write(m, step.dst[0], at, old[from]);
        }
    }
}

pub fn gather_pair(wide: bool) -> Pair {
    let lanes = if wide { gather::<u64> } else { gather::<u32> };
    Pair { lanes, once: lanes }
}
