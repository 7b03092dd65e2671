//! Functions of one lane that PTX has: common ones as loops over rows that vectorise, the others lane by lane.

pub mod eval;
pub mod format;
mod quick;
pub mod real;
mod rough;
#[cfg(test)]
mod tests;

use crate::exec::alu::lift::put;
use crate::exec::lanes::{ROW, Row};
use crate::exec::machine::Machine;
use crate::exec::step::{Pair, Step};
use crate::ir::scalar::Scalar;

/// Says in a step which operands are wide, and whether the result is.
pub fn wide_bits(src: impl Iterator<Item = bool>, dst: bool) -> u32 {
    src.enumerate().map(|(i, wide)| u32::from(wide) << i).sum::<u32>() | u32::from(dst) << 8
}

/// One function at one lane's operands.
fn value(m: &Machine, step: &Step, scalar: Scalar, args: [u64; 3]) -> u64 {
    match scalar {
        Scalar::Approx(fun, flush) => rough::single(m, step, fun, flush, args),
        Scalar::ApproxHalf(fun, num) => rough::half(m, step, fun, num, args[0]),
        Scalar::ApproxPair(fun, num) => {
            let low = rough::half(m, step, fun, num, args[0] & 0xffff);
            low | rough::half(m, step, fun, num, args[0] >> 16) << 16
        }
        scalar => eval::eval(scalar, args),
    }
}

fn by_lane(m: &mut Machine, step: &Step, scalar: Scalar) {
    for k in 0..m.live_len {
        let row = m.live[k] as usize;
        let mut out = Row([0u64; ROW]);
        for i in 0..ROW {
            if m.mask[row] >> i & 1 == 0 {
                continue;
            }
            let mut args = [0; 3];
            for (slot, arg) in args.iter_mut().enumerate() {
                let src = step.src[slot];
                if src == crate::ir::NONE {
                    break;
                }
                *arg = match step.imm2 >> slot & 1 {
                    0 => u64::from(m.regs.rows32[src as usize + row][i]),
                    _ => m.regs.rows64[src as usize + row][i],
                };
            }
            out[i] = value(m, step, scalar, args);
        }
        if step.imm2 >> 8 & 1 == 1 {
            put(m, step, 0, row, &out);
        } else {
            put(m, step, 0, row, &Row(out.map(|v| v as u32)));
        }
    }
}

fn once(m: &mut Machine, step: &Step) {
    let scalar = m.scalars[step.site as usize].0;
    let mut args = [0; 3];
    for (slot, arg) in args.iter_mut().enumerate() {
        let src = step.src[slot];
        if src == crate::ir::NONE {
            break;
        }
        *arg = match step.imm2 >> slot & 1 {
            0 => u64::from(m.regs.ones32[src as usize]),
            _ => m.regs.ones64[src as usize],
        };
    }
    let out = value(m, step, scalar, args);
    match step.imm2 >> 8 & 1 {
        0 => m.regs.ones32[step.dst[0] as usize] = out as u32,
        _ => m.regs.ones64[step.dst[0] as usize] = out,
    }
}

lanes! {
    fn lanes(m, step) {
        let scalar = m.scalars[step.site as usize].0;
        if !(quick::whole(m, step, scalar) || quick::real(m, step, scalar) || quick::function(m, step, scalar)) {
            by_lane(m, step, scalar);
        }
    }
}

pub fn pair() -> Pair {
    Pair { lanes, once }
}
