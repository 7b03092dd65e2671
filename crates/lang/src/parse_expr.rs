//! The expression grammar, loosest binding first. Part of the parser.

use crate::ast::{Expr, ExprKind, Ident};
use crate::diagnostic::{Checked, Mistake, Span};
use crate::parse::{Parser, distinct};
use crate::token::Kind;

/// The reductions' names, in the order the documentation lists them.
pub const REDUCTIONS: &[&str] = &["sum", "mean", "prod", "max", "min", "argmax", "argmin", "any"];

const COMPARISONS: &[&str] = &["==", "!=", "<=", ">=", "<", ">"];

impl Parser {
    pub(crate) fn expr(&mut self) -> Checked<Expr> {
        self.deeper(|p| if p.is("if") { p.conditional() } else { p.disjunction() })
    }

    fn conditional(&mut self) -> Checked<Expr> {
        let start = self.next().span;
        let condition = self.expr()?;
        if !self.take("then") {
            return Err(self.unexpected("`then`: if c then a else b"));
        }
        let then = self.expr()?;
        if !self.take("else") {
            return Err(self.unexpected("`else`: every `if` has one"));
        }
        let other = self.expr()?;
        let heights = [condition.height, then.height, other.height];
        let span = start.to(other.span);
        self.node(ExprKind::If(Box::new(condition), Box::new(then), Box::new(other)), span, &heights)
    }

    fn binary(&mut self, sign: &'static str, a: Expr, b: Expr) -> Checked<Expr> {
        let span = a.span.to(b.span);
        let heights = [a.height, b.height];
        self.node(ExprKind::Binary(sign, Box::new(a), Box::new(b)), span, &heights)
    }

    /// A left-to-right chain of `signs` between operands that `operand` parses.
    fn chain(&mut self, signs: &[&'static str], operand: fn(&mut Self) -> Checked<Expr>) -> Checked<Expr> {
        let mut left = operand(self)?;
        'next: loop {
            for sign in signs {
                if self.take(sign) {
                    let right = operand(self)?;
                    left = self.binary(sign, left, right)?;
                    continue 'next;
                }
            }
            return Ok(left);
        }
    }

    fn disjunction(&mut self) -> Checked<Expr> {
        self.chain(&["or"], Self::conjunction)
    }

    fn conjunction(&mut self) -> Checked<Expr> {
        self.chain(&["and"], Self::negation)
    }

    fn negation(&mut self) -> Checked<Expr> {
        if !self.is("not") {
            return self.comparison();
        }
        let start = self.next().span;
        let inner = self.deeper(Self::negation)?;
        let (span, height) = (start.to(inner.span), inner.height);
        self.node(ExprKind::Not(Box::new(inner)), span, &[height])
    }

    fn comparison(&mut self) -> Checked<Expr> {
        let left = self.additive()?;
        let Some(sign) = COMPARISONS.iter().find(|s| self.is(s)) else { return Ok(left) };
        self.next();
        let right = self.additive()?;
        if COMPARISONS.iter().any(|s| self.is(s)) {
            let help = "write `a < b and b < c`";
            return Err(Mistake::with_help(self.span(), "comparisons do not chain", help));
        }
        self.binary(sign, left, right)
    }

    pub(crate) fn additive(&mut self) -> Checked<Expr> {
        self.chain(&["+", "-"], Self::multiplicative)
    }

    fn multiplicative(&mut self) -> Checked<Expr> {
        self.chain(&["*", "//", "/", "%"], Self::unary)
    }

    fn unary(&mut self) -> Checked<Expr> {
        if self.is("if") {
            return self.deeper(Self::conditional);
        }
        if !self.is("-") {
            return self.power();
        }
        let start = self.next().span;
        let inner = self.deeper(Self::unary)?;
        let (span, height) = (start.to(inner.span), inner.height);
        self.node(ExprKind::Neg(Box::new(inner)), span, &[height])
    }

    fn power(&mut self) -> Checked<Expr> {
        let base = self.atom()?;
        if self.is("*") && matches!(self.tokens_after(), Some("*")) {
            return Err(Mistake::with_help(
                self.span(),
                "`**` is not a sign of the op language",
                "write `^`",
            ));
        }
        if !self.take("^") {
            return Ok(base);
        }
        let exponent = self.deeper(Self::unary)?;
        self.binary("^", base, exponent)
    }

