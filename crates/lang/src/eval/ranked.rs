//! Reductions that count how many keys come before one: sorted once, all keys know their ranks.

use super::blocks::Blocks;
use super::lane::Lane;
use super::plane::Plane;
use super::run::{Machine, Trouble};
use super::stage::{Folding, point};
use crate::case::{Axis, BoundKind, BoundStage};
use crate::code::{Affine, Code, CodeKind, ReadCode};
use crate::func::Func;
use crate::node::{Fold, Ty};

/// Fewer ranks than this are counted one by one.
const FEW: usize = 32;

/// How a condition counts keys: those before a key, and of equal ones those at earlier or at later places.
#[derive(Clone, Debug)]
pub struct Ranked {
    /// The index of the key that is ranked.
    pub var: usize,
    /// A key, at the reduced index.
    key: Code,
    /// Whether smaller keys come before larger ones.
    ascending: bool,
    /// Which of equal keys count: those before it, or those after it.
    equal: Option<Side>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Side {
    Before,
    After,
}

impl Ranked {
    /// Of a stage, where it is such a reduction.
    pub fn of(stage: &BoundStage) -> Option<Ranked> {
        let BoundKind::Reduce { fold: Fold::Sum, over, condition: Some(condition), term } = &stage.kind
        else {
            return None;
        };
        let [axis] = &over[..] else { return None };
        let counts = stage.ty == Ty::Int && matches!(term.kind, CodeKind::Int(1)) && stage.guard.is_none();
        if !counts {
            return None;
        }
        let CodeKind::Apply(Func::Or, parts) = &condition.kind else {
            return Ranked::strict(axis, condition);
        };
        let [one, other] = &parts[..] else { return None };
        let both = |a: &Code, b: &Code| {
            let ranked = Ranked::strict(axis, a)?;
            let equal = Some(ranked.equal(axis, b)?);
            Some(Ranked { equal, ..ranked })
        };
        both(one, other).or_else(|| both(other, one))
    }

    /// Of a strict comparison of two keys.
    fn strict(axis: &Axis, comparison: &Code) -> Option<Ranked> {
        let CodeKind::Apply(func @ (Func::Lt | Func::Gt), sides) = &comparison.kind else { return None };
        let [a, b] = &sides[..] else { return None };
        let of = |own: &Code, other: &Code, ascending: bool| {
            let var = partner(read(own)?, read(other)?, axis.var)?;
            Some(Ranked { var, key: own.clone(), ascending, equal: None })
        };
        let less = *func == Func::Lt;
        of(a, b, less).or_else(|| of(b, a, !less))
    }

    /// Which of the keys that are equal a condition counts.
    fn equal(&self, axis: &Axis, condition: &Code) -> Option<Side> {
        let CodeKind::Apply(Func::And, parts) = &condition.kind else { return None };
        let [one, other] = &parts[..] else { return None };
        let same = |code: &Code| {
            let CodeKind::Apply(Func::Eq, sides) = &code.kind else { return None };
            let [a, b] = &sides[..] else { return None };
            let key = read(&self.key)?;
            let is_pair = |a, b| partner(a, b, axis.var) == Some(self.var) && is_same(a, key);
            let (a, b) = (read(a)?, read(b)?);
            (is_pair(a, b) || is_pair(b, a)).then_some(())
        };
        let side = |code: &Code| {
            let CodeKind::Apply(func @ (Func::Lt | Func::Gt), sides) = &code.kind else { return None };
            let [one, other] = &sides[..] else { return None };
            let (CodeKind::Var(a), CodeKind::Var(b)) = (&one.kind, &other.kind) else { return None };
            let before = match (*a, *b) {
                (a, b) if (a, b) == (axis.var, self.var) => *func == Func::Lt,
                (a, b) if (b, a) == (axis.var, self.var) => *func == Func::Gt,
                _ => return None,
            };
            Some(if before { Side::Before } else { Side::After })
        };
        same(one).and_then(|()| side(other)).or_else(|| same(other).and_then(|()| side(one)))
    }

