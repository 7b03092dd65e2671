//! What an op is made of, for people: the length of its sums, the functions that it calls, its operations
//! as a formula.

use std::collections::BTreeMap;

use ktwin_num::Sorted;

use crate::cost::counts;
use crate::func::Func;
use crate::node::{Fold, Node, NodeKind, Ty};
use crate::op::{DomainNode, Op, Stage, StageKind};
use crate::show;

/// What error bars of an op depend on.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Facts {
    /// Sums and means of reals: the definition that each is part of and its length as an expression.
    pub sums: Vec<(String, String)>,
    /// The functions of reals that it calls, by name, sorted.
    pub functions: Vec<&'static str>,
    /// Whether reals are divided.
    pub divides: bool,
    /// Whether reals are compared, by a sign, a rounding to whole numbers, an argmax or the like.
    pub compares: bool,
    /// Whether it does any arithmetic on reals at all.
    pub computes: bool,
    /// The number of floating-point operations as an expression over the dimensions.
    pub flops: String,
    /// Whether conditions make it fewer.
    pub at_most: bool,
}

impl Op {
    /// What its bars depend on.
    pub fn facts(&self) -> Facts {
        let mut facts = Facts::default();
        let mut terms: BTreeMap<(usize, String), u64> = BTreeMap::new();
        for stage in &self.stages {
            self.stage_facts(stage, &mut facts);
            self.stage_flops(stage, &mut terms, &mut facts.at_most);
        }
        facts.functions.sort_unstable();
        facts.functions.dedup();
        let mut terms: Vec<_> = terms.into_iter().filter(|(_, n)| *n > 0).collect();
        terms.reverse();
        let shown = terms.iter().map(|((_, space), n)| match (n, space.is_empty()) {
            (_, true) => n.to_string(),
            (1, false) => space.clone(),
            _ => format!("{n} * {space}"),
        });
        facts.flops = shown.collect::<Vec<_>>().join(" + ");
        facts.computes = !facts.flops.is_empty();
        facts
    }

    fn stage_facts(&self, stage: &Stage, facts: &mut Facts) {
        let mut look = |node: &Node| node.walk(&mut |n| look_at(n, facts));
        match &stage.kind {
            StageKind::Map(node) => look(node),
            StageKind::Reduce(reduce) => {
                look(&reduce.term);
                reduce.condition.iter().for_each(look);
                let real = reduce.term.ty == Ty::Real;
                facts.compares |= real && matches!(reduce.fold, Fold::ArgMax | Fold::ArgMin);
                if real && matches!(reduce.fold, Fold::Sum | Fold::Mean) {
                    let (factor, space) = self.space(&reduce.over);
                    let length = match (factor, space.is_empty()) {
                        (n, true) => n.to_string(),
                        (1, false) => space,
                        (n, false) => format!("{n} * {space}"),
                    };
                    let name = stage.name.split('.').next().unwrap_or_default().to_string();
                    if !facts.sums.contains(&(name.clone(), length.clone())) {
                        facts.sums.push((name, length));
                    }
                    facts.divides |= reduce.fold == Fold::Mean;
                }
            }
        }
    }

    /// Adds a stage's operations to those of spaces of the same size.
    fn stage_flops(&self, stage: &Stage, terms: &mut BTreeMap<(usize, String), u64>, at_most: &mut bool) {
        *at_most |= stage.guard.is_some();
        let mut add = |vars: &[usize], each: u64| {
            let (factor, space) = self.space(vars);
            let key = (space.matches('*').count() + usize::from(!space.is_empty()), space);
            *terms.entry(key).or_default() += each * factor;
        };
        match &stage.kind {
            StageKind::Map(node) => add(&stage.space, operations(node, at_most)),
            StageKind::Reduce(reduce) => {
                let all: Vec<usize> = stage.space.iter().chain(&reduce.over).copied().collect();
                let real = reduce.term.ty == Ty::Real && reduce.fold != Fold::Any;
                let condition = reduce.condition.as_ref().map_or(0, |c| operations(c, at_most));
                *at_most |= reduce.condition.is_some();
                add(&all, operations(&reduce.term, at_most) + condition + u64::from(real));
                add(&stage.space, u64::from(real && reduce.fold == Fold::Mean));
            }
        }
    }

    /// The size of a space: a factor, and a product of dimensions, in the op's order, and other extents.
    fn space(&self, vars: &[usize]) -> (u64, String) {
        let mut factor = 1;
        let mut names = Vec::new();
        let shown = |node| show::node(node, &self.dims, &self.scalars, &self.vars);
        for var in vars {
            let var = &self.vars[*var];
            match (&var.lo.kind, &var.hi.kind) {
                (NodeKind::Int(lo), NodeKind::Int(hi)) => factor *= (hi - lo).max(0) as u64,
                (NodeKind::Int(0), NodeKind::Dim(dim)) => names.push((*dim, shown(&var.hi))),
                (NodeKind::Int(0), _) => names.push((usize::MAX, format!("({})", shown(&var.hi)))),
                _ => names.push((usize::MAX, format!("({} - {})", shown(&var.hi), shown(&var.lo)))),
            }
        }
        names.sort();
        let names: Vec<String> = names.into_iter().map(|(_, name)| name).collect();
        (factor, names.join(" * "))
    }
}

