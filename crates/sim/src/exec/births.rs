//! Where NaNs and infinities are born: results that are not finite from operands that are, or from a register that
//! nobody set. Looked for only in a second, detailed run, after a first one has stored such a value.

use super::lanes::{ROW, Raw};
use super::machine::{MOST_ROWS, Machine};
use super::step::Step;
use crate::api::finding::FindingKind;
use crate::ir::{NONE, junk};

/// Runs one step that makes a float, and looks at what came of it.
pub fn run(m: &mut Machine, step: &Step) {
    if step.dst[0] == NONE || step.float == 64 {
        (step.run)(m, step);
        return;
    }
    let rows = if step.once { 1 } else { m.live_len };
    let mut before = [Odd::default(); MOST_ROWS];
    for (k, odd) in before.iter_mut().enumerate().take(rows) {
        let operands = step.src.iter().filter(|&&src| src != NONE);
        *odd = operands.fold(Odd::default(), |odd, &src| odd.or(odd_lanes(m, step, src, k)));
    }
    (step.run)(m, step);
    for (k, odd) in before.iter().enumerate().take(rows) {
        let row = m.live[k] as usize;
        let Odd { nans, infinities, .. } = odd_lanes(m, step, step.dst[0], k);
        let active = if step.once { 1 << (m.mask[row].trailing_zeros() & 31) } else { m.mask[row] };
        let unset = active & odd.unset & nans;
        // all that is made of the first one is NaN too; and a read of memory that nobody wrote is told where it is
        if unset != 0 && !m.reports.has(FindingKind::NanBorn) && !m.reports.has(FindingKind::Uninitialised) {
            let text = "a NaN comes out of a variable that nobody has set";
            m.report_lanes(FindingKind::NanBorn, step.at, row, unset, text);
        }
        let born = active & !(odd.nans | odd.infinities);
        if born & nans != 0 {
            m.report_lanes(
                FindingKind::NanBorn,
                step.at,
                row,
                born & nans,
                "operands that are numbers give a NaN",
            );
        }
        if born & infinities != 0 {
            let text = "finite operands give an infinity";
            m.report_lanes(FindingKind::InfinityBorn, step.at, row, born & infinities, text);
        }
    }
}

/// Lanes whose value, as a float, is NaN, those whose is infinite, and those that have what stands in registers that
/// nobody set.
#[derive(Clone, Copy, Default)]
struct Odd {
    nans: u32,
    infinities: u32,
    unset: u32,
}

impl Odd {
    fn or(self, other: Odd) -> Odd {
        Odd {
            nans: self.nans | other.nans,
            infinities: self.infinities | other.infinities,
            unset: self.unset | other.unset,
        }
    }
}

fn odd_lanes(m: &Machine, step: &Step, reg: u32, k: usize) -> Odd {
    let Odd { mut nans, mut infinities, mut unset } = Odd::default();
    let mut note = |i: usize, bits: u32| {
        let v = f32::from_bits(bits);
        // what nobody wrote is no number, whatever stands for it
        nans |= u32::from(v.is_nan() || junk::ENDS.contains(&bits)) << i;
        infinities |= u32::from(v.is_infinite()) << i;
        unset |= u32::from(bits == junk::NAN) << i;
    };
    if step.once {
        let bits = m.regs.ones32.get(reg as usize).copied().unwrap_or(0);
        (0..ROW).for_each(|i| note(i, bits));
    } else if let Some(values) = u32::rows(&m.regs).get(reg as usize + m.live[k] as usize) {
        values.iter().enumerate().for_each(|(i, &bits)| note(i, bits));
    }
    Odd { nans, infinities, unset }
}
