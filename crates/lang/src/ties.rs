//! Ties: which places are as good as the one that an op chooses, and whether a kernel's choice is one of them. A line
//! `ties y: x[y]` says what must be the same; it becomes an op of its own, which takes the chosen places.

use std::collections::HashSet;

use ktwin_num::{DType, Tensor};

use crate::ast::{Definition, DomainDecl, Expr, ExprKind, File, Ident, Range, TensorDecl, TiesDecl};
use crate::case::Case;
use crate::diagnostic::{Checked, Mistake};
use crate::evaluate::{Elements, EvalError, Meaning, Output, Promise};
use crate::node::Source;
use crate::op::Op;

/// What of an output may be chosen otherwise.
#[derive(Clone, Debug)]
pub struct Ties {
    /// The output of places, by its number.
    pub output: usize,
    /// Whether every kernel may; otherwise those whose contract says so.
    pub any: bool,
    /// The index along which no place may come twice.
    distinct: Option<usize>,
    /// What is the same for places that are as good as each other.
    key: Op,
}

/// How a place that a kernel chose stands to the op's own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tied {
    /// As far as rounding tells, it is as good.
    AsGood,
    /// It is not, or it was chosen before.
    Worse,
    /// It is no place, or what is compared of one of the two is not finite.
    Unknown,
}

/// Places are below this.
const MOST: i64 = 1 << 40;

/// The ties of a file whose own definitions were checked.
pub fn check(tree: &File, op: &Op, file: &str, text: &str) -> Checked<Vec<Ties>> {
    tree.ties.iter().map(|decl| one(tree, decl, op, file, text)).collect()
}

fn one(tree: &File, decl: &TiesDecl, op: &Op, file: &str, text: &str) -> Checked<Ties> {
    let name = &decl.name;
    let Some(output) = op.output(&name.name).filter(|at| op.outputs[*at].integer) else {
        let message = format!("`{}` is not an output of places", name.name);
        return Err(Mistake::with_help(name.span, message, "ties are of an output that holds integers"));
    };
    let distinct = match &decl.distinct {
        None => None,
        Some(index) => match decl.indices.iter().position(|i| i.name.name == index.name) {
            Some(at) => Some(at),
            None => {
                let message = format!("`{}` is not an index of `{}` here", index.name, name.name);
                return Err(Mistake::new(index.span, message));
            }
        },
    };
    let key = crate::check::check(&keyed(tree, decl, output), file, text)?;
    if ranges(op, op.output_stages[output]) != ranges(&key, key.output_stages[0]) {
        let help = "write the indices as the definition of the output does";
        return Err(Mistake::with_help(name.span, "these are not the places of the output", help));
    }
    if !key.reads(Source::Tensor(key.inputs.len() - 1)) {
        let message = format!("this is the same for every place: it does not read `{}`", name.name);
        let help = format!("write what is chosen there: `ties {0}[n]: x[{0}[n]]`", name.name);
        return Err(Mistake::with_help(decl.key.span, message, help));
    }
    Ok(Ties { output, any: decl.any, distinct, key })
}

/// Where the indices of a stage start and end.
pub(crate) fn ranges(op: &Op, stage: usize) -> Vec<[String; 2]> {
    let shown = |node| crate::show::node(node, &op.dims, &op.scalars, &op.vars);
    op.stages[stage].space.iter().map(|v| [shown(&op.vars[*v].lo), shown(&op.vars[*v].hi)]).collect()
}

/// The op that computes what is the same, from the places as one more input.
fn keyed(tree: &File, decl: &TiesDecl, output: usize) -> File {
    let span = decl.name.span;
    let int = |value| Expr { kind: ExprKind::Int(value), span, height: 1 };
    // no name has a dot: this one is free
    let name = Ident { name: format!("{}.key", decl.name.name), span };
    let declared = &tree.outputs[output];
    let places = TensorDecl {
        domain: Some(DomainDecl::Range(Range { lo: Some(int(0)), hi: int(MOST) })),
        ..declared.clone()
    };
    let mut tree = tree.without_lines();
    tree.tensors.push(places);
    tree.outputs = vec![TensorDecl { name: name.clone(), domain: None, order: None, ..declared.clone() }];
    let inputs: Vec<String> = tree.tensors.iter().map(|t| t.name.name.clone()).collect();
    tree.definitions.retain(|d| !inputs.contains(&d.name.name));
    tree.definitions.push(Definition { name, indices: decl.indices.clone(), body: decl.key.clone() });
    tree
}

