//! Which elements of an output mean anything: a line `valid y[n]: n < count` becomes an op of its own, which gives 1
//! for each of them and 0 for the rest, of which nothing is promised.

use ktwin_num::Tensor;

use crate::ast::{Definition, Expr, ExprKind, File, Ident, TensorDecl, ValidDecl};
use crate::case::Case;
use crate::diagnostic::{Checked, Mistake};
use crate::evaluate::{Elements, EvalError, Meaning, Output, Promise};
use crate::op::Op;
use crate::ties::ranges;

/// What is promised of an output whose length comes from the data.
#[derive(Clone, Debug)]
pub struct Valid {
    /// The output, by its number.
    pub output: usize,
    /// Whether an element is promised: 1 or 0.
    promised: Op,
}

/// The lines on what is valid of a file whose own definitions were checked.
pub fn check(tree: &File, op: &Op, file: &str, text: &str) -> Checked<Vec<Valid>> {
    let mut out: Vec<Valid> = Vec::new();
    for decl in &tree.valid {
        let name = &decl.name;
        let Some(output) = op.output(&name.name) else {
            return Err(Mistake::new(name.span, format!("`{}` is not an output", name.name)));
        };
        if out.iter().any(|valid| valid.output == output) {
            let message = format!("what is valid of `{}` is said twice", name.name);
            return Err(Mistake::with_help(name.span, message, "join the conditions by `and`"));
        }
        let promised = crate::check::check(&conditioned(tree, decl, output), file, text)?;
        if ranges(op, op.output_stages[output]) != ranges(&promised, promised.output_stages[0]) {
            let help = "write the indices as the definition of the output does";
            return Err(Mistake::with_help(name.span, "these are not the places of the output", help));
        }
        out.push(Valid { output, promised });
    }
    Ok(out)
}

/// The op that computes whether an element is promised.
fn conditioned(tree: &File, decl: &ValidDecl, output: usize) -> File {
    let span = decl.condition.span;
    let int = |value| Expr { kind: ExprKind::Int(value), span, height: 1 };
    let height = decl.condition.height + 1;
    let kind = ExprKind::If(Box::new(decl.condition.clone()), Box::new(int(1)), Box::new(int(0)));
    // no name has a dot: this one is free
    let name = Ident { name: format!("{}.valid", decl.name.name), span };
    let mut tree = tree.without_lines();
    tree.outputs =
        vec![TensorDecl { name: name.clone(), domain: None, order: None, ..tree.outputs[output].clone() }];
    let body = Expr { kind, span, height };
    // the name of an output that is written in place means the input
    tree.definitions.retain(|definition| !tree.tensors.iter().any(|t| t.name.name == definition.name.name));
    tree.definitions.push(Definition { name, indices: decl.indices.clone(), body });
    tree
}

