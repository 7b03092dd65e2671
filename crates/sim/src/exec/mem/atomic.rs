//! Atomic operations: lane by lane, in the order of the lanes.

use super::load::{addresses, all_written, plain};
use super::signal::Signal;
use crate::api::finding::{Access, FindingKind};
use crate::exec::alu::lift::put;
use crate::exec::lanes::{ROW, Raw, Row};
use crate::exec::machine::{AccessReport, Machine};
use crate::exec::step::{Pair, Step};
use crate::ir::scalar::{Arith, How, Scalar};
use crate::ir::{AtomicFun, MemSpace, NONE, Ty};
use crate::ptx::NEAR;

/// The new value; `compare` decides an exchange.
fn combine(fun: AtomicFun, ty: Ty, old: u64, value: u64, compare: u64) -> u64 {
    let pick = |take: bool| if take { value } else { old };
    match fun {
        AtomicFun::Load => old,
        AtomicFun::Store | AtomicFun::Exchange => value,
        AtomicFun::CompareExchange => pick(old == compare),
        AtomicFun::Increment => {
            if old >= value {
                0
            } else {
                old + 1
            }
        }
        AtomicFun::Decrement => {
            if old == 0 || old > value {
                value
            } else {
                old - 1
            }
        }
        AtomicFun::Arrive => {
            let left = (old & 0xf_ffff).wrapping_sub(value) & 0xf_ffff;
            let kept = old & !0xf_ffff;
            if left == 0 { (kept ^ 1 << 63) | kept >> 20 & 0xf_ffff } else { kept | left }
        }
        AtomicFun::AddPair(num) | AtomicFun::AddHalf(num) => {
            let scalar = Scalar::Pair(Arith::Add, num, How::default());
            crate::exec::scalar::eval::eval(scalar, [old, value, 0])
        }
        AtomicFun::And => old & value,
        AtomicFun::Or => old | value,
        AtomicFun::Xor => old ^ value,
        AtomicFun::Add | AtomicFun::Sub => {
            let minus = fun == AtomicFun::Sub;
            match ty {
                Ty::F32 => {
                    let (a, b) = (f32::from_bits(old as u32), f32::from_bits(value as u32));
                    u64::from((if minus { a - b } else { a + b }).to_bits())
                }
                Ty::F64 => {
                    let (a, b) = (f64::from_bits(old), f64::from_bits(value));
                    (if minus { a - b } else { a + b }).to_bits()
                }
                _ if minus => old.wrapping_sub(value),
                _ => old.wrapping_add(value),
            }
        }
        AtomicFun::Min | AtomicFun::Max => {
            let less = match ty {
                Ty::I32 => (value as i32) < old as i32,
                Ty::I64 => (value as i64) < old as i64,
                Ty::F32 => f32::from_bits(value as u32) < f32::from_bits(old as u32),
                Ty::F64 => f64::from_bits(value) < f64::from_bits(old),
                _ => value < old,
            };
            pick(value != old && less == (fun == AtomicFun::Min))
        }
    }
}

fn lanes<T: Raw>(m: &mut Machine, step: &Step) {
    let (fun, ty) = m.atomics[step.site as usize];
    let global = m.mems[step.mem as usize].space == MemSpace::Global;
    for k in 0..m.live_len {
        let row = m.live[k] as usize;
        let addr = addresses(m, step, row);
        let safe = plain(m, step, row, &addr);
        let bytes = bytes_of::<T>(fun);
        // each lane takes as long as an instruction of all
        m.budget = m.budget.saturating_sub(u64::from(m.mask[row].count_ones()));
        if safe && size_of::<T>() == 4 && quick(m, step, row, &addr, fun, ty) {
            continue;
        }
        for i in 0..ROW {
            if m.mask[row] >> i & 1 == 1 {
                let at = addr[i].wrapping_add(step.imm);
                let lane = m.lane(row, i);
                if safe || m.in_bounds(step, at, bytes, access(fun), lane) {
                    one::<T>(m, step, row, i, at, fun, ty);
                } else {
                    give::<T>(m, step, row, i, T::default(), false);
                }
            }
        }
    }
    if global {
        m.early.end();
    }
}

