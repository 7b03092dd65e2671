//! What may be changed of one expression.

use super::{Edit, Open, Walk, constants};
use crate::ast::{Expr, ExprKind, Ident};
use crate::diagnostic::Span;

/// Signs that are taken for one another.
const SIGNS: &[(&str, &[&str])] = &[
    ("+", &["-"]),
    ("-", &["+"]),
    ("*", &["/"]),
    ("/", &["*"]),
    ("//", &["%", "*"]),
    ("%", &["//"]),
    ("<", &["<=", ">", ">=", "!="]),
    ("<=", &["<", ">=", ">", "=="]),
    (">", &[">=", "<", "<=", "!="]),
    (">=", &[">", "<=", "<", "=="]),
    ("==", &["!=", "<=", ">="]),
    ("!=", &["=="]),
    ("and", &["or"]),
    ("or", &["and"]),
];

/// Functions that are taken for one another.
const FUNCTIONS: &[(&str, &[&str])] = &[
    ("exp", &["exp2"]),
    ("log", &["log2", "log10"]),
    ("sqrt", &["rsqrt"]),
    ("rsqrt", &["sqrt"]),
    ("tanh", &["sigmoid", "erf"]),
    ("erf", &["tanh"]),
    ("sigmoid", &["tanh"]),
    ("sin", &["cos"]),
    ("cos", &["sin"]),
    ("max", &["min"]),
    ("min", &["max"]),
    ("floor", &["ceil", "round", "trunc"]),
    ("ceil", &["floor", "round", "trunc"]),
    ("round", &["floor", "ceil", "trunc"]),
];

