//! Whether a kernel rounds what it stores in another way than the type does.

use ktwin_num::DType;

use crate::pattern::{Direction, What};
use crate::trial::Trial;

/// Elements at least in which a way of rounding must differ from what is due.
const LEAST: usize = 6;
/// The share of elements that it must explain. Others are rounded before they are stored, near a middle.
const SHARE: f64 = 0.95;
/// The fewest that say something where every other element agrees, and how many of those there are.
const FEW: usize = 2;
const SURE: usize = 256;
/// Cases of more points are left out.
const LARGE: f64 = 2e6;

/// How often one way of rounding gives what came out.
#[derive(Clone, Copy, Default)]
struct Count {
    /// Where it gives what is due as well, too.
    agrees: usize,
    /// Where it gives another number than what is due.
    differs: usize,
    /// Where it does so, and is what came out.
    hits: usize,
    /// Wrong elements that it does not give.
    misses: usize,
}

/// The way of rounding that explains what these trials stored, where some of it is wrong.
pub fn told(trials: &[&Trial]) -> Option<What> {
    // what rounds nothing is not evaluated again
    let rounds = |t: &Trial| t.expected.iter().any(|e| narrow(e.dtype).is_some());
    let wrong = trials.iter().filter(|t| t.report.has_wrong_values() && t.prepared.at.points() < LARGE);
    let wrong = wrong.filter(|t| rounds(t));
    let (mut counts, mut all, mut stored) = ([Count::default(); Direction::ALL.len()], 0, None);
    for trial in wrong {
        let exact = trial.prepared.exact().ok()?;
        for (number, values) in exact.iter().enumerate() {
            let expected = trial.expected.get(number)?;
            let Some(dtype) = narrow(expected.dtype) else { continue };
            if *stored.get_or_insert(dtype) != dtype {
                return None;
            }
            let least = dtype.float().map_or(0.0, ktwin_num::Float::min_normal);
            for (at, (got, exact)) in trial.got.get(number)?.iter().zip(values).enumerate() {
                let due = dtype.round(*exact);
                let shows = exact.is_finite() && due.is_finite() && got.is_finite() && exact.abs() >= least;
                if !shows || expected.is_free(at) || trial.unwritten[number][at] {
                    continue;
                }
                all += 1;
                for (count, direction) in counts.iter_mut().zip(Direction::ALL) {
                    let other = direction.round(dtype, *exact);
                    count.agrees += usize::from(other == *got);
                    count.differs += usize::from(other != due);
                    count.hits += usize::from(other != due && other == *got);
                    count.misses += usize::from(due != *got && other != *got);
                }
            }
        }
    }
    let most = |part: usize, whole: usize| part as f64 >= SHARE * whole as f64;
    let share =
        |count: &Count| count.hits >= LEAST && most(count.hits, count.differs) && most(count.agrees, all);
    // numbers in the middle between two are rare: a few are enough where nothing else is amiss
    let exact = |count: &Count| {
        count.hits >= FEW && count.hits == count.differs && count.agrees == all && all >= SURE
    };
    let explains = |count: &Count| share(count) || exact(count);
    let all_wrong = |count: &Count| count.hits >= LEAST && count.misses == 0;
    let found = |explains: &dyn Fn(&Count) -> bool| {
        counts.iter().zip(Direction::ALL).find(|(count, _)| explains(count)).map(|(_, how)| how)
    };
    let (how, part) = found(&explains).map(|how| (how, false)).or(found(&all_wrong).map(|how| (how, true)))?;
    Some(What::RoundedBy { how, dtype: stored?.to_string(), part })
}

/// A type that rounds, if it is one.
fn narrow(dtype: DType) -> Option<DType> {
    match dtype {
        DType::Float(float) => (float.bits() < 32).then_some(dtype),
        DType::Int { .. } => Some(dtype),
        _ => None,
    }
}
