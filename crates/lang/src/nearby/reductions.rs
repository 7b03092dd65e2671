//! Reductions that miss a step, start elsewhere, or reduce in another way.

use super::Walk;
use super::edits::Made;
use crate::ast::{Expr, ExprKind, Ident, IndexDecl};
use crate::diagnostic::Span;

/// Reductions that are taken for one another.
const FOLDS: &[(&str, &[&str])] = &[
    ("sum", &["mean", "max"]),
    ("mean", &["sum"]),
    ("max", &["min", "sum"]),
    ("min", &["max"]),
    ("argmax", &["argmin"]),
    ("argmin", &["argmax"]),
    ("prod", &["sum"]),
];

/// Sizes at which sums are cut, beside the contract's tiles.
const TILES: [i64; 7] = [4, 8, 16, 32, 64, 128, 256];

impl Walk<'_> {
    pub(super) fn reduction(
        &self,
        fold: &Ident,
        over: &[IndexDecl],
        condition: Option<&Expr>,
        out: &mut Made,
    ) {
        let others = FOLDS.iter().filter(|(f, _)| *f == fold.name).flat_map(|(_, others)| *others);
        others.for_each(|other| out.at(fold.span, (*other).into(), u8::from(fold.name != "sum") * 2));
        if matches!(fold.name.as_str(), "max" | "min") {
            out.plain(format!("{}(0, {})", fold.name, self.text_of(out.span)));
        }
        let header = over.iter().map(end).max().unwrap_or(fold.span.end);
        if let Some(condition) = condition {
            let all = Span { start: header, end: condition.span.end };
            out.at(all, String::new(), 1);
        }
        for index in over {
            for left in self.parts(index) {
                match condition {
                    Some(c) => out.at(c.span, format!("({}) and {left}", self.of(c)), 1),
                    None => out.at(Span { start: header, end: header }, format!(" where {left}"), 1),
                }
            }
        }
    }

    /// The squares of differences from one number in one pass: the sum of all squares less so many times that of the
    /// number. It is the same but for what cancels.
    pub(super) fn one_pass(&self, fold: &Ident, over: &[IndexDecl], body: &Expr, out: &mut Made) {
        let ExprKind::Binary("^", difference, two) = &body.kind else { return };
        let ExprKind::Binary("-", each, one) = &difference.kind else { return };
        let named = |expr: &Expr| over.iter().any(|index| mentions(expr, &index.name.name));
        if !matches!(two.kind, ExprKind::Int(2)) || !named(each) || named(one) {
            return;
        }
        let header =
            self.text_of(Span { start: out.span.start, end: over.iter().map(end).max().unwrap_or(0) });
        let (each, one) = (self.of(each), self.of(one));
        let times = match fold.name.as_str() {
            "sum" => over.iter().map(|index| self.count(index) + " * ").collect::<String>(),
            "mean" => String::new(),
            _ => return,
        };
        out.far(format!("({header}](({each})^2) - {times}({one})^2)"));
    }

    /// How many values an index has.
    fn count(&self, index: &IndexDecl) -> String {
        match &index.range {
            None => index.name.name.to_uppercase(),
            Some(range) => match &range.lo {
                None => format!("({})", self.of(&range.hi)),
                Some(lo) => format!("(({}) - ({}))", self.of(&range.hi), self.of(lo)),
            },
        }
    }

    /// Parts of what an index runs over: what a loop that ends early or begins late leaves.
    fn parts(&self, index: &IndexDecl) -> Vec<String> {
        let name = &index.name.name;
        let (lo, hi) = match &index.range {
            None => ("0".to_string(), name.to_uppercase()),
            Some(range) => {
                (range.lo.as_ref().map_or("0".into(), |e| self.of(e).to_string()), self.of(&range.hi).into())
            }
        };
        let mut out = vec![format!("{name} != {lo}"), format!("{name} != {hi} - 1")];
        let own = self.tiles.iter().filter(|(dim, _)| *dim == hi).map(|(_, tile)| *tile);
        let mut tiles: Vec<i64> = own.filter(|tile| *tile > 1).collect();
        tiles.extend(TILES);
        tiles.dedup();
        for tile in tiles {
            let whole = format!("{name} < {hi} // {tile} * {tile}");
            out.extend([whole, format!("{name} < {tile}"), format!("{name} >= {tile}")]);
        }
        out
    }
}

/// Whether a name is in an expression.
fn mentions(expr: &Expr, name: &str) -> bool {
    matches!(&expr.kind, ExprKind::Name(own) if own == name)
        || expr.kind.children().iter().any(|child| mentions(child, name))
}

/// Where an index's declaration ends.
fn end(index: &IndexDecl) -> usize {
    index.range.as_ref().map_or(index.name.span.end, |range| range.hi.span.end)
}
