//! Parses calls of other ops: `h, y = add_rmsnorm(x, res, w; eps)`. Part of the parser.

use crate::ast::{Expr, ExprKind, Ident, OpCall};
use crate::diagnostic::Checked;
use crate::func::Func;
use crate::parse::Parser;
use crate::token::Kind;

/// Names after which `(` begins arguments of a function that `Func` does not list.
const OTHERS: [&str; 3] = ["int", "real", "clamp"];

impl Parser {
    /// Whether a call of an op begins here: names, `=`, and something that is not a function, on bare names alone.
    pub(crate) fn starts_call(&self) -> bool {
        let name = |at: usize| match self.peek_at(at) {
            Kind::Name(name) => Some(name.as_str()),
            _ => None,
        };
        let sign = |at: usize, wanted: &str| matches!(self.peek_at(at), Kind::Sign(sign) if *sign == wanted);
        // a name and what follows it, over and over
        let names = |from: usize| {
            let mut at = from;
            while name(at).is_some() && sign(at + 1, ",") {
                at += 2;
            }
            at
        };
        let last = names(0);
        let function = |name: &str| Func::named(name).is_some() || OTHERS.contains(&name);
        let called = name(last + 2).is_some_and(|name| last > 0 || !function(name));
        if name(last).is_none() || !sign(last + 1, "=") || !called || !sign(last + 3, "(") {
            return false;
        }
        let end = names(last + 4);
        name(end).is_some() && (sign(end + 1, ";") || sign(end + 1, ")"))
    }

    /// `results = op(tensors; scalars)`.
    pub(crate) fn op_call(&mut self) -> Checked<OpCall> {
        let mut results = vec![self.ident("a result's name")?];
        while self.take(",") {
            results.push(self.ident("a result's name")?);
        }
        self.expect("=")?;
        let op = self.ident("an op's name")?;
        self.expect("(")?;
        let mut args = vec![self.ident("a tensor's name")?];
        while self.take(",") {
            args.push(self.ident("a tensor's name")?);
        }
        let settings = match self.take(";") {
            true => self.list(")", Self::setting)?,
            false => {
                self.expect(")")?;
                Vec::new()
            }
        };
        let span = op.span.to(self.before());
        Ok(OpCall { results, op, args, settings, span })
    }

    /// `eps = 1e-6`; `eps` alone gives a scalar that of the same name.
    fn setting(&mut self) -> Checked<(Ident, Expr)> {
        let name = self.ident("a scalar, as `eps` or `eps = 1e-6`")?;
        let value = match self.take("=") {
            true => self.expr()?,
            false => self.node(ExprKind::Name(name.name.clone()), name.span, &[])?,
        };
        Ok((name, value))
    }
}