impl Case<'_> {
    /// Takes the bars off the elements of which nothing is promised, or of which roundings decide whether anything is.
    pub(crate) fn keep_valid(
        &self,
        inputs: &[Tensor],
        promise: &Promise,
        of: Elements,
        made: &mut [Output],
    ) -> Result<(), EvalError> {
        for valid in &self.op.valid {
            let (of, made) = match of {
                Elements::All => (of, &mut made[valid.output]),
                Elements::Of(output, places) if output == valid.output => {
                    (Elements::Of(0, places), &mut made[0])
                }
                Elements::Of(..) => continue,
            };
            let case = self.of_beside(&valid.promised)?;
            let (rounds, outputs) = (promise.rounds.on_inputs_of(&valid.promised), vec![None]);
            let promise = Promise { rounds, outputs, ..promise.clone() };
            let said = case.evaluate(inputs, &Meaning::Bars(promise), of)?.swap_remove(0);
            for (bar, (value, doubt)) in made.bars.iter_mut().zip(said.values.iter().zip(&said.bars)) {
                if *value != 1.0 || *doubt != 0.0 {
                    *bar = f64::INFINITY;
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use ktwin_num::{DType, Float, Language};

    use super::*;

    const KEPT: &str = "op kept(x[N]) -> y[N], count\ncount = sum[n where x[n] > 0](1)\n\
        rank[n] = sum[m in N where m <= n and x[m] > 0](1)\n\
        y[k in N] = sum[n where x[n] > 0 and rank[n] == k + 1](x[n])\n";

    fn bars(text: &str, x: &[f64], of: Elements) -> Vec<Vec<f64>> {
        let op = Op::parse("kept.op", text).unwrap_or_else(|e| panic!("{e}"));
        let case = op.bind(&[("N", x.len() as i64)], &[]).unwrap();
        let inputs = [Tensor::from_f64(DType::F32, &[x.len()], x)];
        let promise = Promise::new(&op, Language::Correct, Float::F32, Float::F32).reading(&inputs);
        let made = case.evaluate(&inputs, &Meaning::Bars(promise), of).unwrap_or_else(|e| panic!("{e}"));
        made.into_iter().map(|output| output.bars).collect()
    }

    #[test]
    fn nothing_is_promised_of_what_is_not_valid() {
        let text = format!("{KEPT}\nvalid y[k in N]: k < count");
        let x = [3.0, -1.0, 5.0, -2.0];
        let free = f64::INFINITY;
        assert_eq!(bars(&text, &x, Elements::All), [vec![0.0, 0.0, free, free], vec![0.0]]);
        assert_eq!(bars(&text, &x, Elements::Of(0, &[1, 3])), [vec![0.0, free]]);
        assert_eq!(bars(KEPT, &x, Elements::All), [vec![0.0; 4], vec![0.0]]);
    }

    #[test]
    fn what_is_written_in_place_may_be_valid_in_part() {
        let text = "op twice(x[N]) -> x[N]\nx[n] = 2 * x[n]\nvalid x[n]: x[n] > 0";
        assert_eq!(bars(text, &[1.0, -1.0], Elements::All), [vec![0.0, f64::INFINITY]]);
    }

    #[test]
    fn numbers_that_are_rounded_first_may_or_may_not_be_promised() {
        let text = "op kept(x[N]) -> y[N], count\ncount = sum[n where x[n] > 0](1)\ny[n] = 2 * x[n]\n\
                    valid y[n]: n < count";
        let op = Op::parse("kept.op", text).unwrap();
        let case = op.bind(&[("N", 2)], &[]).unwrap();
        // bf16 may make nothing of the first
        let inputs = [Tensor::from_f64(DType::F32, &[2], &[1e-41, 3.0])];
        let mut promise = Promise::new(&op, Language::Correct, Float::F32, Float::F32).reading(&inputs);
        let of = |promise: &Promise| {
            let made = case.evaluate(&inputs, &Meaning::Bars(promise.clone()), Elements::All).unwrap();
            made[0].bars.clone()
        };
        assert!(of(&promise).iter().all(|bar| bar.is_finite()));
        promise.rounds.add(&op, "x", DType::Float(Float::BF16)).unwrap();
        assert_eq!(of(&promise)[1], f64::INFINITY);
    }

    #[test]
    fn mistakes_have_their_places() {
        let says = |line: &str| Op::parse("kept.op", &format!("{KEPT}\n{line}")).unwrap_err().to_string();
        for (line, due) in [
            ("valid rank[n]: n < count", "`rank` is not an output"),
            ("valid y[k in N]: k < count\nvalid y[k in N]: k < 2", "what is valid of `y` is said twice"),
            ("valid y[k in 0..2]: k < count", "these are not the places of the output"),
            ("valid y[k in N]: k + count", "takes a truth value"),
            ("valid y[k in N] = count", "`:` and the condition"),
        ] {
            assert!(says(line).contains(due), "{line}: {}", says(line));
        }
    }
}
