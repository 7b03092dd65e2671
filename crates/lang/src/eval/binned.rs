//! Reductions over the terms whose key is the value of an index: one pass puts each term where it belongs.

use super::blocks::Blocks;
use super::cut::cut_out;
use super::lane::Lane;
use super::plane::Plane;
use super::run::{Machine, Trouble};
use super::stage::{Folding, point};
use super::value::{Reals, Truth, Truths};
use crate::case::{Axis, BoundKind, BoundStage};
use crate::code::{Code, CodeKind, vars, walk};
use crate::func::Func;
use crate::node::{Fold, Source, Ty};

/// How a condition spreads the terms over the values of an index.
#[derive(Clone, Debug)]
pub struct Binned {
    /// The index whose value is a term's key.
    pub var: usize,
    key: Code,
    /// What else must hold for a term to count.
    rest: Option<Code>,
}

/// Terms, and what their keys are; those that count nowhere are left out.
#[derive(Default)]
struct Keyed {
    v: Vec<f64>,
    b: Vec<f64>,
    truths: Vec<Truth>,
    bins: Vec<usize>,
}

impl Binned {
    /// Of a stage, where it is such a reduction.
    pub fn of(stage: &BoundStage) -> Option<Binned> {
        let BoundKind::Reduce { fold, over, condition: Some(condition), term } = &stage.kind else {
            return None;
        };
        let is_own = |code: &Code| vars(code).iter().any(|var| over.iter().any(|axis| axis.var == *var));
        let key_of = |part: &Code| {
            let CodeKind::Apply(Func::Eq, sides) = &part.kind else { return None };
            let [one, other] = &sides[..] else { return None };
            [(one, other), (other, one)].into_iter().find_map(|(index, key)| match index.kind {
                CodeKind::Var(var) if key.ty == Ty::Int && is_own(key) && !is_own(index) => {
                    (!vars(key).contains(&var)).then(|| (var, key.clone()))
                }
                _ => None,
            })
        };
        let ((var, key), rest) = cut_out(condition, key_of)?;
        let joins = matches!(fold, Fold::Sum | Fold::Prod | Fold::Max | Fold::Min);
        let free = ![Some(term), rest.as_ref()].into_iter().flatten().any(|code| vars(code).contains(&var));
        (joins && free && stage.guard.is_none()).then_some(Binned { var, key, rest })
    }

    /// Whether the op computes the keys itself: a kernel writes what has such a key, and does not look for it.
    pub fn is_counted(&self) -> bool {
        let mut counted = false;
        walk(&self.key, &mut |part| {
            counted |= matches!(&part.kind, CodeKind::Read(read) if matches!(read.source, Source::Stage(_)));
        });
        counted
    }
}

impl Keyed {
    /// The terms of each of so many keys, one key's beside each other and in their order, and where each key's end.
    fn sorted(&self, keys: usize) -> (Reals, Truths, Vec<usize>) {
        let mut ends = vec![0; keys];
        self.bins.iter().for_each(|bin| ends[*bin] += 1);
        let mut next = Vec::with_capacity(keys);
        let mut total = 0;
        for end in &mut ends {
            next.push(total);
            total += *end;
            *end = total;
        }
        let mut terms = Reals { v: vec![0.0; total], b: vec![0.0; self.b.len()] };
        let mut truths = vec![0; total];
        for (from, bin) in self.bins.iter().enumerate() {
            let to = next[*bin];
            next[*bin] += 1;
            (terms.v[to], truths[to]) = (self.v[from], self.truths[from]);
            if let Some(bar) = self.b.get(from) {
                terms.b[to] = *bar;
            }
        }
        (terms, Truths::Column(truths), ends)
    }
}

impl<L: Lane> Machine<'_, L> {
    /// The values over a box whose `at`-th index is the terms' key; none where what only some keys look at cannot be
    /// evaluated for all.
    pub(super) fn scattered(
        &self,
        folding: &Folding,
        binned: &Binned,
        axes: &[Axis],
        at: usize,
    ) -> Result<Option<Plane>, Trouble> {
        let mut plane = Plane::over(axes, L::SECOND);
        let run = axes[at];
        let mut others = axes.to_vec();
        others[at].extent = 1;
        let inner: usize = axes[at + 1..].iter().map(|a| a.extent).product();
        let length = folding.over.iter().map(|a| a.extent).product();
        for row in 0..others.iter().map(|a| a.extent).product() {
            let keyed = match self.keyed(folding, binned, &point(&others, row), run) {
                Err(Trouble::Outside { .. } | Trouble::Arithmetic) => return Ok(None),
                other => other?,
            };
            let doubt = self.take_doubt();
            let (terms, truths, ends) = keyed.sorted(run.extent);
            let first = row / inner * inner * run.extent + row % inner;
            let mut start = 0;
            for (key, end) in ends.into_iter().enumerate() {
                let own = |join: &mut super::joining::Joining<L::Joiner>| {
                    join.block(&terms, &truths, start..end, start as i64);
                    Ok(())
                };
                let (value, bar) = self.joined(folding, length, own)?;
                plane.put(first + key * inner, value, if doubt { f64::INFINITY } else { bar });
                start = end;
            }
        }
        Ok(Some(plane))
    }

    /// The terms whose keys are values of `run`.
    fn keyed(
        &self,
        folding: &Folding,
        binned: &Binned,
        outer: &[(usize, i64)],
        run: Axis,
    ) -> Result<Keyed, Trouble> {
        let mut out = Keyed::default();
        for block in Blocks::new(outer, folding.over, 1) {
            self.go_on()?;
            let rest = self.all_of(binned.rest.as_ref(), &block)?;
            let mut truths = rest.column(block.n);
            let keys = self.ints(&binned.key, &block, Some(&truths))?;
            let bin = |lane: usize| usize::try_from(keys.at(lane) - run.lo).ok().filter(|b| *b < run.extent);
            (0..block.n).filter(|lane| bin(*lane).is_none()).for_each(|lane| truths[lane] = 0);
            let truths = Truths::Column(truths);
            let terms = self.terms_of(folding, &block, &truths)?;
            for (lane, bin) in (0..block.n).filter_map(|lane| Some((lane, bin(lane)?))) {
                if truths.at(lane) != 0 {
                    out.v.push(terms.v[lane]);
                    out.b.extend(terms.b.get(lane));
                    out.truths.push(truths.at(lane));
                    out.bins.push(bin);
                }
            }
            terms.recycle();
        }
        Ok(out)
    }
}