impl Walk<'_> {
    /// Every edit of this expression itself, not of its parts.
    pub(super) fn edits(&self, expr: &Expr, is_index: bool) -> Vec<Edit> {
        let mut out = Made { span: expr.span, edits: Vec::new() };
        constants::written(expr, self.numbers, &mut out);
        self.habits(expr, &mut out);
        match &expr.kind {
            ExprKind::Int(value) => constants::whole(*value, &mut out),
            ExprKind::Real(_) => constants::real(self.of(expr), self.numbers, &mut out),
            ExprKind::Bool(value) => out.plain((!value).to_string()),
            ExprKind::Name(name) => self.named(name, is_index, &mut out),
            ExprKind::Index(name, indices) => self.read(name, indices, &mut out),
            ExprKind::Padded(read, other) => {
                self.wrapped(read, &mut out);
                let also = if self.of(other) == "0" { "1" } else { "0" };
                out.at(other.span, also.into(), 1);
            }
            ExprKind::Call(name, args) => self.call(name, args, &mut out),
            ExprKind::Reduce(fold, over, condition, body) => {
                self.reduction(fold, over, condition.as_deref(), &mut out);
                self.last_of_equals(fold, over, &mut out);
                self.so_far(fold, over, expr.span, &mut out);
                self.filled_up(fold, over, condition.as_deref(), body, &mut out);
                if condition.is_none() {
                    self.one_pass(fold, over, body, &mut out);
                }
            }
            ExprKind::Neg(inner) | ExprKind::Not(inner) => out.plain(self.of(inner).into()),
            ExprKind::Binary(sign, a, b) => self.binary(sign, a, b, &mut out),
            ExprKind::If(condition, a, b) => {
                [a, b].iter().for_each(|branch| out.near(format!("({})", self.of(branch))));
                out.at(condition.span, format!("not ({})", self.of(condition)), 1);
            }
        }
        out.edits
    }

    fn named(&self, name: &str, is_index: bool, out: &mut Made) {
        let dims = || self.dims().into_iter().filter(|dim| dim != name);
        if crate::check::is_dimension(name) {
            dims().for_each(|dim| out.plain(dim));
            ["- 1", "+ 1"].iter().for_each(|by| out.plain(format!("({name} {by})")));
            for (_, tile) in self.tiles.iter().filter(|(dim, tile)| *dim == name && *tile > 1) {
                let whole = format!("(({name} + {}) // {tile} * {tile})", tile - 1);
                [tile.to_string(), whole].into_iter().for_each(|other| out.far(other));
            }
            return;
        }
        if let Some(scalar) = self.tree.scalars.iter().find(|s| s.name.name == name) {
            scalar.default.iter().for_each(|default| out.plain(self.of(default).into()));
            ["0", "1"].iter().for_each(|value| out.plain((*value).into()));
            self.dims().into_iter().for_each(|dim| out.far(dim));
            let others = ["(1 / _)", "sqrt(_)", "(_^2)", "(1 - _)", "(_ + 1)", "(_ - 1)"];
            for text in others.map(|text| text.replace('_', name)) {
                out.far(text);
            }
            constants::tiny(self.numbers).for_each(|number| out.near(format!("{number:e}")));
            constants::factors(self.numbers).for_each(|factor| out.far(format!("({factor} * {name})")));
            for other in self.tree.scalars.iter().filter(|s| s.name.name != name) {
                out.plain(other.name.name.clone());
                // the same bound on both sides
                out.far(format!("(-{})", other.name.name));
                out.farthest(format!("({name} * {})", other.name.name));
            }
            // kept in 8 bits, where it counts
            out.farthest(format!("({name} % 256)"));
            for dim in self.dims() {
                ["/", "*"].iter().for_each(|sign| out.farthest(format!("({name} {sign} {dim})")));
            }
        }
        let indices = self.scope.iter().map(|i| i.name.name.clone()).filter(|other| other != name);
        if is_index {
            indices.for_each(|other| out.plain(other));
            ["+ 1", "- 1"].iter().for_each(|by| out.plain(format!("{name} {by}")));
            out.plain("0".into());
            // begun again, or held, at the size of another dimension
            for dim in self.dims().iter().filter(|dim| **dim != name.to_uppercase()) {
                [format!("{name} % {dim}"), format!("min({name}, {dim} - 1)")]
                    .into_iter()
                    .for_each(|o| out.far(o));
            }
        } else if self.scope.iter().any(|i| i.name.name == name) {
            ["+ 1", "- 1"].iter().for_each(|by| out.plain(format!("({name} {by})")));
            indices.for_each(|other| out.plain(other));
        }
    }

    pub(super) fn dims(&self) -> Vec<String> {
        let axes = self.tree.tensors.iter().chain(&self.tree.outputs).flat_map(|t| &t.dims);
        let mut out: Vec<String> = Vec::new();
        for axis in axes {
            if let ExprKind::Name(name) = &axis.kind
                && !out.contains(name)
            {
                out.push(name.clone());
            }
        }
        out
    }

    fn call(&self, name: &Ident, args: &[Expr], out: &mut Made) {
        let others = FUNCTIONS.iter().filter(|(f, _)| *f == name.name).flat_map(|(_, others)| *others);
        others.for_each(|other| out.at(name.span, (*other).into(), 0));
        // one of two operands forgotten comes to mind before a function that is
        let alone = args.iter().map(|arg| format!("({})", self.of(arg)));
        alone.for_each(|arg| if args.len() == 2 { out.near(arg) } else { out.far(arg) });
        if let ("max" | "min", [sum, bound]) = (name.name.as_str(), args)
            && let ExprKind::Binary(sign @ ("+" | "-"), a, b) = &sum.kind
        {
            // what is held within a bound before the last term is added
            out.plain(format!(
                "({}({}, {}) {sign} {})",
                name.name,
                self.of(a),
                self.of(bound),
                self.whole(b)
            ));
        }
        if let ("max", [a, b]) = (name.name.as_str(), args) {
            // what is held above a bound, with the bound added to it, or to its square
            let (a, b) = (self.whole(a), self.whole(b));
            out.far(format!("({a} + {b})"));
            out.far(format!("sqrt({a}^2 + {b})"));
            out.far(format!("sqrt({a}^2 + {b}^2)"));
        }
        let [arg] = args else { return };
        let f = &name.name;
        if let ExprKind::Binary(sign @ ("+" | "-" | "*" | "/"), a, b) = &arg.kind {
            let (a, b) = (self.of(a), self.of(b));
            out.plain(format!("({f}({a}) {sign} {b})"));
            out.far(format!("({a} {sign} {f}({b}))"));
        }
    }

    /// An expression that anything may be written beside.
    pub(super) fn whole(&self, expr: &Expr) -> String {
        let one = matches!(expr.kind, ExprKind::Name(_) | ExprKind::Index(..) | ExprKind::Call(..));
        if one { self.of(expr).into() } else { format!("({})", self.of(expr)) }
    }

    fn binary(&self, sign: &str, left: &Expr, right: &Expr, out: &mut Made) {
        let (a, b) = (self.of(left), self.of(right));
        let between = Span { start: left.span.end, end: right.span.start };
        let others = SIGNS.iter().filter(|(s, _)| *s == sign).flat_map(|(_, others)| *others);
        let compares = matches!(sign, "<" | "<=" | ">" | ">=" | "==" | "!=");
        others.for_each(|other| out.at(between, format!(" {other} "), u8::from(!compares)));
        if !compares {
            [a, b].iter().for_each(|one| out.near((*one).into()));
        }
        // what is kept from being zero by a bound, not by what is added
        if let ("+", ExprKind::Name(name)) = (sign, &right.kind)
            && self.tree.scalars.iter().any(|scalar| scalar.name.name == *name)
        {
            out.far(format!("max({a}, {b})"));
        }
        if matches!(sign, "-" | "/" | "//" | "%" | "^") {
            out.plain(format!("(({b}) {sign} ({a}))"));
        }
        if sign == "^" && matches!(right.kind, ExprKind::Int(2)) {
            out.plain(format!("abs({a})"));
            if let ExprKind::Binary("-", c, d) = &left.kind {
                let (c, d) = (self.of(c), self.of(d));
                out.cancelling(format!("(({c})^2 - 2 * ({c}) * ({d}) + ({d})^2)"));
            }
        }
        // groups dealt out in turn, not one after the other
        if let ("//", ExprKind::Binary("//", _, groups)) = (sign, &right.kind) {
            let groups = self.of(groups);
            ["%", "//"].iter().for_each(|other| out.plain(format!("({a} {other} {groups})")));
        }
        // what is written after a function, written inside, and the other way round
        for (inner, outer, first) in [(left, right, true), (right, left, false)] {
            let ExprKind::Call(f, args) = &inner.kind else { continue };
            let [arg] = &args[..] else { continue };
            let (x, y) = (self.of(arg), self.of(outer));
            let both = if first { format!("{x} {sign} {y}") } else { format!("{y} {sign} {x}") };
            out.plain(format!("{}({both})", f.name));
            // and added before a root is divided
            if let (true, "sqrt", ExprKind::Binary("/", c, d)) = (sign == "+", f.name.as_str(), &arg.kind) {
                let (c, d) = (self.of(c), self.of(d));
                out.far(format!("((sqrt({c}) + {}) / sqrt({d}))", self.of(outer)));
            }
        }
        // a + b * c read as (a + b) * c, and the like
        if let ExprKind::Binary(inner @ ("*" | "/" | "^"), c, d) = &right.kind
            && matches!(sign, "+" | "-" | "*" | "/")
        {
            out.far(format!("(({a} {sign} {}) {inner} {})", self.of(c), self.of(d)));
        }
        if let ExprKind::Binary(inner, c, d) = &left.kind {
            out.far(format!("({} {inner} ({} {sign} {b}))", self.of(c), self.of(d)));
        }
    }
}

