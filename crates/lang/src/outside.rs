//! Reads that are outside their tensor whatever the sizes: a mistake of the op, which no case is needed to see. Reads
//! under a condition are left alone, since nothing may ever read them.

use crate::diagnostic::{Checked, Mistake};
use crate::fold;
use crate::line::Line;
use crate::node::{Node, NodeKind, Read, Source, Var};
use crate::op::TensorInfo;
use crate::resolve::Names;

/// Refuses a definition over these indices that reads outside a tensor at every size.
pub fn refuse(body: &Node, space: &[usize], names: &Names) -> Checked<()> {
    if runs(space, names) { walk(body, names) } else { Ok(()) }
}

fn walk(body: &Node, names: &Names) -> Checked<()> {
    match &body.kind {
        NodeKind::Read(read) if read.otherwise.is_none() => {
            inside(read, names)?;
            read.indices.iter().try_for_each(|index| walk(index, names))
        }
        NodeKind::Apply(_, args) => args.iter().try_for_each(|arg| walk(arg, names)),
        NodeKind::If(parts) => walk(&parts[0], names),
        NodeKind::Reduce(reduce) if reduce.condition.is_none() && runs(&reduce.over, names) => {
            walk(&reduce.term, names)
        }
        _ => Ok(()),
    }
}

/// Whether indices have values at every size: each runs over a dimension, or from a number to a larger one.
fn runs(over: &[usize], names: &Names) -> bool {
    over.iter().all(|var| {
        let Var { lo, hi, dim, .. } = &names.vars[*var];
        let ends = fold::constant(lo).zip(fold::constant(hi));
        dim.is_some() || ends.is_some_and(|(lo, hi)| lo.to_f64() < hi.to_f64())
    })
}

fn inside(read: &Read, names: &Names) -> Checked<()> {
    let Source::Tensor(tensor) = read.source else { return Ok(()) };
    let info = &names.inputs[tensor];
    // places are counted from 0, as strides are in a contract
    for (at, (index, size)) in read.indices.iter().zip(&info.dims).enumerate() {
        let Some(place) = Line::of(index) else { continue };
        let before = place.clone().times(-1).and_then(|line| line.least(names));
        let past = Line::of(size).and_then(|size| place.plus(&size.times(-1)?)?.least(names));
        if before.is_some_and(|least| least > 0) {
            let message = format!("index {at} of `{}` lies before its start at every size", info.name);
            return Err(Mistake::with_help(index.span, message, counted(info, at)));
        }
        if past.is_some_and(|least| least >= 0) {
            let message = format!("index {at} of `{}` lies past its end at every size", info.name);
            return Err(Mistake::with_help(index.span, message, counted(info, at)));
        }
    }
    Ok(())
}

fn counted(info: &TensorInfo, at: usize) -> String {
    let axis = &info.axes[at];
    format!("indices run from 0 to {axis} - 1; `(x[...] else 0)` is a padded read")
}

#[cfg(test)]
mod tests {
    use crate::op::Op;

    fn said(body: &str) -> String {
        let text = format!("op a(x[N, 4], i[N] in 0..N; k in 0..3) -> y[N]\n\ny[n] = {body}\n");
        Op::parse("a.op", &text).err().map_or(String::new(), |mistake| mistake.to_string())
    }

    #[test]
    fn what_is_outside_at_every_size_is_refused() {
        for (body, wanted) in [
            ("x[-3, 0]", "index 0 of `x` lies before its start"),
            ("x[-n - 1, 0]", "index 0 of `x` lies before its start"),
            ("x[n, 4]", "index 1 of `x` lies past its end"),
            ("x[2 * N, 0]", "index 0 of `x` lies past its end"),
            ("1 + exp(x[N + n, 0])", "index 0 of `x` lies past its end"),
            ("sum[j in N](x[N + j, 0])", "index 0 of `x` lies past its end"),
            ("sum[j in 0..3](x[n, 4 + j])", "index 1 of `x` lies past its end"),
        ] {
            let said = said(body);
            assert!(said.contains(wanted) && said.contains("a.op:3:"), "{body}: {said}");
        }
    }

    #[test]
    fn what_runs_over_nothing_reads_nothing() {
        let text = "op a(x[N]) -> y[N]\ns[i in N..N] = x[i]\ny[n] = (s[n] else 2) + x[n]\n";
        assert!(Op::parse("a.op", text).is_ok());
    }

    #[test]
    fn what_some_size_or_some_case_reads_inside_is_not() {
        for body in [
            "x[n + 1, 0]",
            "x[3, 0]",
            "x[N - 1, 3]",
            "(x[n - N, 0] else 0)",
            "if k > 5 then x[-3, 0] else 0",
            "x[n, k + 3]",
            "x[i[n] - 5, 0]",
            "sum[j in 0..k](x[-3, 0])",
            "x[2 * N - 5, 0]",
        ] {
            assert_eq!(said(body), "", "{body}");
        }
    }
}
