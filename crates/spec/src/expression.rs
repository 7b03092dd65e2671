//! An expression alone, over an op's dimensions and scalars: what contracts write for grids, sizes and
//! limits.

use crate::case::Case;
use crate::diagnostic::Diagnostic;
use crate::fold::{self, Known};
use crate::node::{Node, Ty};
use crate::op::{Op, Value};
use crate::resolve::{Names, Scope};

/// A checked expression over an op's dimensions and scalars.
#[derive(Clone, Debug)]
pub struct Expression {
    node: Node,
}

impl Expression {
    /// Parses and checks an expression; `file` is only for messages.
    pub fn parse(op: &Op, file: &str, text: &str) -> Result<Expression, Diagnostic> {
        let mut names = Names {
            dims: op.dims.clone(),
            scalars: op.scalars.clone(),
            vars: op.vars.clone(),
            ..Names::default()
        };
        let made =
            crate::parse::parse_expression(text).and_then(|e| Scope::constants(&mut names).resolve(&e));
        made.map(|node| Expression { node }).map_err(|mistake| mistake.locate(file, text))
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

    /// Its value in a case.
    pub fn in_case(&self, case: &Case) -> Option<Value> {
        self.value(&case.dims, &case.scalars)
    }
}
