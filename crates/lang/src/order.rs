//! The order in which definitions can be resolved: each after those that it uses.

use crate::ast::{Expr, ExprKind, File};
use crate::diagnostic::{Checked, Mistake};
use crate::resolve::Names;

/// The definitions in an order in which each depends on earlier ones only.
pub fn dependency_order(tree: &File, names: &Names) -> Checked<Vec<usize>> {
    let mut state = vec![0u8; tree.definitions.len()];
    let mut order = Vec::new();
    for at in 0..tree.definitions.len() {
        visit(at, tree, names, &mut state, &mut order)?;
    }
    Ok(order)
}

fn visit(at: usize, tree: &File, names: &Names, state: &mut [u8], order: &mut Vec<usize>) -> Checked<()> {
    let definition = &tree.definitions[at];
    match state[at] {
        1 => {
            let message = format!("`{}` depends on itself", definition.name.name);
            return Err(Mistake::with_help(
                definition.name.span,
                message,
                "a running sum is `sum[m in N where m <= n](...)`",
            ));
        }
        2 => return Ok(()),
        _ => state[at] = 1,
    }
    let mut used = Vec::new();
    used_names(&definition.body, &mut used);
    for name in used {
        // a name that is an input is the input, also where an output is written over it
        let input = names.inputs.iter().any(|t| t.name == name);
        if let Some(next) = names.definitions.iter().position(|d| *d == name && !input) {
            visit(next, tree, names, state, order)?;
        }
    }
    state[at] = 2;
    order.push(at);
    Ok(())
}

fn used_names(expr: &Expr, out: &mut Vec<String>) {
    match &expr.kind {
        ExprKind::Name(name) => out.push(name.clone()),
        ExprKind::Index(name, args) => {
            out.push(name.name.clone());
            args.iter().for_each(|a| used_names(a, out));
        }
        ExprKind::Call(_, args) => args.iter().for_each(|a| used_names(a, out)),
        ExprKind::Neg(a) | ExprKind::Not(a) => used_names(a, out),
        ExprKind::Padded(a, b) | ExprKind::Binary(_, a, b) => [a, b].iter().for_each(|e| used_names(e, out)),
        ExprKind::If(c, a, b) => [c, a, b].iter().for_each(|e| used_names(e, out)),
        ExprKind::Reduce(_, _, condition, body) => {
            condition.iter().chain([body]).for_each(|e| used_names(e, out));
        }
        _ => {}
    }
}
