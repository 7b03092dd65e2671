//! Shows a typed expression as text, for messages and for keys that tell equal expressions.

use crate::func::Func;
use crate::node::{Node, NodeKind, Source, Var};
use crate::op::{Dim, Scalar};

/// An expression over dimensions and scalars, as the language writes it.
pub fn node(node: &Node, dims: &[Dim], scalars: &[Scalar], vars: &[Var]) -> String {
    let shower = Shower { dims, scalars, vars, bound: Vec::new(), exact: false };
    shower.show(node, 0)
}

/// A text that is equal for expressions that compute the same over the same free indices.
pub fn key(node: &Node, vars: &[Var]) -> String {
    Shower { dims: &[], scalars: &[], vars, bound: Vec::new(), exact: true }.show(node, 0)
}

#[derive(Clone)]
struct Shower<'a> {
    dims: &'a [Dim],
    scalars: &'a [Scalar],
    vars: &'a [Var],
    /// Indices bound by reductions around, which a key names by their order.
    bound: Vec<usize>,
    exact: bool,
}

/// How tightly a sign binds.
fn binding(func: Func) -> u8 {
    match func {
        Func::Or => 1,
        Func::And => 2,
        f if f.compares() => 3,
        Func::Add | Func::Sub => 4,
        Func::Mul | Func::Div | Func::IntDiv | Func::Mod => 5,
        _ => 7,
    }
}

impl Shower<'_> {
    fn show(&self, node: &Node, around: u8) -> String {
        match &node.kind {
            NodeKind::Int(v) => v.to_string(),
            NodeKind::Real(v) => format!("{v:?}"),
            NodeKind::Bool(v) => v.to_string(),
            NodeKind::Var(var) => self.var(*var),
            NodeKind::Dim(dim) => self.dims.get(*dim).map_or(format!("D{dim}"), |d| d.name.clone()),
            NodeKind::Scalar(s) => self.scalars.get(*s).map_or(format!("s{s}"), |s| s.name.clone()),
            NodeKind::Read(read) => {
                let name = match read.source {
                    Source::Tensor(at) => format!("t{at}"),
                    Source::Stage(at) => format!("g{at}"),
                };
                let pad =
                    read.otherwise.as_ref().map_or(String::new(), |o| format!(" else {}", self.show(o, 0)));
                format!("({name}[{}]{pad})", self.list(&read.indices))
            }
            NodeKind::Apply(func, args) => self.apply(*func, args, around),
            NodeKind::If(parts) => {
                let [c, a, b] = parts.as_ref();
                format!("(if {} then {} else {})", self.show(c, 0), self.show(a, 0), self.show(b, 0))
            }
            NodeKind::Reduce(reduce) => {
                let mut inner = self.clone();
                inner.bound.extend(&reduce.over);
                let over: Vec<String> = reduce.over.iter().map(|v| inner.range(*v)).collect();
                let condition = reduce
                    .condition
                    .as_ref()
                    .map_or(String::new(), |c| format!(" where {}", inner.show(c, 0)));
                format!(
                    "{}[{}{condition}]({})",
                    reduce.fold.name(),
                    over.join(", "),
                    inner.show(&reduce.term, 0)
                )
            }
        }
    }

    fn var(&self, var: usize) -> String {
        match (self.exact, self.bound.iter().position(|v| *v == var)) {
            (true, Some(at)) => format!("b{at}"),
            (true, None) => format!("v{var}"),
            (false, _) => self.vars.get(var).map_or(format!("v{var}"), |v| v.name.clone()),
        }
    }

    fn range(&self, var: usize) -> String {
        match (self.exact, self.vars.get(var)) {
            (true, Some(v)) => {
                format!("{} in {}..{}", self.var(var), self.show(&v.lo, 0), self.show(&v.hi, 0))
            }
            _ => self.var(var),
        }
    }

    fn list(&self, nodes: &[Node]) -> String {
        nodes.iter().map(|n| self.show(n, 0)).collect::<Vec<_>>().join(", ")
    }

    fn apply(&self, func: Func, args: &[Node], around: u8) -> String {
        if let (Some(sign), [a, b]) = (func.sign(), args) {
            let own = binding(func);
            let text = format!("{} {sign} {}", self.show(a, own), self.show(b, own + 1));
            return if own < around { format!("({text})") } else { text };
        }
        match func {
            Func::Neg => format!("-{}", self.show(&args[0], 6)),
            Func::Not => format!("not {}", self.show(&args[0], 6)),
            Func::ToReal if !self.exact => self.show(&args[0], around),
            _ => {
                let name = func.name().map_or_else(|| format!("{func:?}"), String::from);
                format!("{name}({})", self.list(args))
            }
        }
    }
}
