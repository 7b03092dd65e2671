//! Reductions over all places up to one, or from one on: as many results as places, in as many steps.

use super::blocks::{Block, Blocks};
use super::cut::cut_out;
use super::lane::Lane;
use super::plane::Plane;
use super::run::{Machine, Trouble};
use super::stage::{Folding, point};
use super::value::{Reals, Truths};
use crate::case::{Axis, BoundKind, BoundStage};
use crate::code::{Code, CodeKind, vars};
use crate::func::Func;
use crate::node::Fold;

/// How a condition cuts the reduced index off at another.
#[derive(Clone, Debug)]
pub struct Prefix {
    /// The index that it is cut off at.
    pub var: usize,
    /// Whether what stands at that place itself is left out.
    strict: bool,
    /// Whether all from there on counts, rather than all up to there.
    onwards: bool,
    /// What else must hold for a term to count.
    rest: Option<Code>,
}

impl Prefix {
    /// Of a stage, where it is such a reduction.
    pub fn of(stage: &BoundStage) -> Option<Prefix> {
        match &stage.kind {
            BoundKind::Reduce { fold, over, condition: Some(condition), term } if stage.guard.is_none() => {
                Prefix::new(*fold, over, condition, term)
            }
            _ => None,
        }
    }

    fn new(fold: Fold, over: &[Axis], condition: &Code, term: &Code) -> Option<Prefix> {
        let [axis] = over else { return None };
        let joins = matches!(fold, Fold::Sum | Fold::Prod | Fold::Max | Fold::Min);
        let (prefix, rest) = cut_out(condition, |part| Prefix::at(axis, part))?;
        let free = [Some(term), rest.as_ref()].into_iter().flatten().all(|c| !vars(c).contains(&prefix.var));
        (joins && free).then_some(Prefix { rest, ..prefix })
    }

    /// Of a comparison of the reduced index with another.
    fn at(axis: &Axis, comparison: &Code) -> Option<Prefix> {
        let CodeKind::Apply(func, sides) = &comparison.kind else { return None };
        let [one, other] = &sides[..] else { return None };
        let (CodeKind::Var(a), CodeKind::Var(b)) = (&one.kind, &other.kind) else { return None };
        let below = match func {
            Func::Lt | Func::Le => *a == axis.var,
            Func::Gt | Func::Ge => *b == axis.var,
            _ => return None,
        };
        let var = if *a == axis.var { *b } else { *a };
        let strict = matches!(func, Func::Lt | Func::Gt);
        let cuts = (*a == axis.var || *b == axis.var) && var != axis.var;
        cuts.then_some(Prefix { var, strict, onwards: !below, rest: None })
    }

    /// The part of the reduced index that the places of `run` need.
    fn needed(&self, over: &Axis, run: &Axis) -> Axis {
        let (end, skip) = (over.lo + over.extent as i64, i64::from(self.strict));
        let (lo, hi) = match self.onwards {
            true => ((run.lo + skip).max(over.lo), end),
            false => (over.lo, (run.lo + run.extent as i64 - skip).min(end)),
        };
        Axis { lo, extent: usize::try_from(hi - lo).unwrap_or(0), ..*over }
    }

    /// How many of the terms of `needed` count at a place.
    fn count(&self, needed: &Axis, place: i64) -> usize {
        let (end, skip) = (needed.lo + needed.extent as i64, i64::from(self.strict));
        let count = if self.onwards { end - (place + skip) } else { place + 1 - skip - needed.lo };
        count.clamp(0, needed.extent as i64) as usize
    }
}

impl<L: Lane> Machine<'_, L> {
    /// The values over a box whose `at`-th index is the one that reductions are cut off at.
    pub(super) fn running(
        &self,
        folding: &Folding,
        prefix: &Prefix,
        axes: &[Axis],
        at: usize,
    ) -> Result<Plane, Trouble> {
        let mut plane = Plane::over(axes, L::SECOND);
        let run = axes[at];
        let needed = prefix.needed(&folding.over[0], &run);
        let mut others = axes.to_vec();
        others[at].extent = 1;
        let inner: usize = axes[at + 1..].iter().map(|a| a.extent).product();
        for row in 0..others.iter().map(|a| a.extent).product() {
            let (terms, truths) = self.all_terms(folding, prefix, &point(&others, row), needed)?;
            let first = row / inner * inner * run.extent + row % inner;
            let doubt = self.take_doubt();
            let mut join = self.starts(folding, folding.over[0].extent);
            let mut done = 0;
            for step in 0..run.extent {
                let place = if prefix.onwards { run.extent - 1 - step } else { step };
                let count = prefix.count(&needed, run.lo + place as i64);
                while done < count {
                    let term = if prefix.onwards { terms.v.len() - 1 - done } else { done };
                    join.block(&terms, &truths, term..term + 1, needed.lo + term as i64);
                    done += 1;
                }
                let open = doubt || join.is_in_doubt();
                let (value, bar) = join.clone().finish();
                plane.put(first + place * inner, value, if open { f64::INFINITY } else { bar });
            }
        }
        Ok(plane)
    }

    /// Every term of a reduction over a part of its index, whatever cuts it off, and which of them count.
    fn all_terms(
        &self,
        folding: &Folding,
        prefix: &Prefix,
        outer: &[(usize, i64)],
        over: Axis,
    ) -> Result<(Reals, Truths), Trouble> {
        let mut all = Reals { v: Vec::with_capacity(over.extent), b: Vec::new() };
        let mut which = Vec::new();
        let over = [over];
        for block in Blocks::new(outer, &over, 1) {
            self.go_on()?;
            let truths = self.all_of(prefix.rest.as_ref(), &block)?;
            let terms = self.terms_of(folding, &block, &truths)?;
            all.v.extend_from_slice(&terms.v);
            all.b.extend_from_slice(&terms.b);
            if prefix.rest.is_some() {
                which.extend(truths.column(block.n));
            }
        }
        let truths = if prefix.rest.is_some() { Truths::Column(which) } else { Truths::Uniform(1) };
        Ok((all, truths))
    }

    /// Where a condition holds, if there is one.
    pub(super) fn all_of(&self, condition: Option<&Code>, block: &Block) -> Result<Truths, Trouble> {
        condition.map_or(Ok(Truths::Uniform(1)), |condition| self.truths(condition, block, None))
    }
}