impl Case<'_> {
    /// Of each element of an output of places how what a kernel chose stands to what the op chooses.
    pub fn tied(
        &self,
        ties: &Ties,
        inputs: &[Tensor],
        promise: &Promise,
        chosen: &[f64],
    ) -> Result<Vec<Tied>, EvalError> {
        let own = self.evaluate(inputs, &Meaning::Exact, Elements::All)?.swap_remove(ties.output).values;
        let (ours, theirs) =
            (self.key(ties, inputs, promise, &own)?, self.key(ties, inputs, promise, chosen)?);
        let bars: Vec<f64> = ours.bars.iter().zip(&theirs.bars).map(|(a, b)| a + b).collect();
        let shape = &self.output_shapes[ties.output];
        let row = ties.distinct.map_or((1, 1), |axis| (shape[axis], shape[axis + 1..].iter().product()));
        // who is chosen elsewhere in a row by a little moves all that follow
        let slack = highest(&bars, row);
        let stands = |at: usize| {
            let (a, b) = (ours.values[at], theirs.values[at]);
            let equal = a == b || a.is_nan() && b.is_nan();
            match a.is_finite() && b.is_finite() {
                _ if !is_place(chosen[at]) => Tied::Unknown,
                _ if equal => Tied::AsGood,
                true if (a - b).abs() > slack[number(at, row)] => Tied::Worse,
                true => Tied::AsGood,
                false => Tied::Unknown,
            }
        };
        let mut tied: Vec<Tied> = (0..own.len()).map(stands).collect();
        if ties.distinct.is_some() {
            once(&mut tied, &own, chosen, row);
        }
        Ok(tied)
    }

    /// Of each element of an output of places whether what the op chooses is NaN: there is nothing else to choose, or
    /// NaN goes first.
    pub fn chooses_nan(
        &self,
        ties: &Ties,
        inputs: &[Tensor],
        promise: &Promise,
    ) -> Result<Vec<bool>, EvalError> {
        let own = self.evaluate(inputs, &Meaning::Exact, Elements::All)?.swap_remove(ties.output).values;
        let keys = self.key(ties, inputs, promise, &own)?.values;
        Ok(keys.into_iter().map(f64::is_nan).collect())
    }

    /// The same case of an op of the same dimensions and scalars.
    pub(crate) fn of_beside<'o>(&self, op: &'o Op) -> Result<Case<'o>, EvalError> {
        let dims: Vec<(&str, i64)> =
            self.op.dims.iter().zip(&self.dims).map(|(d, size)| (d.name.as_str(), *size)).collect();
        let scalars: Vec<_> =
            self.op.scalars.iter().zip(&self.scalars).map(|(s, value)| (s.name.as_str(), *value)).collect();
        op.bind(&dims, &scalars).map_err(|e| EvalError::Input(e.to_string()))
    }

    fn key(
        &self,
        ties: &Ties,
        inputs: &[Tensor],
        promise: &Promise,
        places: &[f64],
    ) -> Result<Output, EvalError> {
        let case = self.of_beside(&ties.key)?;
        let kept: Vec<f64> = places.iter().map(|p| if is_place(*p) { *p } else { 0.0 }).collect();
        let places = Tensor::from_f64(DType::I64, &self.output_shapes[ties.output], &kept);
        let inputs: Vec<Tensor> = inputs.iter().cloned().chain([places]).collect();
        let promise = Promise {
            rounds: promise.rounds.on_inputs_of(&ties.key),
            outputs: vec![None],
            inputs: promise.inputs.iter().copied().chain([None]).collect(),
            ..promise.clone()
        };
        Ok(case.evaluate(&inputs, &Meaning::Bars(promise), Elements::All)?.swap_remove(0))
    }
}

fn is_place(x: f64) -> bool {
    x.fract() == 0.0 && (0.0..MOST as f64).contains(&x)
}

