//! What conditions say of one dimension alone: its ends, and what it is a multiple of. Whoever chooses sizes keeps to
//! them from the start.

use crate::diagnostic::{Checked, Mistake};
use crate::expression::Expression;
use crate::fold::{self, Known};
use crate::func::Func;
use crate::line::Line;
use crate::node::{Node, NodeKind};
use crate::op::{Dim, Op, Value};

/// What a condition says of a dimension.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bound {
    /// At least this size.
    Least(i64),
    /// At most this size.
    Most(i64),
    /// A multiple of this.
    Multiple(i64),
}

impl Op {
    /// What its constraints say of single dimensions, by their numbers.
    pub fn bounds(&self) -> Vec<(usize, Bound)> {
        self.constraints.iter().flat_map(of).collect()
    }

    /// The dimensions that are so many times another: each with the number, and the other.
    pub fn products(&self) -> Vec<(usize, i64, usize)> {
        self.constraints.iter().filter_map(product).collect()
    }
}

impl Expression {
    /// What it says of single dimensions, by their numbers, where it is to hold.
    pub fn bounds(&self) -> Vec<(usize, Bound)> {
        of(self.node())
    }
}

/// Refuses constraints that hold at no size at all.
pub fn possible(constraints: &[Node], dims: &[Dim]) -> Checked<()> {
    let (mut least, mut most) = (vec![1; dims.len()], vec![i64::MAX; dims.len()]);
    for constraint in constraints {
        if fold::constant(constraint) == Some(Value::Bool(false)) || is_no_equation(constraint) {
            let help = "compare sizes or scalars, as in `H % G == 0`";
            return Err(Mistake::with_help(constraint.span, "this never holds", help));
        }
        for (dim, bound) in of(constraint) {
            match bound {
                Bound::Least(end) => least[dim] = end.max(least[dim]),
                Bound::Most(end) => most[dim] = end.min(most[dim]),
                Bound::Multiple(_) => {}
            }
            if least[dim] > most[dim] {
                let (name, least, most) = (&dims[dim].name, least[dim], most[dim]);
                let message = format!("no size of {name} is left: at least {least}, and at most {most}");
                return Err(Mistake::with_help(
                    constraint.span,
                    message,
                    "write limits that some size meets",
                ));
            }
        }
    }
    Ok(())
}

/// Whether two sides are due to be equal whose difference is a number other than zero, whatever the sizes.
fn is_no_equation(node: &Node) -> bool {
    let NodeKind::Apply(Func::Eq, sides) = &node.kind else { return false };
    let difference = |a, b| Line::of(a)?.plus(&Line::of(b)?.times(-1)?)?.number();
    difference(&sides[0], &sides[1]).is_some_and(|rest| rest != 0)
}

/// What an equation says of two dimensions, one of which is so many times the other.
fn product(node: &Node) -> Option<(usize, i64, usize)> {
    let NodeKind::Apply(Func::Eq, sides) = &node.kind else { return None };
    Line::of(&sides[0])?.plus(&Line::of(&sides[1])?.times(-1)?)?.product()
}

/// What a condition that holds says of single dimensions.
fn of(node: &Node) -> Vec<(usize, Bound)> {
    let NodeKind::Apply(func, args) = &node.kind else { return Vec::new() };
    let [a, b] = &args[..] else { return Vec::new() };
    match (func, dimension(a), fold::constant(b)) {
        (Func::And, ..) => [of(a), of(b)].concat(),
        (_, Some((dim, times)), Some(end)) => ends(*func, dim, end.to_f64() / times),
        (Func::Eq, None, Some(rest)) if rest.to_f64() == 0.0 => multiple(a),
        _ => match (dimension(b), fold::constant(a)) {
            (Some((dim, times)), Some(end)) => ends(turned(*func), dim, end.to_f64() / times),
            _ => Vec::new(),
        },
    }
}

/// The dimension that an expression is so many times, as an integer or as a real.
fn dimension(node: &Node) -> Option<(usize, f64)> {
    match &node.kind {
        NodeKind::Dim(dim) => Some((*dim, 1.0)),
        NodeKind::Apply(Func::ToReal, args) => dimension(&args[0]),
        NodeKind::Apply(Func::Mul, args) => {
            let (dim, by) = match (dimension(&args[0]), dimension(&args[1])) {
                (Some(dim), None) => (dim, fold::constant(&args[1])?),
                (None, Some(dim)) => (dim, fold::constant(&args[0])?),
                _ => return None,
            };
            Some((dim.0, dim.1 * by.to_f64())).filter(|(_, times)| *times > 0.0)
        }
        _ => None,
    }
}