    /// The rank of each key.
    fn ranks(&self, keys: &[f64]) -> Vec<f64> {
        // what is no number comes before nothing, and nothing before it
        let mut order: Vec<usize> = (0..keys.len()).filter(|at| !keys[*at].is_nan()).collect();
        let compare = |a: usize, b: usize| match self.ascending {
            true => keys[a].partial_cmp(&keys[b]),
            false => keys[b].partial_cmp(&keys[a]),
        };
        order.sort_by(|a, b| compare(*a, *b).unwrap_or(std::cmp::Ordering::Equal));
        let mut ranks = vec![0.0; keys.len()];
        let mut first = 0;
        for group in order.chunk_by(|a, b| keys[*a] == keys[*b]) {
            for (at, key) in group.iter().enumerate() {
                let beside = match self.equal {
                    None => 0,
                    Some(Side::Before) => at,
                    Some(Side::After) => group.len() - 1 - at,
                };
                ranks[*key] = (first + beside) as f64;
            }
            first += group.len();
        }
        ranks
    }
}

fn read(code: &Code) -> Option<&ReadCode> {
    match &code.kind {
        CodeKind::Read(read) if read.otherwise.is_none() => Some(read),
        _ => None,
    }
}

/// The index that another read has where this one has `own`, all else being the same.
fn partner(read: &ReadCode, other: &ReadCode, own: usize) -> Option<usize> {
    let mut partner = None;
    let same = read.source == other.source && read.indices.len() == other.indices.len();
    for (a, b) in read.indices.iter().zip(&other.indices).filter(|_| same) {
        let (a, b) = (a.affine.as_ref()?, b.affine.as_ref()?);
        let times = a.coefficient(own);
        if times == 0 {
            equal(a, b).then_some(())?;
            continue;
        }
        let var = b.terms.iter().map(|(var, _)| *var).find(|var| a.coefficient(*var) == 0)?;
        let renamed = |(v, c): &(usize, i64)| (if *v == own { var } else { *v }, *c);
        let there = Affine { constant: a.constant, terms: a.terms.iter().map(renamed).collect() };
        (equal(&there, b) && partner.is_none_or(|known| known == var)).then_some(())?;
        partner = Some(var);
    }
    partner.filter(|_| same)
}

/// Whether two read the same place.
fn is_same(a: &ReadCode, b: &ReadCode) -> bool {
    let mut pairs = a.indices.iter().zip(&b.indices);
    let same = a.source == b.source && a.indices.len() == b.indices.len();
    same && pairs.all(|(a, b)| a.affine.as_ref().zip(b.affine.as_ref()).is_some_and(|(a, b)| equal(a, b)))
}

/// Whether two are the same, in whatever order their terms are.
fn equal(a: &Affine, b: &Affine) -> bool {
    let terms = a.terms.len() == b.terms.len() && a.terms.iter().all(|(var, c)| b.coefficient(*var) == *c);
    terms && a.constant == b.constant
}

impl<L: Lane> Machine<'_, L> {
    /// The ranks over a box whose `at`-th index is that of the ranked key; none where they are few, or keys are not
    /// known exactly.
    pub(super) fn ranked(
        &self,
        folding: &Folding,
        ranked: &Ranked,
        axes: &[Axis],
        at: usize,
    ) -> Result<Option<Plane>, Trouble> {
        let (run, over) = (axes[at], folding.over[0]);
        let skipped = usize::try_from(run.lo - over.lo).ok().filter(|skip| skip + run.extent <= over.extent);
        let Some(skipped) = skipped.filter(|_| run.extent >= FEW) else { return Ok(None) };
        let mut plane = Plane::over(axes, L::SECOND);
        let mut others = axes.to_vec();
        others[at].extent = 1;
        let inner: usize = axes[at + 1..].iter().map(|a| a.extent).product();
        for row in 0..others.iter().map(|a| a.extent).product() {
            let Some(keys) = self.keys(ranked, &point(&others, row), over)? else { return Ok(None) };
            let first = row / inner * inner * run.extent + row % inner;
            let ranks = ranked.ranks(&keys);
            for (place, rank) in ranks[skipped..][..run.extent].iter().enumerate() {
                plane.put(first + place * inner, *rank, 0.0);
            }
        }
        Ok(Some(plane))
    }

    /// All keys, if they are known exactly.
    fn keys(&self, ranked: &Ranked, outer: &[(usize, i64)], over: Axis) -> Result<Option<Vec<f64>>, Trouble> {
        let mut keys = Vec::with_capacity(over.extent);
        let over = [over];
        for block in Blocks::new(outer, &over, 1) {
            self.go_on()?;
            let found = match self.reals(&ranked.key, &block, None) {
                Err(Trouble::Outside { .. } | Trouble::Arithmetic) => return Ok(None),
                other => other?.spread(block.n),
            };
            let whole = ranked.key.ty == Ty::Int && found.v.iter().any(|v| v.abs() >= ktwin_num::pow2(53));
            if whole || self.take_doubt() || found.b.iter().any(|b| *b != 0.0) {
                return Ok(None);
            }
            keys.extend_from_slice(&found.v);
            found.recycle();
        }
        Ok(Some(keys))
    }
}