impl Op {
    /// Its constraints as the language writes them.
    pub fn constraints_shown(&self) -> Vec<String> {
        self.constraints.iter().map(|c| show::node(c, &self.dims, &self.scalars, &self.vars)).collect()
    }

    /// An expression over dimensions and scalars as the language writes it, in parentheses unless it is one name.
    pub fn shown(&self, node: &Node) -> String {
        let text = crate::show::node(node, &self.dims, &self.scalars, &self.vars);
        if text.chars().all(|c| c.is_alphanumeric() || c == '_') { text } else { format!("({text})") }
    }

    /// The values of a domain, in words.
    pub fn domain_shown(&self, domain: &DomainNode) -> String {
        let side =
            |node: &Option<Node>| node.as_ref().map(|n| show::node(n, &self.dims, &self.scalars, &self.vars));
        let kind = if domain.integer { "whole numbers" } else { "numbers" };
        let from = |lo| format!("{} {lo}", if domain.lo_open { "above" } else { "from" });
        let to = |hi| match (domain.integer, domain.hi_open) {
            (_, true) => format!("below {hi}"),
            (_, false) => format!("up to {hi}"),
        };
        let values = match (side(&domain.lo), side(&domain.hi)) {
            (Some(lo), Some(hi)) => format!("{kind} {}, {}", from(lo), to(hi)),
            (Some(lo), None) => format!("{kind} {}", from(lo)),
            (None, Some(hi)) => format!("{kind} {}", to(hi)),
            (None, None) => kind.to_string(),
        };
        match domain.sorted {
            None => values,
            Some(Sorted::Rising) => format!("{values}, no one less than the one before it"),
            Some(Sorted::Splits) => format!("{values}, rising from the least of them to the largest"),
            Some(Sorted::Distinct) => format!("{values}, no two of them equal"),
        }
    }
}

fn look_at(node: &Node, facts: &mut Facts) {
    let NodeKind::Apply(func, args) = &node.kind else { return };
    if !args.iter().any(|a| a.ty == Ty::Real) && *func != Func::Div {
        return;
    }
    facts.divides |= *func == Func::Div;
    facts.compares |=
        func.compares() || matches!(func, Func::Floor | Func::Ceil | Func::Trunc | Func::Round | Func::Sign);
    let exact = matches!(
        func,
        Func::Abs | Func::Sign | Func::Min | Func::Max | Func::Floor | Func::Ceil | Func::Trunc | Func::Round
    );
    let repeated = *func == Func::Pow && matches!(args[1].kind, NodeKind::Int(1..=4))
        || matches!(args.get(1).map(|a| &a.kind), Some(NodeKind::Real(p)) if [1.0, 2.0, 3.0, 4.0].contains(p));
    if !exact && !repeated {
        facts.functions.extend(func.name());
    }
}

/// The operations on reals of an expression for one element; of two branches the dearer one.
fn operations(node: &Node, at_most: &mut bool) -> u64 {
    match &node.kind {
        NodeKind::If(parts) => {
            let [c, a, b] = parts.as_ref().each_ref().map(|p| operations(p, at_most));
            *at_most |= a != b;
            c + a.max(b)
        }
        NodeKind::Apply(func, args) => {
            let reals = args.iter().any(|a| a.ty == Ty::Real) || *func == Func::Div;
            let own = u64::from(reals && node.ty == Ty::Real && counts(*func));
            own + args.iter().map(|a| operations(a, at_most)).sum::<u64>()
        }
        _ => node.children().into_iter().map(|c| operations(c, at_most)).sum(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn facts(text: &str) -> Facts {
        Op::parse("a.op", text).unwrap_or_else(|e| panic!("{e}")).facts()
    }

    #[test]
    fn rmsnorm() {
        let facts = facts(
            "op a(x[R, D], w[D]; eps = 1e-5) -> y[R, D]\n\nms[r] = sum[d](x[r, d]^2) / D
            y[r, d] = x[r, d] / sqrt(ms[r] + eps) * w[d]",
        );
        assert_eq!(facts.sums, [("ms".to_string(), "D".to_string())]);
        assert_eq!(facts.functions, ["sqrt"]);
        assert!(facts.divides && facts.computes && !facts.compares && !facts.at_most);
        assert_eq!(facts.flops, "6 * R * D + R");
    }

    #[test]
    fn copies_compute_nothing_and_conditions_make_it_less() {
        let copy = facts("op a(x[N]) -> y[N]\n\ny[n] = x[N - 1 - n]");
        assert_eq!(copy, Facts::default());
        let relu = facts("op a(x[N]) -> y[N]\n\ny[n] = if x[n] > 0 then 2 * x[n] else exp(x[n]) + 1");
        assert_eq!((relu.flops.as_str(), relu.at_most, relu.compares), ("2 * N", true, true));
        let top = facts("op a(x[N]) -> y, z\n\ny = argmax[n](x[n])\nz = sum[n where n > 2](x[n])");
        assert_eq!((top.flops.as_str(), top.at_most, top.compares), ("2 * N", true, true));
    }
}
