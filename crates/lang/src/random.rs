//! Random variables: `u = random[r, d] in 0.0..1.0` declares one draw for each index. An op that has any gives no
//! values of its own; [`Op::with_draws`] takes the draws as inputs. Which elements share draws is in `draws`.

use crate::ast::{Expr, File, RandomDecl, TensorDecl};
use crate::check::input;
use crate::compose::sizes::extent;
use crate::diagnostic::{Checked, Mistake};
use crate::fold;
use crate::node::{Node, NodeKind, Source};
use crate::op::{Op, Value};
use crate::resolve::Names;

/// Declares the random variables of a file after its inputs, numbered on from them.
pub fn declare(tree: &File, names: &mut Names) -> Checked<()> {
    if let (Some(_), Some(ties)) = (tree.random.first(), tree.ties.first()) {
        let help = "remove the line: an op that is judged by its law has no ties";
        return Err(Mistake::with_help(ties.name.span, "ties are of ops without random variables", help));
    }
    if let (Some(_), Some(valid)) = (tree.random.first(), tree.valid.first()) {
        let help = "remove the line: an op that is judged by its law gives every element";
        return Err(Mistake::with_help(valid.name.span, "`valid` is of ops without random variables", help));
    }
    tree.random.iter().try_for_each(|decl| {
        let name = &decl.name;
        if tree.outputs.iter().any(|o| o.name.name == name.name) {
            let message = format!("`{}` is an output, not a random variable", name.name);
            return Err(Mistake::with_help(
                name.span,
                message,
                format!("draw `u = random[...] in ...`, and define `{}[...] = u[...]`", name.name),
            ));
        }
        let dims = decl.indices.iter().map(|index| size(tree, decl, index)).collect::<Checked<Vec<_>>>()?;
        let domain = Some(crate::ast::DomainDecl::Range(decl.range.clone()));
        input(&TensorDecl { name: name.clone(), dims, domain, order: None }, names)?;
        several(decl, names)
    })
}

fn size(tree: &File, decl: &RandomDecl, index: &crate::ast::IndexDecl) -> Checked<Expr> {
    extent(tree, index).ok_or_else(|| {
        let (name, u) = (&index.name.name, &decl.name.name);
        let (message, help) = match index.range {
            Some(_) => (
                format!("index `{name}` does not begin at 0"),
                "draw from 0 on, and read what is wanted".into(),
            ),
            None => (
                format!("no dimension `{}` for the index `{name}`", name.to_uppercase()),
                format!("declare it: `{u} = random[{name} in ...] in ...`"),
            ),
        };
        Mistake::with_help(index.name.span, message, help)
    })
}

/// A range that holds more than one number.
fn several(decl: &RandomDecl, names: &Names) -> Checked<()> {
    let Some(domain) = names.inputs.last().map(|info| &info.domain) else { return Ok(()) };
    let side = |node: &Option<Node>| node.as_ref().and_then(fold::constant).map(Value::to_f64);
    let (Some(lo), Some(hi)) = (side(&domain.lo), side(&domain.hi)) else { return Ok(()) };
    let span = decl.range.lo.as_ref().map_or(decl.range.hi.span, |lo| lo.span.to(decl.range.hi.span));
    if domain.integer && hi - lo < 2.0 {
        let help = "the end is excluded; for reals write `0.0..1.0`";
        return Err(Mistake::with_help(span, "only one whole number lies in this range", help));
    }
    Ok(())
}

/// Every random variable is read by something.
pub fn read(tree: &File, op: &Op) -> Checked<()> {
    let unread = |at: &usize| !op.reads(Source::Tensor(op.inputs.len() + at));
    match (0..op.random.len()).find(unread) {
        None => Ok(()),
        Some(at) => {
            let name = &tree.random[at].name;
            let message = format!("the random variable `{}` is never read", name.name);
            Err(Mistake::with_help(
                name.span,
                message,
                format!("read it as `{}[...]`, or remove it", name.name),
            ))
        }
    }
}

impl Op {
    /// Whether its outputs follow a law, and have no values.
    pub fn is_random(&self) -> bool {
        !self.random.is_empty()
    }

