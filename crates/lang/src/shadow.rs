//! Indices with the name of what they index: `d[r, d] = ...` would be read as a value that depends on itself.

use crate::ast::{Definition, Expr, ExprKind, IndexDecl};
use crate::diagnostic::{Checked, Mistake};

/// Refuses a definition that has an index of its own name, on its left side or in a reduction.
pub fn refuse(definition: &Definition) -> Checked<()> {
    let name = &definition.name.name;
    let own = definition.indices.iter().find(|index| index.name.name == *name);
    let Some(index) = own.or_else(|| reduced(&definition.body, name)) else { return Ok(()) };
    let message = format!("`{name}` is what this line defines, and an index of it as well");
    let help = format!("give one of them another name, such as `e in {}` for the index", name.to_uppercase());
    Err(Mistake::with_help(index.name.span, message, help))
}

/// The index of this name in a reduction somewhere in an expression.
fn reduced<'a>(expr: &'a Expr, name: &str) -> Option<&'a IndexDecl> {
    let own = match &expr.kind {
        ExprKind::Reduce(_, over, ..) => over.iter().find(|index| index.name.name == name),
        _ => None,
    };
    own.or_else(|| expr.kind.children().into_iter().find_map(|part| reduced(part, name)))
}

#[cfg(test)]
mod tests {
    use crate::op::Op;

    fn said(text: &str) -> String {
        Op::parse("a.op", text).err().map_or(String::new(), |mistake| mistake.to_string())
    }

    #[test]
    fn an_index_has_another_name_than_what_it_is_for() {
        for (text, at) in [
            ("op a(x[R, D]) -> d[R, D]\n\nd[r, d] = x[r, d] * 2\n", "a.op:3:6: "),
            ("op a(x[R, D]) -> y[R]\n\nd[r] = sum[d](x[r, d])\ny[r] = d[r]\n", "a.op:3:12: "),
        ] {
            let said = said(text);
            assert!(said.starts_with(at) && said.contains("`d` is what this line defines"), "{said}");
        }
    }

    #[test]
    fn other_lines_may_have_it_as_an_index() {
        assert_eq!(said("op a(x[R, F]) -> y[R]\n\nf[r] = x[r, 0]\ny[r] = f[r] + sum[f](x[r, f])\n"), "");
        assert_eq!(said("op a(x[R, D]) -> d[R]\n\nd[r] = sum[e in D](x[r, e])\n"), "");
    }
}
