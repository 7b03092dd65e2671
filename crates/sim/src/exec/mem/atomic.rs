//! Atomic operations: lane by lane, in the order of the lanes.

use super::load::{addresses, plain};
use crate::api::finding::{Access, FindingKind};
use crate::exec::lanes::{ROW, Raw};
use crate::exec::machine::{AccessReport, Machine};
use crate::exec::step::{Pair, Step};
use crate::ir::scalar::{Arith, How, Scalar};
use crate::ir::{AtomicFun, MemSpace, NONE, Ty};

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
        AtomicFun::AddPair(num) => {
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
    for k in 0..m.live_len {
        let row = m.live[k] as usize;
        let addr = addresses(m, step, row);
        let safe = plain(m, step, row, &addr);
        for i in 0..ROW {
            if m.mask[row] >> i & 1 == 1 {
                let at = addr[i].wrapping_add(step.imm);
                let lane = m.lane(row, i);
                if safe || m.in_bounds(step, at, size_of::<T>() as u32, access(fun), lane) {
                    one::<T>(m, step, row, i, at, fun, ty);
                } else {
                    give::<T>(m, step, row, i, T::default(), false);
                }
            }
        }
    }
}

fn access(fun: AtomicFun) -> Access {
    if fun == AtomicFun::Load { Access::Read } else { Access::Atomic }
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
    let clock = m.clock(m.mems[step.mem as usize].space);
    let mem = &mut m.mems[step.mem as usize];
    let at = (addr >> 2) as usize;
    let wide = size_of::<T>() == 8;
    let words = mem.words.get();
    let old = if wide { u64::from(words[at]) | u64::from(words[at + 1]) << 32 } else { u64::from(words[at]) };
    let written = mem.is_marked(addr, size_of::<T>() as u32);
    let unwritten = !written && fun != AtomicFun::Store;
    if fun != AtomicFun::Load {
        let new = combine(fun, ty, old, value, compare);
        let words = mem.words.get_mut();
        words[at] = new as u32;
        if wide {
            words[at + 1] = (new >> 32) as u32;
        }
        mem.mark(addr, size_of::<T>() as u32);
        if mem.space == MemSpace::Global
            && let Some(shadow) = &mut mem.shadow
        {
            shadow.touch((addr >> mem.grain) as usize, lane, clock);
        }
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
        m.signal((step.mem, addr), lane, reads, writes);
    }
    give(m, step, row, i, T::from_u64(old), old == compare);
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
