//! Evaluates one stage over a box of its indices.

use std::sync::atomic::Ordering;

use super::binned::Binned;
use super::blocks::{Block, Blocks};
use super::joining::{Join, Joining};
use super::lane::Lane;
use super::plain_fold::PlainFold;
use super::plane::Plane;
use super::prefix::Prefix;
use super::ranked::Ranked;
use super::run::{Machine, Trouble, is_cut};
use super::value::{Reals, Truth, Truths};
use crate::case::{Axis, BoundKind, BoundStage};
use crate::code::{Code, CodeKind};
use crate::func::Func;
use crate::node::{Fold, Source, Ty};

/// Reductions shorter than this are taken several at a time.
const SHORT: usize = 96;

/// What a reduction stage needs at every element.
pub(super) struct Folding<'a> {
    fold: Fold,
    pub(super) over: &'a [Axis],
    condition: Option<&'a Code>,
    term: &'a Code,
    guard: Option<&'a Code>,
    /// Whether the result is an integer or a truth value, joined exactly.
    whole: bool,
}

impl<L: Lane> Machine<'_, L> {
    /// The values of a stage over `axes`, a box within its space.
    pub fn stage(&self, number: usize, stage: &BoundStage, axes: &[Axis]) -> Result<Plane, Trouble> {
        let mut plane = match &stage.kind {
            BoundKind::Map(code) => {
                let mut plane = Plane::shape(axes);
                let total: usize = axes.iter().map(|a| a.extent).product();
                plane.v.reserve_exact(total);
                plane.b.reserve_exact(if L::SECOND { total } else { 0 });
                self.map(number, code, axes, |values| {
                    plane.v.extend_from_slice(&values.v);
                    plane.b.extend_from_slice(&values.b);
                })?;
                return Ok(plane);
            }
            BoundKind::Reduce { fold, over, condition, term } => {
                let whole = stage.ty != Ty::Real && !matches!(fold, Fold::ArgMax | Fold::ArgMin);
                let (condition, guard) = (condition.as_ref(), stage.guard.as_ref());
                let folding = Folding { fold: *fold, over, condition, term, guard, whole };
                match self.contraction(&folding.as_contract(), axes)? {
                    Some(plane) => plane,
                    None => match self.in_one_pass(&folding, stage, axes)? {
                        Some(plane) => plane,
                        None => self.reduce(&folding, axes)?,
                    },
                }
            }
        };
        if stage.ty == Ty::Real {
            let mut values = Reals { v: std::mem::take(&mut plane.v), b: std::mem::take(&mut plane.b) };
            self.lane.stage(number, &mut values);
            (plane.v, plane.b) = (values.v, values.b);
        }
        Ok(plane)
    }

    /// The values of a reduction, where one pass over its terms gives all of them.
    fn in_one_pass(
        &self,
        folding: &Folding,
        stage: &BoundStage,
        axes: &[Axis],
    ) -> Result<Option<Plane>, Trouble> {
        let place = |var: usize| axes.iter().position(|a| a.var == var);
        if let Some(prefix) = Prefix::of(stage)
            && let Some(at) = place(prefix.var)
        {
            return self.running(folding, &prefix, axes, at).map(Some);
        }
        if let Some(ranked) = Ranked::of(stage)
            && let Some(at) = place(ranked.var)
        {
            return self.ranked(folding, &ranked, axes, at);
        }
        match Binned::of(stage).and_then(|binned| Some((place(binned.var)?, binned))) {
            Some((at, binned)) => self.scattered(folding, &binned, axes, at),
            None => Ok(None),
        }
    }

    /// Gives the values of a stage without a reduction to `sink`, block by block in row-major order.
    pub fn map(
        &self,
        number: usize,
        code: &Code,
        axes: &[Axis],
        mut sink: impl FnMut(&mut Reals),
    ) -> Result<(), Trouble> {
        for block in Blocks::new(&[], axes, 1) {
            self.go_on()?;
            let mut values = self.reals(code, &block, None)?.spread(block.n);
            if code.ty == Ty::Int && !is_cut(code) {
                // what reads it reads an integer, which is exact however it was added up
                values.b.fill(0.0);
            }
            if self.take_doubt() {
                self.doubts(code, &block, &mut values.b)?;
            }
            match code.ty {
                Ty::Real => self.lane.stage(number, &mut values),
                _ => kept(code, &values)?,
            }
            sink(&mut values);
            values.recycle();
        }
        Ok(())
    }

    /// Makes those bars of a block in doubt unbounded whose own integers are, found by halves.
    fn doubts(&self, code: &Code, block: &Block, bars: &mut [f64]) -> Result<(), Trouble> {
        if block.n == 1 {
            bars.fill(f64::INFINITY);
            return Ok(());
        }
        let (first, second) = bars.split_at_mut(block.n / 2);
        for (lanes, bars) in [(0..block.n / 2, first), (block.n / 2..block.n, second)] {
            let half = block.part(lanes);
            self.reals(code, &half, None)?.recycle();
            if self.take_doubt() {
                self.doubts(code, &half, bars)?;
            }
        }
        Ok(())
    }

    /// Stops where the caller asked for it.
    pub(super) fn go_on(&self) -> Result<(), Trouble> {
        if self.progress.stop.load(Ordering::Relaxed) { Err(Trouble::Cancelled) } else { Ok(()) }
    }

    fn reduce(&self, folding: &Folding, axes: &[Axis]) -> Result<Plane, Trouble> {
        let length: usize = folding.over.iter().map(|a| a.extent).product();
        match length < SHORT && length > 0 && folding.guard.is_none() {
            true => self.reduce_short(folding, axes, length),
            false => self.reduce_long(folding, axes),
        }
    }

    /// Several reductions in each block.
    fn reduce_short(&self, folding: &Folding, axes: &[Axis], length: usize) -> Result<Plane, Trouble> {
        let mut plane = Plane::over(axes, L::SECOND);
        let all: Vec<Axis> = axes.iter().chain(folding.over).copied().collect();
        let mut at = 0;
        for block in Blocks::new(&[], &all, length) {
            self.go_on()?;
            let (terms, truths) = self.terms(folding, &block)?;
            let doubts = self.take_doubt();
            for segment in 0..block.n / length {
                let lanes = segment * length..(segment + 1) * length;
                let doubt = doubts && self.is_in_doubt(folding, &block.part(lanes.clone()))?;
                let (v, b) = self.joined(folding, length, |join| {
                    join.block(&terms, &truths, lanes, folding.first());
                    Ok(())
                })?;
                plane.put(at, v, if doubt { f64::INFINITY } else { b });
                at += 1;
            }
        }
        Ok(plane)
    }

    /// Whether terms of these lanes are made of integers in doubt.
    fn is_in_doubt(&self, folding: &Folding, lanes: &Block) -> Result<bool, Trouble> {
        self.terms(folding, lanes)?.0.recycle();
        Ok(self.take_doubt())
    }

    /// One reduction at a time, in as many blocks as it takes.
    fn reduce_long(&self, folding: &Folding, axes: &[Axis]) -> Result<Plane, Trouble> {
        let mut plane = Plane::over(axes, L::SECOND);
        let total: usize = axes.iter().map(|a| a.extent).product();
        let length: usize = folding.over.iter().map(|a| a.extent).product();
        for at in 0..total {
            self.go_on()?;
            let outer = point(axes, at);
            if !self.wanted(folding, &outer)? {
                continue;
            }
            let (v, b) = self.joined(folding, length, |join| {
                let mut position = folding.first();
                for block in Blocks::new(&outer, folding.over, 1) {
                    self.go_on()?;
                    if let Some((v, b)) = self.plain_terms(folding, &block)? {
                        join.add(v, b, position);
                        position += block.n as i64;
                        continue;
                    }
                    let (terms, truths) = self.terms(folding, &block)?;
                    join.block(&terms, &truths, 0..block.n, position);
                    terms.recycle();
                    position += block.n as i64;
                }
                Ok(())
            })?;
            plane.put(at, v, b);
        }
        Ok(plane)
    }

    /// Whether the guard of a hoisted reduction lets it be computed here.
    fn wanted(&self, folding: &Folding, outer: &[(usize, i64)]) -> Result<bool, Trouble> {
        let Some(guard) = folding.guard else { return Ok(true) };
        let vars = outer.iter().map(|(v, at)| (*v, super::value::Ints::Uniform(*at))).collect();
        Ok(self.truths(guard, &Block::new(1, vars), None)?.at(0) != 0)
    }

    /// The terms of a block, where all count and they stand ready in another stage.
    fn plain_terms(&self, folding: &Folding, block: &Block) -> Result<Option<(&[f64], &[f64])>, Trouble> {
        match &folding.term.kind {
            CodeKind::Read(read) if folding.condition.is_none() && folding.term.ty == Ty::Real => {
                self.piece(read, block)
            }
            _ => Ok(None),
        }
    }

    /// The terms of a block, and which of them count.
    fn terms(&self, folding: &Folding, block: &Block) -> Result<(Reals, Truths), Trouble> {
        let truths = self.all_of(folding.condition, block)?;
        let terms = self.terms_of(folding, block, &truths)?;
        Ok((terms, truths))
    }

    /// The terms of a block of which these count.
    pub(super) fn terms_of(
        &self,
        folding: &Folding,
        block: &Block,
        truths: &Truths,
    ) -> Result<Reals, Trouble> {
        let mask: Option<Vec<Truth>> = match truths {
            Truths::Uniform(1) => None,
            other => Some((0..block.n).map(|l| Truth::from(other.at(l) != 0)).collect()),
        };
        let terms = match &folding.term.kind {
            CodeKind::Apply(Func::Mul, factors)
                if folding.fold == Fold::Sum && folding.term.ty == Ty::Real =>
            {
                let (a, b) = self.pair(factors, block, mask.as_deref())?;
                let terms = self.lane.term(a, &b);
                b.recycle();
                terms
            }
            _ => self.reals(folding.term, block, mask.as_deref())?,
        };
        Ok(terms.spread(block.n))
    }

    /// A reduction of so many terms at most, none of them joined yet.
    pub(super) fn starts(&self, folding: &Folding, length: usize) -> Joining<L::Joiner> {
        Joining::new(match folding.whole {
            true => Join::Whole(PlainFold::new(folding.fold)),
            false => Join::Lane(self.lane.join(folding.fold, length, folding.plain())),
        })
    }

    /// Runs a reduction that `fill` gives the terms of.
    pub(super) fn joined(
        &self,
        folding: &Folding,
        length: usize,
        fill: impl FnOnce(&mut Joining<L::Joiner>) -> Result<(), Trouble>,
    ) -> Result<(f64, f64), Trouble> {
        let mut joining = self.starts(folding, length);
        fill(&mut joining)?;
        if joining.is_in_doubt() {
            self.doubted();
        }
        let needs_one = matches!(folding.fold, Fold::Mean | Fold::ArgMax | Fold::ArgMin);
        match joining.count == 0 && needs_one {
            true => Err(Trouble::Empty(folding.fold.name())),
            false => {
                let (v, b) = joining.finish();
                let mut bar = [b];
                self.settle_doubt(&mut bar);
                Ok((v, bar[0]))
            }
        }
    }
}

