//! Whether a kernel that breaks the law of its op follows that of the op with one thing changed.

use ktwin_lang::Op;

use super::sample::DRAWN;
use super::units::units;
use super::watch::Watch;
use super::{Judge, alike, launches, seeds, tested};
use crate::inputs::Prepared;
use crate::literals;
use crate::pattern::What;

/// The logarithms of how unlikely the least likely test of some outcomes is: of an op that explains them at least, and
/// of one that does not at most.
const HOLDS: f64 = -14.0;
const FAILS: f64 = -30.0;
/// Launches that most changes are refuted by.
const FIRST: usize = 2;
/// The points that the twin may walk for all changes together: a few seconds.
const POINTS: f64 = (1 << 27) as f64;
/// So much of that one case may take for one change.
const PARTS: f64 = 64.0;
/// A case that is so large that fewer changes are held against it is left alone.
const CHANGES: usize = 150;
/// Outcomes of one case that are looked at.
const OUTCOMES: usize = 1 << 15;

/// What came out of a case in launches with many seeds.
struct Seen<'p, 'k> {
    prepared: &'p Prepared<'k>,
    launches: Vec<Vec<Vec<f64>>>,
}

impl Judge<'_> {
    /// What came out of a case.
    fn seen<'p, 'k>(&self, prepared: &'p Prepared<'k>) -> Option<Seen<'p, 'k>> {
        let units = units(prepared, &prepared.kernel.op.sharing());
        let each = units.iter().map(|u| u.count).max().unwrap_or(1).max(1);
        let cheap = ((POINTS / PARTS / cost(prepared)) as usize).min(OUTCOMES.div_ceil(each)).max(FIRST);
        let count = launches(prepared, &units, self.part).min(cheap);
        let mut all = Vec::new();
        let keep = &mut |_: &_, got| {
            all.push(got);
            Ok(())
        };
        self.launched(prepared, &seeds::cases(prepared, count), keep).ok()?;
        Some(Seen { prepared, launches: all })
    }

    /// The change of the op whose law the outcomes of failing cases follow, and those of others: each is held against
    /// the first one that is not too dear.
    pub(crate) fn changed(&self, failing: &[Prepared], others: &[Prepared]) -> Option<What> {
        let cheap = |case: &&Prepared| cost(case) * (FIRST * CHANGES) as f64 <= POINTS;
        let first = failing.iter().find(cheap)?;
        let more = failing.iter().filter(|case| case.case != first.case);
        let others: Vec<Prepared> = more.chain(others).cloned().collect();
        self.changed_from(first, &others)
    }

    fn changed_from<'a>(&self, failing: &Prepared<'a>, others: &[Prepared<'a>]) -> Option<What> {
        let sharing = failing.kernel.op.sharing();
        let same = |of: &Prepared<'a>| Some(Prepared { inputs: alike(of, &sharing)?, ..of.clone() });
        // which of many places comes out says most where all outcomes have the same inputs
        let others: Vec<Prepared> = others.iter().map(|other| same(other).unwrap_or(other.clone())).collect();
        [Some(failing.clone()), same(failing)]
            .iter()
            .flatten()
            .find_map(|case| self.changed_on(case, &others))
    }

    fn changed_on(&self, failing: &Prepared, others: &[Prepared]) -> Option<What> {
        let kernel = failing.kernel;
        let first = self.seen(failing)?;
        if first.least(&kernel.op, usize::MAX)? > FAILS {
            return None;
        }
        let size = |other: &Prepared| other.at.output_shapes.iter().map(|s| s.iter().product()).max();
        let cheap = |other: &&Prepared| cost(other) * FIRST as f64 <= POINTS / PARTS;
        let others = others.iter().filter(|other| size(other) <= Some(OUTCOMES)).filter(cheap);
        let others: Vec<Seen> = others.filter_map(|other| self.seen(other)).collect();
        let (mut left, op) = (POINTS, kernel.plain.as_ref().unwrap_or(&kernel.op));
        let own: Vec<Vec<bool>> = kernel.op.sharing().into_iter().map(|sharing| sharing.apart).collect();
        for change in op.nearby(&[], &literals::reals(kernel)) {
            // where more elements share a draw, less can be told of them
            let alike = |other: &Op| other.sharing().iter().map(|s| &s.apart).eq(&own);
            let Some(other) = change.op().filter(|op| op.is_random() && alike(op)) else { continue };
            let mut least = |seen: &Seen, count: usize| {
                left -= cost(seen.prepared) * count.min(seen.launches.len()) as f64;
                if left < 0.0 { Some(f64::NEG_INFINITY) } else { seen.least(&other, count) }
            };
            let mut holds = |count| least(&first, count).is_some_and(|least| least > HOLDS);
            let all = usize::MAX;
            if holds(FIRST)
                && holds(all)
                // of some nothing can be told
                && others.iter().all(|seen| least(seen, all).is_none_or(|least| least > HOLDS))
            {
                return Some(What::Formula { was: change.was, now: change.now, cancels: false });
            }
            if left < 0.0 {
                return None;
            }
        }
        None
    }
}

impl Seen<'_, '_> {
    /// The logarithm of how unlikely the first of the outcomes are by the law of an op.
    fn least(&self, op: &Op, launches: usize) -> Option<f64> {
        let (drawn, sharing) = (op.with_draws(), op.sharing());
        let some = &self.launches[..launches.min(self.launches.len())];
        let mut watch = Watch::new(&drawn, self.prepared, &sharing, some.len()).ok()?;
        some.iter().try_for_each(|got| watch.add(got)).ok()?;
        let samples = watch.settled().into_iter().filter(|sample| sample.told > 0);
        let tests: Vec<f64> =
            samples.flat_map(|sample| tested::all(&sample)).map(|test| test.chance).collect();
        tests.into_iter().reduce(f64::min)
    }
}

/// What evaluating the op for one launch costs.
fn cost(prepared: &Prepared) -> f64 {
    f64::from(DRAWN) * prepared.at.points().max(1.0)
}
