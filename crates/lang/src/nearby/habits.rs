//! Habits of people who write kernels: functions spelled in another way, small terms left out, something tiny added,
//! zeros skipped, the last one kept of several that belong to one place.

use super::edits::Made;
use super::{Walk, constants, words};
use crate::ast::{Definition, Expr, ExprKind, Ident, IndexDecl};

/// Bits that a random variable may be made of.
const BITS: [u32; 3] = [4, 8, 12];

impl Walk<'_> {
    /// What of one expression a kernel may do otherwise that writes these numbers.
    pub(super) fn habits(&self, expr: &Expr, out: &mut Made) {
        match &expr.kind {
            ExprKind::Call(name, args) => match &args[..] {
                [arg] => self.spelled(name, arg, out),
                [sum, bound] => self.held_before(name, sum, bound, out),
                _ => {}
            },
            ExprKind::Binary("/", a, right) => {
                let (a, b) = (self.whole(a), self.whole(right));
                constants::tiny(self.numbers).for_each(|tiny| out.far(format!("({a} / ({b} + {tiny:e}))")));
                self.none_below(&a, right, out);
            }
            ExprKind::Binary("*", a, b) => self.gated(a, b, out),
            ExprKind::Binary("-", a, b) => self.floored(a, b, out),
            ExprKind::Index(name, _) => {
                let read = self.of(expr);
                self.made_anew(expr).into_iter().for_each(|text| out.far(text));
                self.drawn_coarsely(name, read, out);
                out.farthest(format!("{read}^2"));
                if self.tree.tensors.iter().any(|tensor| tensor.name.name == name.name) {
                    self.added_to(name, expr, out);
                    let least = |tiny| format!("(if abs({read}) >= {tiny:e} then {read} else 0)");
                    constants::tiny(self.numbers).for_each(|tiny| out.far(least(tiny)));
                }
                if let Some(Definition { body, .. }) = self.definition(expr)
                    && let ExprKind::Reduce(fold, over, _, _) = &body.kind
                {
                    self.so_far(fold, over, body.span, out);
                }
            }
            ExprKind::Reduce(fold, over, condition, body) => match (fold.name.as_str(), condition) {
                ("sum", Some(condition)) => self.last_of(over, condition, out),
                ("sum", None) => self.zeros_skipped(over, body, out),
                _ => {}
            },
            _ => {}
        }
    }

    /// A random variable of few bits.
    fn drawn_coarsely(&self, name: &Ident, read: &str, out: &mut Made) {
        let Some(random) = self.tree.random.iter().find(|random| random.name.name == name.name) else {
            return;
        };
        let whole = matches!(random.range.hi.kind, ExprKind::Int(_));
        for parts in BITS.map(|bits| 1 << bits) {
            out.far(match whole {
                true => {
                    let step = format!("({} // {parts})", self.of(&random.range.hi));
                    format!("({read} // {step} * {step})")
                }
                false => format!("(floor({read} * {parts}) / {parts})"),
            });
        }
    }

    /// A function by the formula that it has in many kernels, which overflows; with something tiny added to what it is
    /// of; a root as a power; an exponential only of what is not too far below zero.
    fn spelled(&self, name: &Ident, arg: &Expr, out: &mut Made) {
        let (f, x) = (name.name.as_str(), self.whole(arg));
        match f {
            "sigmoid" => out.far(format!("(exp({x}) / (1 + exp({x})))")),
            "tanh" => out.far(format!("((exp(2 * {x}) - 1) / (exp(2 * {x}) + 1))")),
            _ => {}
        }
        // once only, of what it is of twice
        let inner = if let ExprKind::Neg(inner) = &arg.kind { inner } else { arg };
        if matches!(&inner.kind, ExprKind::Call(inner, _) if inner.name == f) {
            out.far(self.of(inner).to_owned());
        }
        if matches!(f, "log" | "sqrt" | "rsqrt") {
            constants::tiny(self.numbers).for_each(|tiny| out.far(format!("{f}({x} + {tiny:e})")));
        }
        if f == "sqrt" {
            let near = self.numbers.iter().filter(|n| (0.4..0.6).contains(*n) && **n != 0.5);
            near.for_each(|power| out.far(format!("({x} ^ {power})")));
        }
        if f == "exp" {
            let far = self.numbers.iter().filter(|number| (1.0..200.0).contains(*number));
            far.for_each(|far| out.far(format!("(if {x} >= -{far} then exp({x}) else 0)")));
        }
    }

    /// An input with a share of another one in the same place added to it, as weights that decay are added to slopes.
    fn added_to(&self, name: &Ident, read: &Expr, out: &mut Made) {
        let ExprKind::Index(_, indices) = &read.kind else { return };
        let place = &self.of(read)[name.name.len()..];
        let others = self.tree.tensors.iter().filter(|t| t.name.name != name.name);
        for other in others.filter(|t| t.dims.len() == indices.len()) {
            for scalar in &self.tree.scalars {
                let share = format!("{} * {}{place}", scalar.name.name, other.name.name);
                out.farthest(format!("({} + {share})", self.of(read)));
            }
        }
    }

    /// A sigmoid as a quotient that is made last.
    fn gated(&self, a: &Expr, b: &Expr, out: &mut Made) {
        if let ExprKind::Call(name, args) = &b.kind
            && let ("sigmoid", [arg]) = (name.name.as_str(), &args[..])
        {
            let (a, x) = (self.whole(a), self.whole(arg));
            out.far(format!("({a} * exp({x}) / (1 + exp({x})))"));
        }
    }

    /// Nothing at all, for a quotient whose divisor is held above a bound.
    fn none_below(&self, a: &str, divisor: &Expr, out: &mut Made) {
        if let ExprKind::Call(name, args) = &divisor.kind
            && let ("max", [b, least]) = (name.name.as_str(), &args[..])
        {
            let (b, least) = (self.whole(b), self.whole(least));
            out.far(format!("(if {b} < {least} then 0 else {a} / {b})"));
        }
    }

    /// The logarithm of a quotient, with something tiny added to it, for a difference.
    fn floored(&self, a: &Expr, b: &Expr, out: &mut Made) {
        if let ExprKind::Call(name, args) = &b.kind
            && let ("log", [arg]) = (name.name.as_str(), &args[..])
        {
            let (a, b) = (self.of(a), self.whole(arg));
            constants::tiny(self.numbers).for_each(|tiny| out.far(format!("log(exp({a}) / {b} + {tiny:e})")));
        }
    }

    /// What is held within a bound before its last term is added, where the sum has a name.
    fn held_before(&self, name: &Ident, sum: &Expr, bound: &Expr, out: &mut Made) {
        let Some(Definition { body, .. }) = self.definition(sum) else { return };
        if let ("max" | "min", ExprKind::Binary(sign @ ("+" | "-"), a, b)) = (name.name.as_str(), &body.kind)
        {
            let (a, b) = (self.of(a), self.whole(b));
            out.far(format!("({}({a}, {}) {sign} {b})", name.name, self.of(bound)));
        }
    }

    /// Terms left out where the one factor is zero, which matters where the other one is no number.
    fn zeros_skipped(&self, over: &[IndexDecl], body: &Expr, out: &mut Made) {
        let ExprKind::Binary("*", a, b) = &body.kind else { return };
        let header = self.header(over, out.span);
        for factor in [a, b].into_iter().filter(|factor| matches!(factor.kind, ExprKind::Index(..))) {
            let rest = &self.text[header..out.span.end];
            let head = &self.text[out.span.start..header];
            out.far(format!("{head} where {} != 0{rest}", self.of(factor)));
        }
    }

    /// Of several terms that belong to one place only the last: stored, not added.
    fn last_of(&self, over: &[IndexDecl], condition: &Expr, out: &mut Made) {
        let [index] = over else { return };
        let name = &index.name.name;
        let (lo, hi) = self.ends(index);
        let own = format!("{name}_");
        let renamed =
            words(self.of(condition), |word, _| if word == name { own.clone() } else { word.to_string() });
        let last = format!("{name} == max[{own} in {lo}..{hi} where {renamed}]({own})");
        out.at(condition.span, format!("({}) and {last}", self.of(condition)), 2);
    }

    /// The definition of what an expression reads, where the indices are its own.
    pub(super) fn definition(&self, expr: &Expr) -> Option<&Definition> {
        let (name, indices) = match &expr.kind {
            ExprKind::Index(name, indices) => (&name.name, &indices[..]),
            ExprKind::Name(name) => (name, &[][..]),
            _ => return None,
        };
        let own = |definition: &&Definition| {
            let same =
                |(a, b): (&IndexDecl, &Expr)| matches!(&b.kind, ExprKind::Name(read) if *read == a.name.name);
            definition.name.name == *name
                && definition.indices.len() == indices.len()
                && definition.indices.iter().zip(indices).all(same)
        };
        self.tree.definitions.iter().find(own)
    }
}