/// The ends that a comparison with a number gives.
fn ends(func: Func, dim: usize, end: f64) -> Vec<(usize, Bound)> {
    if end.is_nan() || end.abs() > 9e15 {
        return Vec::new();
    }
    let (up, down) = (end.ceil() as i64, end.floor() as i64);
    let each = match func {
        Func::Lt => vec![Bound::Most(up - 1)],
        Func::Le => vec![Bound::Most(down)],
        Func::Gt => vec![Bound::Least(down + 1)],
        Func::Ge => vec![Bound::Least(up)],
        Func::Eq => vec![Bound::Least(up), Bound::Most(down)],
        _ => Vec::new(),
    };
    each.into_iter().map(|bound| (dim, bound)).collect()
}

/// The comparison with its sides exchanged.
fn turned(func: Func) -> Func {
    match func {
        Func::Lt => Func::Gt,
        Func::Le => Func::Ge,
        Func::Gt => Func::Lt,
        Func::Ge => Func::Le,
        other => other,
    }
}

/// What `D % n == 0` says.
fn multiple(rest: &Node) -> Vec<(usize, Bound)> {
    let NodeKind::Apply(Func::Mod, sides) = &rest.kind else { return Vec::new() };
    let unit = fold::integer(&sides[1], &Known::default()).filter(|unit| *unit > 0);
    let dim = dimension(&sides[0]).filter(|(_, times)| *times == 1.0);
    dim.zip(unit).map(|((dim, _), unit)| (dim, Bound::Multiple(unit))).into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conditions_on_one_dimension_are_its_bounds() {
        let op = Op::parse("a.op", "op a(x[R, D]; k in 1..9 = 2) -> y[R, D]\n\ny[r, d] = x[r, d]").unwrap();
        let said = |text: &str| Expression::parse(&op, &[], "k", text).unwrap().bounds();
        assert_eq!(said("D > 5000"), [(1, Bound::Least(5001))]);
        assert_eq!(said("4 * 1024 >= R"), [(0, Bound::Most(4096))]);
        assert_eq!(said("2 * D > 9 and D * 3 <= 20"), [(1, Bound::Least(5)), (1, Bound::Most(6))]);
        assert_eq!(said("R == 7"), [(0, Bound::Least(7)), (0, Bound::Most(7))]);
        assert_eq!(said("D < 10.5 and D % 64 == 0"), [(1, Bound::Most(10)), (1, Bound::Multiple(64))]);
        for other in
            ["R * D <= 64", "R > D", "D > k", "D != 3", "D > 5 or R > 5", "R % k == 0", "2 * D % 6 == 0"]
        {
            assert_eq!(said(other), [], "{other}");
        }
    }

    #[test]
    fn what_is_so_many_times_another_is_seen() {
        let said = |condition: &str| {
            let text = format!("op a(x[R, D]; k in 1..9 = 2) -> y[R]\nwhere {condition}\n\ny[r] = x[r, 0]");
            Op::parse("a.op", &text).unwrap().products()
        };
        assert_eq!(said("R == 8 * D"), [(0, 8, 1)]);
        assert_eq!(said("0 == R * 3 - D"), [(1, 3, 0)]);
        assert_eq!(said("R == D"), [(0, 1, 1)]);
        for other in ["R == 8 * D + 1", "3 * R == 2 * D", "R == k * D", "R <= 8 * D"] {
            assert_eq!(said(other), [], "{other}");
        }
    }

    #[test]
    fn equations_that_never_hold_are_refused() {
        let said = |condition: &str| {
            let text = format!("op a(x[R, D]; k in 1..9 = 2) -> y[R]\nwhere {condition}\n\ny[r] = x[r, 0]");
            Op::parse("a.op", &text).err().map(|e| e.to_string())
        };
        for never in ["R == R + 1", "2 * D == D + D + 3", "1 == 2"] {
            assert!(
                said(never).is_some_and(|said| said.contains("never holds")),
                "{never}: {:?}",
                said(never)
            );
        }
        for some in ["R == D", "2 * R == R + D", "R == R", "D == k * R"] {
            assert_eq!(said(some), None, "{some}");
        }
    }
}