impl<'a> Folding<'a> {
    /// The first value of the index that `argmax` answers with.
    fn first(&self) -> i64 {
        self.over.first().map_or(0, |a| a.lo)
    }

    /// Whether the terms are numbers of an input as they are.
    fn plain(&self) -> bool {
        matches!(&self.term.kind, CodeKind::Read(read) if matches!(read.source, Source::Tensor(_)))
    }

    fn as_contract(&self) -> super::contract::Sum<'a> {
        let plain = self.fold == Fold::Sum && !self.whole && self.condition.is_none() && self.guard.is_none();
        super::contract::Sum { over: self.over, term: self.term, plain }
    }
}

/// Whether the integers of a definition, which is held as reals, are kept as they are. What is cut from a real is as
/// large as that was.
fn kept(code: &Code, values: &Reals) -> Result<(), Trouble> {
    let large = |v: &f64| v.abs() >= ktwin_num::pow2(53);
    let is_cut = matches!(code.kind, CodeKind::Apply(Func::ToInt, _));
    if !is_cut && values.v.iter().any(large) { Err(Trouble::Large) } else { Ok(()) }
}

/// The index values of the `at`-th element of a box.
pub fn point(axes: &[Axis], mut at: usize) -> Vec<(usize, i64)> {
    let mut out = Vec::with_capacity(axes.len());
    for axis in axes.iter().rev() {
        out.push((axis.var, axis.lo + (at % axis.extent) as i64));
        at /= axis.extent;
    }
    out
}
