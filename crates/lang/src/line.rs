//! Expressions that are linear in sizes and indices, and what they are at least.

use crate::func::Func;
use crate::node::{Node, NodeKind};
use crate::resolve::Names;

/// A number, so many times each dimension, and so many times each index.
#[derive(Clone, Default)]
pub(crate) struct Line {
    number: i64,
    dims: Vec<(usize, i64)>,
    vars: Vec<(usize, i64)>,
}

impl Line {
    /// An expression as a line, if it is one.
    pub(crate) fn of(node: &Node) -> Option<Line> {
        match &node.kind {
            NodeKind::Int(number) => Some(Line { number: *number, ..Line::default() }),
            NodeKind::Dim(dim) => Some(Line { dims: vec![(*dim, 1)], ..Line::default() }),
            NodeKind::Var(var) => Some(Line { vars: vec![(*var, 1)], ..Line::default() }),
            NodeKind::Apply(Func::Neg, args) => Line::of(&args[0])?.times(-1),
            NodeKind::Apply(func, args) if args.len() == 2 => {
                let (a, b) = (Line::of(&args[0])?, Line::of(&args[1])?);
                match func {
                    Func::Add => a.plus(&b),
                    Func::Sub => a.plus(&b.times(-1)?),
                    Func::Mul if b.is_number() => a.times(b.number),
                    Func::Mul if a.is_number() => b.times(a.number),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// What it is, where neither dimensions nor indices are left in it.
    pub(crate) fn number(&self) -> Option<i64> {
        let rest = self.dims.iter().chain(&self.vars).all(|(_, times)| *times == 0);
        rest.then_some(self.number)
    }

    /// Where it is zero: the dimension that is so many times another, how many times, and the other.
    pub(crate) fn product(&self) -> Option<(usize, i64, usize)> {
        let vars = self.vars.iter().any(|(_, times)| *times != 0);
        let dims: Vec<(usize, i64)> = self.dims.iter().copied().filter(|(_, times)| *times != 0).collect();
        let [(a, of_a), (b, of_b)] = dims[..] else { return None };
        let none = self.number != 0 || vars || (of_a > 0) == (of_b > 0);
        match (of_a.checked_abs()?, of_b.checked_abs()?) {
            _ if none => None,
            (1, times) => Some((a, times, b)),
            (times, 1) => Some((b, times, a)),
            _ => None,
        }
    }

    fn is_number(&self) -> bool {
        self.dims.is_empty() && self.vars.is_empty()
    }

    pub(crate) fn times(self, by: i64) -> Option<Line> {
        let each = |all: Vec<(usize, i64)>| -> Option<Vec<(usize, i64)>> {
            all.into_iter().map(|(at, n)| Some((at, n.checked_mul(by)?))).collect()
        };
        let number = self.number.checked_mul(by)?;
        Some(Line { number, dims: each(self.dims)?, vars: each(self.vars)? })
    }

    pub(crate) fn plus(&self, other: &Line) -> Option<Line> {
        let joined = |a: &[(usize, i64)], b: &[(usize, i64)]| -> Option<Vec<(usize, i64)>> {
            let mut out = a.to_vec();
            for (at, n) in b {
                match out.iter_mut().find(|(known, _)| known == at) {
                    Some((_, sum)) => *sum = sum.checked_add(*n)?,
                    None => out.push((*at, *n)),
                }
            }
            Some(out)
        };
        let number = self.number.checked_add(other.number)?;
        Some(Line { number, dims: joined(&self.dims, &other.dims)?, vars: joined(&self.vars, &other.vars)? })
    }

    /// What it is at least, whatever the sizes and the indices; none where it has no end.
    pub(crate) fn least(&self, names: &Names) -> Option<i64> {
        let mut line = Line { number: self.number, dims: self.dims.clone(), vars: Vec::new() };
        for (var, times) in self.vars.iter().filter(|(_, times)| *times != 0) {
            let range = &names.vars[*var];
            let last = || Line::of(&range.hi)?.plus(&Line { number: -1, ..Line::default() });
            let end = if *times > 0 { Line::of(&range.lo)? } else { last()? };
            line = line.plus(&end.times(*times)?)?;
        }
        // every dimension is at least 1
        let dims = line.dims.iter().map(|(_, times)| (*times >= 0).then_some(*times));
        dims.sum::<Option<i64>>()?.checked_add(line.number)
    }
}
