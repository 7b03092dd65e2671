//! Parts of numbers alone that have no value, such as `shl(1, -1)` or `10^400`: a mistake of the op wherever they
//! stand, which no case is needed to see.

use crate::bits::Bit;
use crate::diagnostic::{Checked, Mistake};
use crate::fold;
use crate::func::Func;
use crate::node::{Node, NodeKind, Ty};
use crate::op::Value;

/// Refuses an expression with a part that has no value.
pub fn refuse(body: &Node) -> Checked<()> {
    if let Some((message, help)) = wrong(body) {
        return Err(Mistake::with_help(body.span, message, help));
    }
    match &body.kind {
        // in these, sums and products are computed modulo 2^64
        NodeKind::Apply(Func::Wrap { .. } | Func::Bit(Bit::And | Bit::Or | Bit::Xor | Bit::Not), _) => Ok(()),
        _ => body.children().into_iter().try_for_each(refuse),
    }
}

/// What is wrong with an operation on numbers that have values themselves, and what to write instead.
fn wrong(node: &Node) -> Option<(&'static str, &'static str)> {
    let NodeKind::Apply(func, args) = &node.kind else { return None };
    let values: Vec<Value> = args.iter().map(fold::constant).collect::<Option<_>>()?;
    let value = fold::constant(node);
    let real =
        |value: &Value| matches!(value, Value::Real(v) if v.is_finite()) || matches!(value, Value::Int(_));
    match func {
        Func::Bit(_) if value.is_none() => Some((
            "this has no value in 64 bits",
            "shift by 0 to 63 bits, in words of 1 to 64, so that the result fits",
        )),
        Func::Add | Func::Sub | Func::Mul | Func::Pow | Func::Neg
            if value.is_none() && node.ty == Ty::Int =>
        {
            Some(("this whole number does not fit 64 bits", "compute with reals: `10.0^30` for `10^30`"))
        }
        Func::Add | Func::Sub | Func::Mul | Func::Pow if values.iter().all(real) => match value {
            Some(Value::Real(v)) if v.is_infinite() => {
                Some(("this is larger than any number of f64", "write `inf`, or at most 1.7e308"))
            }
            _ => None,
        },
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use crate::op::Op;

    fn said(body: &str) -> String {
        let text = format!("op a(x[N]; k = 3) -> y[N]\n\ny[n] = {body}\n");
        Op::parse("a.op", &text).err().map_or(String::new(), |mistake| mistake.to_string())
    }

    #[test]
    fn what_has_no_value_is_refused_at_its_place() {
        for (body, wanted) in [
            ("x[n] + shl(1, -1)", "a.op:3:15: this has no value"),
            ("x[n] + shl(1, 64)", "a.op:3:15: this has no value"),
            ("x[n] + shl(1, 63)", "a.op:3:15: this has no value"),
            ("x[n] + 10^400", "a.op:3:15: this whole number does not fit"),
            ("x[n % 10^30]", "a.op:3:14: this whole number does not fit"),
            ("if k > 5 then 10.0^400 else x[n]", "a.op:3:22: this is larger than any number"),
            ("sum[i in 0..3](1e300 * 1e300 * x[n])", "a.op:3:23: this is larger than any number"),
        ] {
            let said = said(body);
            assert!(said.starts_with(wanted), "{body}: {said}");
        }
    }

    #[test]
    fn what_has_one_is_not() {
        for body in [
            "x[n] + shl(1, 62)",
            "x[n] + shl(1, k)",
            "x[n] + 10^18",
            "x[n] + 2^-3",
            "x[n] + inf",
            "x[n] * 10.0^300",
            "max(x[n], -inf) + 1 / 0.0",
            "x[n] * 0.0^0.5",
            "x[n] + u32(2654435761 * 2654435761 * 2654435761)",
        ] {
            assert_eq!(said(body), "", "{body}");
        }
    }

    #[test]
    fn an_index_takes_no_more_values_than_a_case_can_have() {
        for body in ["sum[i in 0..10^15](x[n] * i)", "sum[i in -9..2000000000000](x[n] * i)"] {
            let said = said(body);
            assert!(
                said.contains("a.op:3:") && said.contains("`i` takes more values than any case"),
                "{body}: {said}"
            );
        }
        assert_eq!(said("sum[i in 0..1000000](x[n] * i)"), "");
    }
}
