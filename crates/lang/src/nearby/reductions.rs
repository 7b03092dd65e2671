//! Reductions that miss a step, start elsewhere, or reduce in another way.

use super::edits::Made;
use super::{Walk, constants};
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
        let low = match fold.name.as_str() {
            "max" => Some("-"),
            "min" => Some(""),
            _ => None,
        };
        if let Some(sign) = low {
            let (name, whole) = (&fold.name, self.text_of(out.span));
            // of two that explain the same, the number that the kernel writes
            constants::far(self.numbers).for_each(|far| out.plain(format!("{name}({sign}{far}, {whole})")));
            out.plain(format!("{name}(0, {whole})"));
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

    /// The last of equal elements in place of the first: the first from the other end.
    pub(super) fn last_of_equals(&self, fold: &Ident, over: &[IndexDecl], out: &mut Made) {
        let ([index], "argmax" | "argmin") = (over, fold.name.as_str()) else { return };
        let whole = self.text_of(out.span);
        let header = end(index) - out.span.start;
        let (lo, hi) = self.ends(index);
        let from_behind = format!("(({lo}) + ({hi}) - 1 - {})", index.name.name);
        let rest = super::words(&whole[header..], |word, _| {
            if word == index.name.name { from_behind.clone() } else { word.to_string() }
        });
        let text = format!("(({lo}) + ({hi}) - 1 - {}{rest})", &whole[..header]);
        out.laid(out.span, text, format!("the last of equals of {whole}"));
    }

    /// The largest or smallest so far, one by one or in tiles, where the one of all is due: what was made with an
    /// earlier one is not made again.
    pub(super) fn so_far(&self, fold: &Ident, over: &[IndexDecl], whole: Span, out: &mut Made) {
        let ([index], "max" | "min") = (over, fold.name.as_str()) else { return };
        let name = &index.name.name;
        if !self.scope.iter().any(|known| known.name.name == *name) {
            return;
        }
        let (lo, hi) = self.ends(index);
        let own = format!("{name}_");
        let body = self.text[end(index)..whole.end].trim_start();
        if !body.starts_with(']') {
            return;
        }
        let body = super::words(body, |word, _| if word == name { own.clone() } else { word.to_string() });
        let tiles = self.tiles.iter().filter(|(dim, tile)| *dim == hi && *tile > 1).map(|(_, tile)| *tile);
        let tiles = tiles.chain(TILES).map(|tile| format!("{own} // {tile} <= {name} // {tile}"));
        for so_far in [format!("{own} <= {name}")].into_iter().chain(tiles) {
            out.plain(format!("{}[{own} in {lo}..{hi} where {so_far}{body}", fold.name));
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
        let header = self.text_of(Span { start: out.span.start, end: self.header(over, out.span) });
        let (each, one) = (self.of(each), self.of(one));
        let times = match fold.name.as_str() {
            "sum" => over.iter().map(|index| self.count(index) + " * ").collect::<String>(),
            "mean" => String::new(),
            _ => return,
        };
        out.cancelling(format!("({header}](({each})^2) - {times}({one})^2)"));
    }

    /// Where what a reduction runs over ends.
    pub(super) fn header(&self, over: &[IndexDecl], whole: Span) -> usize {
        over.iter().map(end).max().unwrap_or(whole.start)
    }

    /// Where an index begins, and the end that it does not reach.
    pub(super) fn ends(&self, index: &IndexDecl) -> (String, String) {
        match &index.range {
            None => ("0".to_string(), index.name.name.to_uppercase()),
            Some(range) => {
                let lo = range.lo.as_ref().map_or("0", |lo| self.of(lo));
                (lo.to_string(), self.of(&range.hi).to_string())
            }
        }
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
        let (lo, hi) = self.ends(index);
        let mut out = vec![format!("{name} != {lo}"), format!("{name} != {hi} - 1")];
        let own = self.tiles.iter().filter(|(dim, _)| *dim == hi).map(|(_, tile)| *tile);
        let mut tiles: Vec<i64> = own.filter(|tile| *tile > 1).collect();
        tiles.extend(TILES);
        tiles.dedup();
        for tile in tiles {
            let whole = format!("{name} < {hi} // {tile} * {tile}");
            out.extend([whole, format!("{name} < {tile}"), format!("{name} >= {tile}")]);
        }
        out.extend(self.dims().iter().filter(|dim| **dim != hi).map(|dim| format!("{name} < {dim}")));
        out
    }
}

/// Whether a name is in an expression.
pub(super) fn mentions(expr: &Expr, name: &str) -> bool {
    matches!(&expr.kind, ExprKind::Name(own) if own == name)
        || expr.kind.children().iter().any(|child| mentions(child, name))
}

/// Whether a text holds a name as a word.
pub(super) fn has_word(text: &str, name: &str) -> bool {
    text.split(|c: char| !c.is_alphanumeric() && c != '_').any(|word| word == name)
}

/// Where an index's declaration ends.
fn end(index: &IndexDecl) -> usize {
    index.range.as_ref().map_or(index.name.span.end, |range| range.hi.span.end)
}