    /// The sign right after the present one.
    fn tokens_after(&mut self) -> Option<&'static str> {
        let save = self.next();
        let after = match self.peek() {
            Kind::Sign(sign) if save.span.end == self.span().start => Some(*sign),
            _ => None,
        };
        self.back();
        after
    }

    fn atom(&mut self) -> Checked<Expr> {
        let span = self.span();
        match self.peek().clone() {
            Kind::Int(value) => self.leaf(ExprKind::Int(value)),
            Kind::Real(value) => self.leaf(ExprKind::Real(value)),
            Kind::Sign("true") => self.leaf(ExprKind::Bool(true)),
            Kind::Sign("false") => self.leaf(ExprKind::Bool(false)),
            Kind::Sign("inf") => self.leaf(ExprKind::Real(f64::INFINITY)),
            Kind::Sign("nan") => self.leaf(ExprKind::Real(f64::NAN)),
            Kind::Sign("pi") => self.leaf(ExprKind::Real(std::f64::consts::PI)),
            Kind::Sign("(") => self.parenthesis(),
            Kind::Name(name) => {
                self.next();
                self.named(Ident { name, span })
            }
            _ => Err(self.unexpected("an expression")),
        }
    }

    fn leaf(&mut self, kind: ExprKind) -> Checked<Expr> {
        let span = self.next().span;
        self.node(kind, span, &[])
    }

    /// `(a)`, or the padded read `(x[i] else a)`.
    fn parenthesis(&mut self) -> Checked<Expr> {
        let open = self.next().span;
        let mut inner = self.expr()?;
        if self.take("else") {
            let other = self.expr()?;
            if !matches!(inner.kind, ExprKind::Index(..)) {
                let help = "write `(x[i] else a)`, or `if c then a else b`";
                return Err(Mistake::with_help(inner.span, "`else` in parentheses belongs to a read", help));
            }
            let heights = [inner.height, other.height];
            inner = self.node(ExprKind::Padded(Box::new(inner), Box::new(other)), open, &heights)?;
        }
        let close = self.expect(")")?;
        inner.span = open.to(close);
        Ok(inner)
    }

    /// What follows a name: a read, a reduction, a call, or nothing.
    fn named(&mut self, name: Ident) -> Checked<Expr> {
        let start = name.span;
        if self.is("[") && REDUCTIONS.contains(&name.name.as_str()) {
            return self.reduction(name);
        }
        if self.take("[") {
            let indices = self.list("]", Self::expr)?;
            let heights: Vec<u32> = indices.iter().map(|e| e.height).collect();
            let span = start.to(self.before());
            return self.node(ExprKind::Index(name, indices), span, &heights);
        }
        if self.take("(") {
            let args = self.arguments(&name)?;
            let heights: Vec<u32> = args.iter().map(|e| e.height).collect();
            let span = start.to(self.before());
            return self.node(ExprKind::Call(name, args), span, &heights);
        }
        self.node(ExprKind::Name(name.name), start, &[])
    }

    /// What a function is given.
    fn arguments(&mut self, name: &Ident) -> Checked<Vec<Expr>> {
        let mut args = Vec::new();
        while !self.take(")") {
            if self.is(";") {
                let help = format!("a call of an op is a definition of its own: `y = {}(x; ...)`", name.name);
                return Err(Mistake::with_help(self.span(), "functions have no scalars after `;`", help));
            }
            if !args.is_empty() && !self.take(",") {
                return Err(self.unexpected("`,` or `)`"));
            }
            args.push(self.expr()?);
        }
        Ok(args)
    }

    fn reduction(&mut self, name: Ident) -> Checked<Expr> {
        self.expect("[")?;
        let mut over = vec![self.index()?];
        while self.take(",") {
            over.push(self.index()?);
        }
        let over = distinct(over)?;
        let condition = if self.take("where") { Some(Box::new(self.expr()?)) } else { None };
        if !self.take("]") {
            return Err(self.unexpected("`,`, `where` or `]`"));
        }
        if !self.is("(") {
            let wanted = format!("what is reduced, in parentheses: `{}[...](...)`", name.name);
            return Err(self.unexpected(&wanted));
        }
        self.next();
        let body = self.expr()?;
        let close = self.expect(")")?;
        let heights = [body.height, condition.as_ref().map_or(0, |c| c.height)];
        let span: Span = name.span.to(close);
        self.node(ExprKind::Reduce(name, over, condition, Box::new(body)), span, &heights)
    }
}
