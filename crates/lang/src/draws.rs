//! Which elements of a random op's outputs are made of which draws: along which axes elements share none, and whether
//! one draw alone decides an element.

use std::collections::BTreeMap;

use crate::node::{Node, NodeKind, Source};
use crate::op::{Op, Stage};

/// How the elements of an output share draws.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sharing {
    /// Whether the output is made of any draw at all.
    pub random: bool,
    /// Of each axis of the output whether elements that differ along it have no draw in common.
    pub apart: Vec<bool>,
    /// Where one draw alone decides each element: the number of the random variable, and for each of its indices the
    /// axis of the output that it is.
    pub single: Option<(usize, Vec<usize>)>,
}

/// For each random variable that a stage is made of, and each index of it, the stage's own index that it always is.
type Bound = BTreeMap<usize, Vec<Option<usize>>>;

/// Walks over stages that read each other: what they are bound to settles after so many.
const ROUNDS: usize = 4;

impl Op {
    /// How the elements of each output share draws.
    pub fn sharing(&self) -> Vec<Sharing> {
        let mut bound: Vec<Bound> = vec![Bound::new(); self.stages.len()];
        for _ in 0..ROUNDS {
            for (at, stage) in self.stages.iter().enumerate() {
                bound[at] = self.bound(stage, &bound);
            }
        }
        let of = |stage: &usize| sharing(&bound[*stage], self.stages[*stage].space.len());
        self.output_stages.iter().map(of).collect()
    }

    fn bound(&self, stage: &Stage, before: &[Bound]) -> Bound {
        let mut out = Bound::new();
        let own = |node: &Node| match node.kind {
            NodeKind::Var(var) => stage.space.iter().position(|v| *v == var),
            _ => None,
        };
        let mut add = |random: usize, places: Vec<Option<usize>>| match out.get_mut(&random) {
            None => drop(out.insert(random, places)),
            Some(known) => {
                for (known, place) in known.iter_mut().zip(places) {
                    *known = known.filter(|k| Some(*k) == place);
                }
            }
        };
        for node in stage.nodes() {
            node.walk(&mut |n| {
                let NodeKind::Read(read) = &n.kind else { return };
                let indices: Vec<Option<usize>> = read.indices.iter().map(own).collect();
                match read.source {
                    Source::Tensor(at) if at >= self.inputs.len() => add(at - self.inputs.len(), indices),
                    Source::Tensor(_) => {}
                    Source::Stage(of) => {
                        for (random, places) in &before[of] {
                            add(*random, places.iter().map(|p| p.and_then(|p| indices[p])).collect());
                        }
                    }
                }
            });
        }
        out
    }
}

fn sharing(bound: &Bound, axes: usize) -> Sharing {
    let apart = |axis| bound.values().all(|places| places.contains(&Some(axis)));
    let mut all = bound.iter();
    let single = match (all.next(), all.next()) {
        (Some((random, places)), None) => {
            places.iter().copied().collect::<Option<Vec<usize>>>().map(|places| (*random, places))
        }
        _ => None,
    };
    Sharing { random: !bound.is_empty(), apart: (0..axes).map(apart).collect(), single }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Vec<Sharing> {
        Op::parse("a.op", text).unwrap_or_else(|e| panic!("{e}")).sharing()
    }

    #[test]
    fn elements_with_draws_of_their_own() {
        let text = "op a(x[R, D]) -> y[R, D], z[R], s\nu = random[r] in 0.0..1.0\nv = random[r, d] in 0..9\n\
                    y[r, d] = u[r] * x[r, d]\nt[r] = argmax[d](v[r, d])\nz[r] = t[r] + 1\ns = sum[r](u[r])\n";
        let all = of(text);
        assert_eq!(all[0], Sharing { random: true, apart: vec![true, false], single: Some((0, vec![0])) });
        assert_eq!(all[1], Sharing { random: true, apart: vec![true], single: None });
        assert_eq!(all[2], Sharing { random: true, apart: vec![], single: None });
    }

    #[test]
    fn what_is_read_elsewhere_is_shared() {
        let text = "op a(x[N]) -> y[N], z[N]\nu = random[n] in 0.0..1.0\nv = random[n] in 0.0..1.0\n\
                    y[n] = u[n] + (u[n - 1] else 0)\nz[n] = u[n] * v[n]\n";
        let all = of(text);
        assert_eq!(all[0], Sharing { random: true, apart: vec![false], single: None });
        assert_eq!(all[1], Sharing { random: true, apart: vec![true], single: None });
    }

    #[test]
    fn a_recurrence_shares_along_its_index() {
        let text = "op a(x[T, D]) -> y[T, D]\nu = random[t, d] in 0.0..1.0\n\
                    y[t, d] = (if t == 0 then 0 else y[t - 1, d]) + u[t, d]\n";
        assert_eq!(of(text)[0].apart, [false, true]);
    }
}
