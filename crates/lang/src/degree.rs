//! How many inputs a formula multiplies with each other, whatever it divides by: a kernel may divide last.

use crate::func::Func;
use crate::node::{Fold, Node, NodeKind, Source};
use crate::op::{Op, StageKind};

/// The most that are told apart.
const MOST: u32 = 8;

struct Walk<'o> {
    op: &'o Op,
    /// By stage; none of one that is not known yet, as where it depends on itself.
    known: Vec<Option<u32>>,
    most: u32,
}

impl Op {
    /// The factors of the longest product of inputs.
    pub fn factors(&self) -> u32 {
        let mut walk = Walk { op: self, known: vec![None; self.stages.len()], most: 0 };
        let outputs = self.output_stages.iter().map(|stage| walk.stage(*stage)).max();
        outputs.unwrap_or(0).max(walk.most).min(MOST)
    }
}

impl Walk<'_> {
    fn stage(&mut self, stage: usize) -> u32 {
        if let Some(known) = self.known[stage] {
            return known;
        }
        self.known[stage] = Some(0);
        let op = self.op;
        let degree = match &op.stages[stage].kind {
            StageKind::Map(body) => self.node(body),
            StageKind::Reduce(reduce) => self.fold(reduce.fold, &reduce.term),
        };
        self.known[stage] = Some(degree);
        degree
    }

    fn fold(&mut self, fold: Fold, term: &Node) -> u32 {
        match fold {
            Fold::ArgMax | Fold::ArgMin | Fold::Any => 0,
            Fold::Sum | Fold::Mean | Fold::Prod | Fold::Max | Fold::Min => self.node(term),
        }
    }

    fn node(&mut self, node: &Node) -> u32 {
        let degree = match &node.kind {
            NodeKind::Read(read) => {
                let otherwise = read.otherwise.as_ref().map_or(0, |other| self.node(other));
                let source = match read.source {
                    Source::Tensor(input) => u32::from(self.op.inputs.get(input).is_some_and(|i| !i.integer)),
                    Source::Stage(stage) => self.stage(stage),
                };
                source.max(otherwise)
            }
            NodeKind::Apply(func, args) => self.apply(*func, args),
            NodeKind::If(parts) => self.node(&parts[1]).max(self.node(&parts[2])),
            NodeKind::Reduce(reduce) => self.fold(reduce.fold, &reduce.term),
            _ => 0,
        };
        self.most = self.most.max(degree);
        degree
    }

    fn apply(&mut self, func: Func, args: &[Node]) -> u32 {
        match func {
            Func::Mul => args.iter().map(|arg| self.node(arg)).sum::<u32>().min(MOST),
            Func::Add | Func::Sub | Func::Min | Func::Max => {
                args.iter().map(|arg| self.node(arg)).max().unwrap_or(0)
            }
            Func::Neg | Func::Abs | Func::Div => args.first().map_or(0, |arg| self.node(arg)),
            Func::Sqrt => args.first().map_or(0, |arg| self.node(arg).div_ceil(2)),
            Func::Pow => {
                let times = args.get(1).map_or(1.0, |exponent| match exponent.kind {
                    NodeKind::Int(times) => times as f64,
                    NodeKind::Real(times) => times,
                    _ => 1.0,
                });
                let base = args.first().map_or(0, |base| self.node(base));
                (f64::from(base) * times.max(0.0)).ceil().min(f64::from(MOST)) as u32
            }
            // what goes through a function comes out of no size that is known
            _ => 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn factors_are_counted_through_definitions_and_past_divisors() {
        let of = |text: &str| Op::parse("op", text).unwrap().factors();
        assert_eq!(of("op a(x[N]) -> y[N]\ny[n] = exp(x[n] * x[n]) + 2 * x[n]\n"), 1);
        assert_eq!(of("op a(a[M, K], b[K, N]) -> c[M, N]\nc[m, n] = sum[k](a[m, k] * b[k, n])\n"), 2);
        let norm = "op a(x[D], w[D], g[D]) -> y[D]\nr = sqrt(sum[d](x[d]^2))\nn[d] = x[d] / r\n\
                    along = sum[d](g[d] * w[d] * n[d])\ny[d] = g[d] * w[d] - n[d] * along\n";
        assert_eq!(of(norm), 4);
        assert_eq!(of("op a(x[N], i[N] in 0..N) -> y[N]\ny[n] = x[i[n]]^3\n"), 3);
    }
}