    /// The same op with its random variables as inputs, after its own: what it gives for given draws.
    pub fn with_draws(&self) -> Op {
        let mut op = self.clone();
        op.inputs.append(&mut op.random);
        op.forms.iter_mut().for_each(|form| form.op = form.op.with_draws());
        op
    }

    /// Why such an op cannot be evaluated.
    pub(crate) fn without_values(&self) -> String {
        let names: Vec<&str> = self.random.iter().map(|r| r.name.as_str()).collect();
        let names = names.join(", ");
        format!(
            "op {} is random: its outputs follow a law, and have values only for given draws ({names})",
            self.name
        )
    }

    /// The whole-number scalars that no formula of a random op reads: they can only choose its draws.
    pub fn seeds(&self) -> Vec<usize> {
        let mut read = vec![!self.is_random(); self.scalars.len()];
        let mut see = |node: &Node| {
            node.walk(&mut |n| {
                if let NodeKind::Scalar(at) = n.kind {
                    read[at] = true;
                }
            });
        };
        self.stages.iter().flat_map(|stage| stage.nodes()).for_each(&mut see);
        self.vars.iter().flat_map(|var| [&var.lo, &var.hi]).for_each(&mut see);
        self.constraints.iter().for_each(&mut see);
        let tensors = self.inputs.iter().chain(&self.random).chain(&self.outputs);
        let domains = tensors.clone().map(|t| &t.domain).chain(self.scalars.iter().map(|s| &s.domain));
        domains.flat_map(|d| d.lo.iter().chain(&d.hi)).for_each(&mut see);
        tensors.flat_map(|t| &t.dims).for_each(&mut see);
        let seed = |at: &usize| !read[*at] && self.scalars[*at].ty == crate::node::Ty::Int;
        (0..self.scalars.len()).filter(seed).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DROP: &str = "op drop(x[N]; p in 0.0..1.0 = 0.5, seed = 0) -> y[N]\n\
                        u = random[n] in 0.0..1.0\ny[n] = if u[n] < p then 0 else x[n] / (1 - p)\n";

    fn refused(text: &str) -> String {
        Op::parse("a.op", text).unwrap_err().to_string()
    }

    #[test]
    fn draws_are_inputs_of_another_op() {
        let op = Op::parse("drop.op", DROP).unwrap();
        assert!(op.is_random() && op.inputs.len() == 1 && op.random[0].to_string() == "u[N]");
        assert_eq!(op.seeds(), [1]);
        let given = op.with_draws();
        assert!(!given.is_random() && given.inputs.len() == 2 && given.seeds().is_empty());
    }

    #[test]
    fn called_ops_bring_their_draws() {
        let text = format!(
            "op two(x[N]; seed = 0) -> y[N]\na = drop(x)\nb = drop(x; p = 0.25)\n\
                            y[n] = a[n] + b[n]\n\n{DROP}"
        );
        let op = Op::parse("two.op", &text).unwrap();
        let names: Vec<&str> = op.random.iter().map(|r| r.name.as_str()).collect();
        assert_eq!((names, op.seeds()), (vec!["a_u", "b_u"], vec![0]));
    }

    #[test]
    fn mistakes_say_what_to_write() {
        let of = |line: &str| refused(&format!("op a(x[N]) -> y[N]\n{line}\ny[n] = x[n]\n"));
        for (line, wanted) in [
            ("u = random[n] in 1.0..0.0", "the range is empty"),
            ("u = random[n] in 0..1", "only one whole number"),
            ("u = random[n]", "say in which range: `u = random[...] in 0.0..1.0`"),
            ("u = random[n] in N", "write both ends"),
            ("u = random[m] in 0.0..1.0", "no dimension `M`"),
            ("u = random[m in 1..N] in 0.0..1.0", "does not begin at 0"),
            ("u = random[n] in 0.0..1.0", "`u` is never read"),
            ("y = random[n] in 0.0..1.0", "`y` is an output"),
            ("u[n] = random[n] in 0.0..1.0", "write `u = random[n] in 0.0..1.0`"),
            ("s = sum[n](random[n])", "stands alone"),
            ("s = random()", "stands alone"),
        ] {
            let said = of(line);
            assert!(said.contains(wanted), "{line}: {said}");
        }
    }
}
