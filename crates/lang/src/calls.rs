//! Resolves calls: which function a name is, and what becomes of its arguments.

use ktwin_num::{nearest, plural};

use crate::ast::{Expr, ExprKind, Ident};
use crate::diagnostic::{Checked, Mistake, Span};
use crate::func::{Func, Takes};
use crate::node::{Node, NodeKind, Ty};
use crate::resolve::Scope;

impl Scope<'_> {
    pub(crate) fn call(&mut self, name: &Ident, args: &[Expr], span: Span) -> Checked<Node> {
        let arity = match name.name.as_str() {
            "int" | "real" => 1,
            "clamp" => 3,
            other => Func::named(other).ok_or_else(|| self.no_function_of(name, args))?.arity,
        };
        let many = matches!(name.name.as_str(), "min" | "max") && args.len() > 2;
        if args.len() != arity && !many {
            let message =
                format!("`{}` takes {}, this gives {}", name.name, plural(arity, "argument"), args.len());
            return Err(Mistake::new(span, message));
        }
        let whole = Func::named(&name.name).is_some_and(|n| n.takes == Takes::Integers);
        let what = format!("each argument of `{}`", name.name);
        let node = |a| if whole { self.integer(a, &what) } else { self.number(a) };
        let nodes = args.iter().map(node).collect::<Checked<Vec<_>>>()?;
        Ok(call_node(&name.name, nodes, span))
    }

    /// There is no such function; where it is given a whole tensor, an op was meant.
    fn no_function_of(&self, name: &Ident, args: &[Expr]) -> Box<Mistake> {
        let whole = |arg: &Expr| match &arg.kind {
            ExprKind::Name(tensor) => {
                let tensor = Ident { name: tensor.clone(), span: arg.span };
                self.source(&tensor).is_ok_and(|(_, rank, _)| rank > 0)
            }
            _ => false,
        };
        if !args.iter().any(whole) {
            return self.no_function(name);
        }
        let help = format!(
            "a call of an op is a definition of its own, its scalars after a `;`: `y = {}(x; ...)`",
            name.name
        );
        Mistake::with_help(name.span, format!("there is no function `{}`", name.name), help)
    }

    pub(crate) fn no_function(&self, name: &Ident) -> Box<Mistake> {
        let functions = Func::all().map(|n| n.name).chain(["int", "real", "clamp"]);
        let message = format!("there is no function `{}`", name.name);
        if crate::parse_expr::REDUCTIONS.contains(&name.name.as_str()) {
            let help = format!("a reduction names its index: `{}[d](...)`", name.name);
            return Mistake::with_help(name.span, message, help);
        }
        if self.source(name).is_ok() {
            return Mistake::with_help(
                name.span,
                message,
                format!("read a tensor with `{}[...]`", name.name),
            );
        }
        if let Some(help) = crate::synonyms::meant(&name.name) {
            return Mistake::with_help(name.span, message, help);
        }
        match nearest(&name.name, functions) {
            Some(near) => Mistake::with_help(name.span, message, format!("did you mean `{near}`?")),
            None => Mistake::new(name.span, message),
        }
    }
}

fn call_node(name: &str, mut args: Vec<Node>, span: Span) -> Node {
    match name {
        "int" if args[0].ty == Ty::Int => args.remove(0),
        "int" => Node::apply(Func::ToInt, args, span),
        "real" => args.remove(0).into_real(),
        "clamp" => {
            let hi = args.remove(2);
            let lo = args.remove(1);
            let x = args.remove(0);
            joined(Func::Min, joined(Func::Max, x, lo, span), hi, span)
        }
        _ => {
            let named = Func::named(name).map(|n| (n.func, n.takes)).unwrap_or((Func::Abs, Takes::Same));
            match named {
                (func, Takes::Reals) => {
                    Node::apply(func, args.into_iter().map(Node::into_real).collect(), span)
                }
                (func, Takes::Integers) => Node::apply(func, args, span),
                (func, Takes::Same) if args.len() == 1 => Node::apply(func, args, span),
                (func, Takes::Same) => {
                    let first = args.remove(0);
                    args.into_iter().fold(first, |left, right| joined(func, left, right, span))
                }
            }
        }
    }
}

/// Two numbers joined: both become reals if one is. A power of integers stays an integer for a whole
/// exponent written out.
pub(crate) fn joined(func: Func, a: Node, b: Node, span: Span) -> Node {
    let whole = matches!(b.kind, NodeKind::Int(0..));
    match (func, a.ty, b.ty) {
        (Func::Pow, Ty::Int, Ty::Int) if whole => Node::apply(func, vec![a, b], span),
        (Func::Pow, Ty::Real, Ty::Int) if whole => Node::apply(func, vec![a, b], span),
        (Func::Pow, ..) => Node::apply(func, vec![a.into_real(), b.into_real()], span),
        (_, Ty::Int, Ty::Int) => Node::apply(func, vec![a, b], span),
        _ => Node::apply(func, vec![a.into_real(), b.into_real()], span),
    }
}