/// A row of whole numbers where nothing is to be found: all in bounds and written before, and no order to keep track
/// of. Tells whether it was one.
#[inline(always)]
fn quick(m: &mut Machine, step: &Step, row: usize, addr: &Row<u32>, fun: AtomicFun, ty: Ty) -> bool {
    let signed = ty == Ty::I32;
    // where other accesses need not be atomic, each is held against them
    let apart = !m.prog.rules.pointers || m.mems[step.mem as usize].space != MemSpace::Shared;
    if m.prog.rules.fences || !apart || step.dst[1] != NONE || !(signed || ty == Ty::U32) {
        return false;
    }
    if let Some(init) = &m.mems[step.mem as usize].init
        && !all_written(init, m.mems[step.mem as usize].grain, addr, step.imm, 4)
    {
        return false;
    }
    let as_signed = |f: fn(i32, i32) -> i32| move |a: u32, b: u32| f(a as i32, b as i32) as u32;
    match fun {
        AtomicFun::Store | AtomicFun::Exchange => each(m, step, row, addr, |_, new| new),
        AtomicFun::Add => each(m, step, row, addr, u32::wrapping_add),
        AtomicFun::Sub => each(m, step, row, addr, u32::wrapping_sub),
        AtomicFun::And => each(m, step, row, addr, |a, b| a & b),
        AtomicFun::Or => each(m, step, row, addr, |a, b| a | b),
        AtomicFun::Xor => each(m, step, row, addr, |a, b| a ^ b),
        AtomicFun::Min if signed => each(m, step, row, addr, as_signed(i32::min)),
        AtomicFun::Max if signed => each(m, step, row, addr, as_signed(i32::max)),
        AtomicFun::Min => each(m, step, row, addr, u32::min),
        AtomicFun::Max => each(m, step, row, addr, u32::max),
        _ => return false,
    }
    true
}

/// One function of the old value and the operand, lane by lane.
#[inline(always)]
fn each(m: &mut Machine, step: &Step, row: usize, addr: &Row<u32>, f: impl Fn(u32, u32) -> u32) {
    let values = match step.src[1] {
        NONE => Row([0; ROW]),
        src => m.regs.rows32[src as usize + row],
    };
    let (mask, lane, clock) = (m.mask[row], m.lane(row, 0), m.global_clock);
    let mem = &mut m.mems[step.mem as usize];
    let words = mem.words.get_mut();
    let mut old = Row([0; ROW]);
    let mut left = mask;
    while left != 0 {
        let i = left.trailing_zeros() as usize;
        left &= left - 1;
        let word = &mut words[(addr[i].wrapping_add(step.imm) >> 2) as usize];
        old[i] = *word;
        *word = f(*word, values[i]);
    }
    if mem.space == MemSpace::Global
        && let Some(shadow) = &mut mem.shadow
    {
        for i in (0..ROW).filter(|i| mask >> i & 1 == 1) {
            let grain = (addr[i].wrapping_add(step.imm) >> mem.grain) as usize;
            shadow.touch(grain, lane + i as u32, clock);
        }
    }
    if step.dst[0] != NONE {
        put(m, step, 0, row, &old);
    }
}

fn access(fun: AtomicFun) -> Access {
    match fun {
        AtomicFun::Load => Access::Read,
        AtomicFun::Store => Access::Write,
        _ => Access::Atomic,
    }
}

