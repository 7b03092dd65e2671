//! Sizes out of constraints: an equation in which one dimension is unknown gives it, on whichever side it stands.

use crate::fold::{self, Known};
use crate::func::Func;
use crate::node::{Node, NodeKind};

/// The dimension that an equation gives, and its size.
pub fn solved(constraint: &Node, known: &Known) -> Option<(usize, i64)> {
    let NodeKind::Apply(Func::Eq, sides) = &constraint.kind else { return None };
    let [a, b] = &sides[..] else { return None };
    match (fold::integer(a, known), fold::integer(b, known)) {
        (None, Some(value)) => inverted(a, value, known),
        (Some(value), None) => inverted(b, value, known),
        _ => None,
    }
}

/// The dimension for which an expression has a value, if there is exactly one size for it.
fn inverted(node: &Node, value: i64, known: &Known) -> Option<(usize, i64)> {
    let NodeKind::Apply(func, args) = &node.kind else {
        return if let NodeKind::Dim(dim) = node.kind { Some((dim, value)) } else { None };
    };
    let [a, b] = &args[..] else { return None };
    let (left, right) = (fold::integer(a, known), fold::integer(b, known));
    match (func, left, right) {
        (Func::Add, None, Some(y)) => inverted(a, value.checked_sub(y)?, known),
        (Func::Add, Some(x), None) => inverted(b, value.checked_sub(x)?, known),
        (Func::Sub, None, Some(y)) => inverted(a, value.checked_add(y)?, known),
        (Func::Sub, Some(x), None) => inverted(b, x.checked_sub(value)?, known),
        (Func::Mul, None, Some(y)) => inverted(a, quotient(value, y)?, known),
        (Func::Mul, Some(x), None) => inverted(b, quotient(value, x)?, known),
        _ => None,
    }
}

/// A whole quotient.
fn quotient(a: i64, b: i64) -> Option<i64> {
    (a.checked_rem(b)? == 0).then(|| a / b)
}

#[cfg(test)]
mod tests {
    use crate::op::{Op, Value};

    fn sizes(constraint: &str, dims: &[(&str, i64)]) -> Result<Vec<i64>, String> {
        let text = format!("op a(x[C, K]; r in 1..9 = 2) -> y[D]\nwhere {constraint}\ny[d] = x[0, 0] + d");
        let op = Op::parse("a.op", &text).unwrap();
        op.bind(dims, &[("r", Value::Int(2))]).map(|case| case.dims).map_err(|e| e.to_string())
    }

    #[test]
    fn equations_are_solved_for_whatever_is_unknown() {
        assert_eq!(sizes("C == D * r * r, K == 1", &[("C", 12)]), Ok(vec![12, 1, 3]));
        assert_eq!(sizes("C == D * r * r, K == 1", &[("D", 5)]), Ok(vec![20, 1, 5]));
        assert_eq!(sizes("2 * D + 1 == C - K", &[("C", 12), ("K", 3)]), Ok(vec![12, 3, 4]));
        assert_eq!(sizes("2 * D + 1 == C - K", &[("C", 12), ("D", 3)]), Ok(vec![12, 5, 3]));
        assert!(sizes("C == D * r * r, K == 1", &[("C", 13)]).unwrap_err().contains("no size"));
    }
}
