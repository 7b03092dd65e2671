//! Whether an input's largest numbers go through a formula without overflow: where it only copies, compares and chooses
//! them, or adds something ordinary.

use crate::func::Func;
use crate::node::{Fold, Node, NodeKind, Reduce, Source, Ty};
use crate::op::{Op, StageKind};

/// How large a value is beside those of the input.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Size {
    /// No larger than what other inputs and the scalars are.
    Ordinary,
    /// No larger than a number of the input and something ordinary together.
    AsLarge,
    /// It may overflow, or nothing is known of it.
    Beyond,
}

use Size::*;

struct Walk<'o> {
    op: &'o Op,
    input: usize,
    /// By stage; none of one that is not known yet.
    known: Vec<Option<Size>>,
}

impl Op {
    /// Whether the largest numbers of an input's type, of one sign, overflow nothing while all other inputs are of
    /// ordinary size.
    pub fn passes_on(&self, input: usize) -> bool {
        let mut walk = Walk { op: self, input, known: vec![None; self.stages.len()] };
        self.recurrences.is_empty() && self.output_stages.iter().all(|stage| walk.stage(*stage) < Beyond)
    }
}

impl Walk<'_> {
    fn stage(&mut self, number: usize) -> Size {
        if let Some(known) = self.known[number] {
            return known;
        }
        self.known[number] = Some(Beyond);
        let stage = &self.op.stages[number];
        let size = match &stage.kind {
            StageKind::Map(body) => self.node(body),
            StageKind::Reduce(reduce) => self.reduce(reduce),
        };
        let guard = stage.guard.as_ref().map_or(Ordinary, |guard| self.node(guard));
        let size = if guard < Beyond { size } else { Beyond };
        self.known[number] = Some(size);
        size
    }

    fn reduce(&mut self, reduce: &Reduce) -> Size {
        let condition = reduce.condition.as_ref().map_or(Ordinary, |condition| self.node(condition));
        let term = self.node(&reduce.term);
        match reduce.fold {
            _ if condition == Beyond || term == Beyond => Beyond,
            Fold::Max | Fold::Min => term,
            Fold::ArgMax | Fold::ArgMin | Fold::Any => Ordinary,
            Fold::Sum | Fold::Mean | Fold::Prod if term == Ordinary => Ordinary,
            Fold::Sum | Fold::Mean | Fold::Prod => Beyond,
        }
    }

    fn node(&mut self, node: &Node) -> Size {
        match &node.kind {
            NodeKind::Read(read) => {
                let source = match read.source {
                    Source::Tensor(input) if input == self.input => AsLarge,
                    Source::Tensor(_) => Ordinary,
                    Source::Stage(stage) => self.stage(stage),
                };
                let indices = self.most(read.indices.iter());
                let otherwise = self.most(read.otherwise.iter());
                if indices == Ordinary { source.max(otherwise) } else { Beyond }
            }
            NodeKind::Apply(func, args) => self.apply(*func, args),
            NodeKind::If(parts) if self.node(&parts[0]) == Ordinary => self.most(parts[1..].iter()),
            NodeKind::If(_) => Beyond,
            NodeKind::Reduce(reduce) => self.reduce(reduce),
            _ => Ordinary,
        }
    }

    fn most<'n>(&mut self, nodes: impl Iterator<Item = &'n Node>) -> Size {
        nodes.map(|node| self.node(node)).max().unwrap_or(Ordinary)
    }

    fn apply(&mut self, func: Func, args: &[Node]) -> Size {
        let sizes: Vec<Size> = args.iter().map(|arg| self.node(arg)).collect();
        let large = sizes.iter().filter(|size| **size == AsLarge).count();
        match func {
            _ if sizes.contains(&Beyond) => Beyond,
            _ if large == 0 || func.compares() => Ordinary,
            Func::Sign => Ordinary,
            Func::Min | Func::Max | Func::Neg | Func::Abs => AsLarge,
            Func::Add | Func::Sub if large == 1 => AsLarge,
            Func::Mul if large == 1 && args.iter().any(|arg| self.shrinks(arg)) => AsLarge,
            _ => Beyond,
        }
    }

    /// Whether a factor is known to be no more than 1 either way.
    fn shrinks(&self, node: &Node) -> bool {
        let number = |node: &Node| match node.kind {
            NodeKind::Real(value) => Some(value),
            NodeKind::Int(value) => Some(value as f64),
            _ => None,
        };
        let small = |value: f64| value.abs() <= 1.0;
        if let NodeKind::Scalar(scalar) = node.kind {
            let (info, end) = (&self.op.scalars[scalar], |end: &Option<Node>| end.as_ref().and_then(number));
            let [lo, hi] = [end(&info.domain.lo), end(&info.domain.hi)];
            return info.ty == Ty::Real && lo.is_some_and(small) && hi.is_some_and(small);
        }
        number(node).is_some_and(small)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_copied_compared_or_chosen_overflows_nothing() {
        let of = |head: &str, body: &str| {
            let op = Op::parse("a.op", &format!("op a({head}) -> y[N]\n{body}\n"));
            op.unwrap_or_else(|e| panic!("{body}: {}", e.message)).passes_on(0)
        };
        let sort = "rank[n] = sum[m in N where x[m] < x[n] or x[m] == x[n] and m < n](1)\n\
                    y[n] = max[m in N where rank[m] == n](x[m])";
        for (head, body) in [
            ("x[N]", sort),
            ("x[N]", "y[n] = max(x[n], 0)"),
            ("x[N]", "y[n] = clamp(-x[n], -1, 1)"),
            ("x[N], z[N]", "y[n] = x[n] + z[n]"),
            ("x[N], z[N]", "y[n] = if x[n] > 0 then exp(z[n]) else 0"),
            ("x[N]; slope in 0.0..1.0", "y[n] = if x[n] > 0 then x[n] else slope * x[n]"),
        ] {
            assert!(of(head, body), "{body}");
        }
        for (head, body) in [
            ("x[N]", "y[n] = x[n] - max[m in N](x[m])"),
            ("x[N]", "y[n] = sum[m in N](x[m])"),
            ("x[N]", "y[n] = tanh(x[n])"),
            ("x[N]; slope", "y[n] = slope * x[n]"),
            ("x[N], z[N]", "y[n] = x[n] * z[n]"),
            ("x[N]", "y[n] = if x[n] * 2 > 1 then 1 else 0"),
        ] {
            assert!(!of(head, body), "{body}");
        }
    }
}