#[inline(always)]
#[allow(clippy::too_many_arguments)]
fn one<T: Raw>(m: &mut Machine, step: &Step, row: usize, i: usize, addr: u32, fun: AtomicFun, ty: Ty) {
    let operand = |m: &Machine, slot: usize| match step.src[slot] {
        NONE => 0,
        src => T::rows(&m.regs)[src as usize + row][i].to_u64(),
    };
    let (value, compare) = (operand(m, 1), operand(m, 2));
    let lane = m.lane(row, i);
    if fun == AtomicFun::Load
        && delays(m, step)
        && let Some((old, written)) = m.stale((step.mem, addr), lane)
    {
        if !written {
            // it may come before the first store that it could see
            report(m, step, FindingKind::Race, addr, Access::Read, lane);
        }
        return give(m, step, row, i, T::from_u64(old), false);
    }
    let wide = size_of::<T>() == 8;
    if fun == AtomicFun::Load
        && let Some(old) = m.early((step.mem, addr), wide)
    {
        return give(m, step, row, i, T::from_u64(old), false);
    }
    let inside = m.prog.rules.pointers && m.mems[step.mem as usize].space == MemSpace::Shared;
    if fun == AtomicFun::Load && (m.prog.rules.fences || inside) {
        m.watch_load(step, addr, lane);
    }
    let mem = &mut m.mems[step.mem as usize];
    let (at, bytes) = ((addr >> 2) as usize, bytes_of::<T>(fun));
    let shift = if is_half(fun) { 8 * (addr & 2) } else { 0 };
    let old = held(&mem.words.get()[at..], wide, is_half(fun).then_some(shift));
    let written = mem.is_marked(addr, bytes);
    let unwritten = !written && fun != AtomicFun::Store;
    if fun != AtomicFun::Load {
        let new = combine(fun, ty, old, value, compare);
        let words = mem.words.get_mut();
        let half = || words[at] & !(0xffff << shift) | (new as u32 & 0xffff) << shift;
        words[at] = if is_half(fun) { half() } else { new as u32 };
        if wide {
            words[at + 1] = (new >> 32) as u32;
        }
        mem.mark(addr, bytes);
        m.watch_change(step, addr, bytes, lane);
    }
    if unwritten {
        report(m, step, FindingKind::Uninitialised, addr, access(fun), lane);
    }
    if fun == AtomicFun::Store && delays(m, step) {
        m.delay((step.mem, addr), lane, old, written);
    }
    if fun == AtomicFun::Arrive && old & 0xf_ffff == value {
        crate::exec::barrier::passed(m, true, true);
    }
    if m.prog.rules.fences {
        let reads = fun != AtomicFun::Store;
        let writes = fun != AtomicFun::Load && (fun != AtomicFun::CompareExchange || old == compare);
        tell(m, step, (row, i), addr, Signal { reads, writes, near: step.imm2 & NEAR != 0 });
    }
    give(m, step, row, i, T::from_u64(old), old == compare);
}

/// What a word holds, or two, or one half of it.
fn held(words: &[u32], wide: bool, half: Option<u32>) -> u64 {
    match half {
        Some(shift) => u64::from(words[0] >> shift & 0xffff),
        None if wide => u64::from(words[0]) | u64::from(words[1]) << 32,
        None => u64::from(words[0]),
    }
}

/// The bytes that an operation touches.
fn bytes_of<T>(fun: AtomicFun) -> u32 {
    if is_half(fun) { 2 } else { size_of::<T>() as u32 }
}

/// Whether an operation is of 16 bits.
fn is_half(fun: AtomicFun) -> bool {
    matches!(fun, AtomicFun::AddHalf(_))
}

/// What an atomic operation says to other lanes, where fences order what they do.
fn tell(m: &mut Machine, step: &Step, (row, i): (usize, usize), addr: u32, signal: Signal) {
    let (at, lane) = ((step.mem, addr), m.lane(row, i));
    if m.prog.near && m.apart(at, lane, signal) {
        let text = "an atomic operation meets one of another block on the same word, and one of them is atomic \
                    within its own block only";
        m.report_lanes(FindingKind::Race, step.at, row, 1 << i, text);
    }
    m.signal(at, lane, signal);
}

/// Whether stores are seen late: where a schedule is drawn, and vectors, which come whole, are not
/// told apart.
fn delays(m: &Machine, step: &Step) -> bool {
    m.seed != 0
        && m.prog.rules.fences
        && step.imm2 == 0
        && m.mems[step.mem as usize].space == MemSpace::Global
}

#[cold]
fn report(m: &mut Machine, step: &Step, kind: FindingKind, addr: u32, access: Access, lane: u32) {
    let offset = u64::from(addr);
    m.report_access(AccessReport { kind, at: step.at, mem: step.mem, offset, access, lane, other: None });
}

/// Hands the old value to the lane.
#[inline(always)]
fn give<T: Raw>(m: &mut Machine, step: &Step, row: usize, i: usize, old: T, exchanged: bool) {
    if step.dst[0] != NONE {
        T::rows_mut(&mut m.regs)[step.dst[0] as usize + row][i] = old;
    }
    if step.dst[1] != NONE {
        m.regs.rows32[step.dst[1] as usize + row][i] = u32::from(exchanged);
    }
}

pub fn pair(ty: Ty) -> Pair {
    let lanes = if ty.wide() { lanes::<u64> } else { lanes::<u32> };
    Pair { lanes, once: lanes }
}
