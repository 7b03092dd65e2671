//! An expression alone, over an op's dimensions and scalars: what contracts write for grids, sizes and
//! limits.

use crate::case::Case;
use crate::diagnostic::{Checked, Diagnostic, Mistake};
use crate::fold::{self, Known};
use crate::func::Func;
use crate::node::{Node, NodeKind, Ty};
use crate::op::{DomainNode, Op, Scalar, Value};
use crate::resolve::{Names, Scope};
use crate::solve::solved;

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

    /// Whether it says that two numbers are equal.
    pub fn is_equation(&self) -> bool {
        matches!(self.node.kind, NodeKind::Apply(Func::Eq, _))
    }

    /// The size of a dimension for which it holds, where it is an equation and all the others that it names are given
    /// or follow from what is given.
    pub fn solved_for(&self, dim: usize, op: &Op, given: &[(usize, i64)], scalars: &[Value]) -> Option<i64> {
        let mut known =
            Known { dims: vec![None; op.dims.len()], scalars: scalars.iter().map(|s| Some(*s)).collect() };
        given.iter().for_each(|(of, size)| known.dims[*of] = Some(*size));
        while op.derive(&mut known) {}
        solved(&self.node, &known).filter(|(of, _)| *of == dim).map(|(_, size)| size)
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

#[cfg(test)]
mod tests {
    use super::*;

    fn made(text: &str) -> (Op, Expression) {
        let op =
            Op::parse("a.op", "op a(x[R, D]; seed in 0..0x100000000 = 1) -> y[R]\ny[r] = x[r, 0] * seed");
        let op = op.unwrap();
        let expression = Expression::parse(&op, &[], "k.c", text).unwrap();
        (op, expression)
    }

    #[test]
    fn what_wraps_may_be_larger_than_any_integer() {
        let (_, hash) = made("u32(seed * 2654435761 * 2654435761 + 99991)");
        let due =
            4_294_967_295_u64.wrapping_mul(2_654_435_761).wrapping_mul(2_654_435_761).wrapping_add(99_991);
        let value = hash.value(&[1, 1], &[Value::Int(0xffff_ffff)]);
        assert_eq!(value, Some(Value::Int(i64::from(due as u32))));
        let (_, plain) = made("seed * 9223372036854775807");
        assert_eq!(plain.value(&[1, 1], &[Value::Int(2)]), None);
    }

    #[test]
    fn equations_say_what_a_size_must_be() {
        let (op, equation) = made("R * D == 1024");
        let solved = |dim, given: &[(usize, i64)]| equation.solved_for(dim, &op, given, &[Value::Int(1)]);
        assert_eq!(solved(1, &[(0, 4)]), Some(256));
        assert_eq!((solved(1, &[(0, 3)]), solved(0, &[(0, 4)])), (None, None));
    }
}