/// The elements of the row of an element along an index of `extent` values, each of which stands for `inner` elements
/// that follow each other.
fn along(at: usize, (extent, inner): (usize, usize)) -> impl Iterator<Item = usize> {
    let start = at / (extent * inner).max(1) * extent * inner + at % inner.max(1);
    (0..extent).map(move |k| start + k * inner)
}

/// Which row an element is of.
fn number(at: usize, (extent, inner): (usize, usize)) -> usize {
    at / (extent * inner).max(1) * inner + at % inner.max(1)
}

/// The highest number of each row.
fn highest(all: &[f64], row: (usize, usize)) -> Vec<f64> {
    let mut out = vec![0f64; all.len() / row.0.max(1)];
    all.iter().enumerate().for_each(|(at, one)| out[number(at, row)] = out[number(at, row)].max(*one));
    out
}

/// Leaves ties only where no place comes twice in a row.
fn once(tied: &mut [Tied], own: &[f64], chosen: &[f64], row: (usize, usize)) {
    let (extent, inner) = row;
    for first in 0..tied.len() / extent.max(1) {
        let row = || along(first / inner * inner * extent + first % inner, row);
        let mut taken: HashSet<u64> =
            row().filter(|at| chosen[*at] == own[*at]).map(|at| chosen[at].to_bits()).collect();
        for at in row().filter(|at| chosen[*at] != own[*at]) {
            if !taken.insert(chosen[at].to_bits()) {
                tied[at] = Tied::Worse;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use ktwin_num::{Float, Language};

    use super::*;

    const TOP: &str = "op top(x[R, D]; count in 1..9 = 2) -> y[R, K], idx[R, K]\nwhere K == count, D >= count\n\
        rank[r, d] = sum[j in D where x[r, j] > x[r, d] or x[r, j] == x[r, d] and j < d](1)\n\
        y[r, k] = max[d where rank[r, d] == k](x[r, d])\n\
        idx[r, k] = sum[d where rank[r, d] == k](d)\n\
        ties idx[r, k] distinct k: (x[r, idx[r, k]] else nan)";

    fn tied(chosen: &[f64]) -> Vec<bool> {
        let op = Op::parse("top.op", TOP).unwrap_or_else(|e| panic!("{e}"));
        let case = op.bind(&[("R", 2), ("D", 4)], &[]).unwrap();
        let x = Tensor::from_f64(DType::F32, &[2, 4], &[3.0, 5.0, 5.0, 5.0, 1.0, 2.0, 2.0, 0.0]);
        let promise = Promise::new(&op, Language::C, Float::F32, Float::F32);
        let tied = case.tied(&op.ties[0], &[x], &promise, chosen).unwrap();
        tied.into_iter().map(|tied| tied == Tied::AsGood).collect()
    }

    #[test]
    fn any_of_equals_will_do_but_none_twice() {
        assert_eq!(tied(&[1.0, 2.0, 1.0, 2.0]), [true; 4]);
        assert_eq!(tied(&[3.0, 1.0, 2.0, 1.0]), [true; 4]);
        assert_eq!(tied(&[1.0, 1.0, 2.0, 2.0]), [true, false, false, true]);
        assert_eq!(tied(&[0.0, 3.0, 1.0, 3.0]), [false, true, true, false]);
        assert_eq!(tied(&[9.0, -1.0, f64::NAN, 1.5]), [false; 4]);
    }

    #[test]
    fn ties_are_of_places() {
        let text = |ties: &str| format!("op a(x[N]) -> y[N], at\ny[n] = x[n]\nat = argmax[n](x[n])\n{ties}");
        let refused = |ties: &str| Op::parse("a.op", &text(ties)).unwrap_err().to_string();
        assert!(refused("ties y[n]: x[n]").contains("not an output of places"));
        assert!(refused("ties at distinct n: x[at]").contains("not an index of `at`"));
        assert!(refused("ties at: z[at]").contains("`z` is not known"));
        assert!(refused("ties at: x[0]").contains("it does not read `at`"));
        assert!(Op::parse("a.op", &text("ties any at: x[at]")).unwrap().ties[0].any);
    }
}
