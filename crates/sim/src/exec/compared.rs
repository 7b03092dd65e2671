//! What comparisons compare, if that is the same for all lanes. Only where that is asked for: each has a step before it
//! then, which looks at its operands.

use super::alu::lift::one;
use super::decode::Code;
use super::lanes::{ROW, Raw};
use super::machine::Machine;
use super::scalar::format::decode;
use super::step::Step;
use crate::api::run::{Compare, Sides};
use crate::ir::scalar::{Num, Scalar};
use crate::ir::{Bin, Ins, NONE, Op, Program, Ty};

/// A comparison, and what it has compared so far.
#[derive(Clone, Copy, Debug)]
pub struct Site {
    num: Num,
    at: u32,
    seen: Seen,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Seen {
    Nothing,
    Same(u64, u64),
    Others,
}

impl Site {
    fn see(&mut self, sides: (u64, u64)) {
        self.seen = match self.seen {
            Seen::Nothing => Seen::Same(sides.0, sides.1),
            Seen::Same(a, b) if (a, b) == sides => return,
            _ => Seen::Others,
        };
    }

    /// Adds what another worker has seen.
    pub fn add(&mut self, other: &Site) {
        match other.seen {
            Seen::Nothing => {}
            Seen::Same(a, b) => self.see((a, b)),
            Seen::Others => self.seen = Seen::Others,
        }
    }

    /// What is told of it, under this number; nothing where it never ran.
    pub fn told(&self, prog: &Program, number: u32) -> Option<Compare> {
        let sides = match self.seen {
            Seen::Nothing => return None,
            Seen::Same(a, b) => Some(sides(self.num, a, b)),
            Seen::Others => None,
        };
        Some(Compare { line: prog.source.line(self.at), number, sides })
    }
}

/// What the operands of a comparison are.
fn compares(op: Op) -> Option<Num> {
    match op {
        Op::Bin(Bin::Eq | Bin::Ne | Bin::Lt | Bin::Le | Bin::Gt | Bin::Ge, ty) => match ty {
            Ty::Bool => None,
            Ty::I16 | Ty::I32 => Some(Num::S32),
            Ty::U16 | Ty::U32 => Some(Num::U32),
            // halves are held as the f32 of the same value
            Ty::F16 | Ty::F32 => Some(Num::F32),
            Ty::I64 => Some(Num::S64),
            Ty::U64 => Some(Num::U64),
            Ty::F64 => Some(Num::F64),
        },
        Op::Scalar(Scalar::Compare(_, num, _)) => Some(num),
        _ => None,
    }
}

/// Adds a step that looks at what an instruction is about to compare, if that is what it does.
pub fn watch(code: &mut Code, ins: &Ins, step: &Step) {
    let Some(num) = compares(ins.op) else { return };
    let run = if step.once { look } else { look_at_lanes };
    let site = code.compared.len() as u32;
    code.compared.push(Site { num, at: ins.at, seen: Seen::Nothing });
    code.steps.push(Step { run, dst: [NONE; 4], site, masked: false, float: 0, ..*step });
}

fn look(m: &mut Machine, step: &Step) {
    let side = |slot, wide| if wide { one::<u64>(m, step, slot) } else { one::<u32>(m, step, slot).into() };
    let wide = m.compared[step.site as usize].num.bits() == 64;
    let sides = (side(0, wide), side(1, wide));
    m.compared[step.site as usize].see(sides);
}

/// What lanes are about to compare one by one may be the same for all of them too.
fn look_at_lanes(m: &mut Machine, step: &Step) {
    for k in 0..m.live_len {
        let row = m.live[k] as usize;
        for lane in (0..ROW).filter(|lane| m.mask[row] >> lane & 1 == 1) {
            let site = m.compared[step.site as usize];
            if site.seen == Seen::Others {
                return;
            }
            let wide = site.num.bits() == 64;
            let side = |slot: usize| match wide {
                true => u64::rows(&m.regs)[step.src[slot] as usize + row].0[lane],
                false => u32::rows(&m.regs)[step.src[slot] as usize + row].0[lane].into(),
            };
            let sides = (side(0), side(1));
            m.compared[step.site as usize].see(sides);
        }
    }
}

fn sides(num: Num, a: u64, b: u64) -> Sides {
    if num.is_float() {
        return Sides::Real(decode(num, a), decode(num, b));
    }
    let unused = 64 - num.bits();
    let whole = |bits: u64| match num.signed() {
        true => ((bits << unused) as i64) >> unused,
        false => i64::try_from(bits << unused >> unused).unwrap_or(i64::MAX),
    };
    Sides::Whole(whole(a), whole(b))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_changes_is_told_apart_from_what_stays() {
        let mut site = Site { num: Num::S32, at: 0, seen: Seen::Nothing };
        let other = Site { seen: Seen::Same(7, 8), ..site };
        site.add(&other);
        site.see((7, 8));
        assert_eq!(site.seen, Seen::Same(7, 8));
        site.see((7, 9));
        assert_eq!(site.seen, Seen::Others);
    }

    #[test]
    fn bits_are_read_as_what_is_compared() {
        let minus = u64::from(u32::MAX);
        assert_eq!(sides(Num::S32, minus, 3), Sides::Whole(-1, 3));
        assert_eq!(sides(Num::U32, minus, 3), Sides::Whole(u32::MAX.into(), 3));
        assert_eq!(sides(Num::F32, 1.5f32.to_bits().into(), 0), Sides::Real(1.5, 0.0));
    }
}