/// The edits of one expression.
pub(super) struct Made {
    pub(super) span: Span,
    pub(super) edits: Vec<Edit>,
}

impl Made {
    fn edit(&self, text: String, rank: u8) -> Edit {
        Edit { span: self.span, text, shown: None, open: Open::Nothing, rank }
    }

    /// All of it replaced, by what comes to mind first.
    pub(super) fn near(&mut self, text: String) {
        self.edits.push(self.edit(text, 0));
    }

    /// All of it replaced.
    pub(super) fn plain(&mut self, text: String) {
        self.edits.push(self.edit(text, 1));
    }

    /// The same, less likely.
    pub(super) fn far(&mut self, text: String) {
        self.edits.push(self.edit(text, 2));
    }

    /// The same, less likely still.
    pub(super) fn farthest(&mut self, text: String) {
        self.edits.push(self.edit(text, 3));
    }

    /// The same, where exact numbers would be as they were.
    pub(super) fn cancelling(&mut self, text: String) {
        self.edits.push(Edit { open: Open::Cancelled, ..self.edit(text, 2) });
    }

    /// A part of it replaced.
    pub(super) fn at(&mut self, span: Span, text: String, rank: u8) {
        self.edits.push(Edit { span, ..self.edit(text, rank) });
    }

    /// The same, shown otherwise.
    pub(super) fn laid(&mut self, span: Span, text: String, shown: String) {
        self.edits.push(Edit { span, shown: Some(shown), ..self.edit(text, 2) });
    }

    /// All of it replaced by a read, and by `other` where that lies outside.
    pub(super) fn padded(&mut self, read: &str, shown: String, other: &str) {
        let edit = self.edit(format!("({read} else {other})"), 3);
        let open = if other == "nan" { Open::Outside } else { Open::Nothing };
        self.edits.push(Edit { shown: Some(shown), open, ..edit });
    }
}
