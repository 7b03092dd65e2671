//! An expression alone, over an op's dimensions and scalars: what contracts write for grids, sizes and
//! limits.

use crate::case::Case;
use crate::diagnostic::{Checked, Diagnostic, Mistake};
use crate::fold::{self, Known};
use crate::node::{Node, NodeKind, Ty};
use crate::op::{DomainNode, Op, Scalar, Value};
use crate::resolve::{Names, Scope};

/// A checked expression over an op's dimensions and scalars.
#[derive(Clone, Debug)]
pub struct Expression {
    node: Node,
}

impl Expression {
    /// Parses and checks an expression; `file` is only for messages. It may name the op's dimensions and scalars, and
    /// whole numbers beside: their values stand after those of the scalars.
    pub fn parse(op: &Op, beside: &[String], file: &str, text: &str) -> Result<Expression, Diagnostic> {
        let whole = |name: &String| Scalar {
            name: name.clone(),
            ty: Ty::Int,
            default: None,
            domain: DomainNode::default(),
        };
        let mut names = Names {
            dims: op.dims.clone(),
            scalars: op.scalars.iter().cloned().chain(beside.iter().map(whole)).collect(),
            vars: op.vars.clone(),
            ..Names::default()
        };
        let made = crate::parse::parse_expression(text)
            .and_then(|e| Scope::constants(&mut names).resolve(&e))
            .and_then(without_reductions);
        made.map(|node| Expression { node }).map_err(|mistake| mistake.locate(file, text))
    }

    pub(crate) fn node(&self) -> &Node {
        &self.node
    }

    /// What it evaluates to: an integer, a real or a truth value.
    pub fn ty(&self) -> Ty {
        self.node.ty
    }

    /// Its value at these sizes and scalars, in the op's order; none where whole numbers overflow or divide
    /// by zero.
    pub fn value(&self, dims: &[i64], scalars: &[Value]) -> Option<Value> {
        let known = Known {
            dims: dims.iter().map(|d| Some(*d)).collect(),
            scalars: scalars.iter().map(|s| Some(*s)).collect(),
        };
        fold::value(&self.node, &known)
    }

    /// The scalars that it names, by their numbers.
    pub fn scalars(&self) -> Vec<usize> {
        let mut found = Vec::new();
        self.node.walk(&mut |n| {
            if let NodeKind::Scalar(scalar) = n.kind {
                found.push(scalar);
            }
        });
        found
    }

    /// Its value in a case.
    pub fn in_case(&self, case: &Case) -> Option<Value> {
        self.value(&case.dims, &case.scalars)
    }
}

/// Sizes and scalars are all that such an expression computes with.
fn without_reductions(node: Node) -> Checked<Node> {
    let mut found = None;
    node.walk(&mut |n| found = found.or(matches!(n.kind, NodeKind::Reduce(_)).then_some(n.span)));
    let help = "compute with sizes and scalars alone: `ceil(N / 64)`, `int(ceil(log2(N)))`";
    found.map_or(Ok(node), |span| Err(Mistake::with_help(span, "a reduction cannot stand here", help)))
}
