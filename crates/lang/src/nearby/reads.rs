//! Reads from another place: indices exchanged, rows of another length, another tensor.

use super::Walk;
use super::edits::Made;
use crate::ast::{Expr, ExprKind, Ident};
use crate::diagnostic::Span;

impl Walk<'_> {
    pub(super) fn read(&self, name: &Ident, indices: &[Expr], out: &mut Made) {
        for (at, index) in indices.iter().enumerate() {
            if !matches!(index.kind, ExprKind::Name(_)) {
                ["+ 1", "- 1"].iter().for_each(|by| {
                    out.at(index.span, format!("{} {by}", self.of(index)), 1);
                });
            }
            for other in &indices[at + 1..] {
                let between = &self.text[index.span.end..other.span.start];
                let span = index.span.to(other.span);
                out.at(span, format!("{}{between}{}", self.of(other), self.of(index)), 1);
            }
        }
        self.reversed(indices, out);
        self.strides(name, indices, out);
        self.fragments(name, indices, out);
        self.beyond(name, indices, out);
        let rank = indices.len();
        let definitions = self.tree.definitions.iter().map(|d| (&d.name.name, d.indices.len()));
        let tensors = self.tree.tensors.iter().map(|t| (&t.name.name, t.dims.len()));
        for (other, _) in tensors.chain(definitions).filter(|(n, r)| *r == rank && **n != name.name) {
            out.at(name.span, other.clone(), 2);
        }
    }

    /// Without bounds of the last index: what lies past the end of a row is read from the next one.
    pub(super) fn wrapped(&self, read: &Expr, out: &mut Made) {
        let ExprKind::Index(name, indices) = &read.kind else { return };
        let tensor = self.tree.tensors.iter().find(|t| t.name.name == name.name);
        let (Some(size), [.., i, j]) = (tensor.and_then(|t| t.dims.last()), &indices[..]) else { return };
        let span = i.span.to(j.span);
        let (i, size, past) = (grouped(self.of(i)), self.of(size), grouped(self.of(j)));
        let flat = format!("{i} * {size} + {past}");
        for row in [
            format!("({flat}) // {size}"),
            format!("if {past} < 0 or {i} < 0 then -1 else ({flat}) // {size}"),
        ] {
            out.laid(span, format!("{row}, ({flat}) % {size}"), flat.clone());
        }
    }

    /// From the other end: along one index, or along two beside each other, as a filter that is turned around.
    fn reversed(&self, indices: &[Expr], out: &mut Made) {
        let from_end = |expr: &Expr| {
            let ExprKind::Name(name) = &expr.kind else { return None };
            let index = self.scope.iter().find(|index| index.name.name == *name)?;
            let (lo, hi) = self.ends(index);
            let start = if lo == "0" { String::new() } else { format!("({lo}) + ") };
            Some(format!("{start}{} - 1 - {name}", grouped(&hi)))
        };
        for (at, index) in indices.iter().enumerate() {
            let Some(one) = from_end(index) else { continue };
            if let Some((next, other)) = indices.get(at + 1).and_then(|next| Some((next, from_end(next)?))) {
                let between = &self.text[index.span.end..next.span.start];
                out.at(index.span.to(next.span), format!("{one}{between}{other}"), 2);
            }
            out.at(index.span, one, 2);
        }
    }

    /// Another index, or a neighbour, that may lie outside: of an input, where nothing is known, or of a definition,
    /// where nothing is yet.
    fn beyond(&self, name: &Ident, indices: &[Expr], out: &mut Made) {
        let tensor = self.tree.tensors.iter().find(|t| t.name.name == name.name);
        for (at, index) in indices.iter().enumerate() {
            let ExprKind::Name(own) = &index.kind else { continue };
            let size =
                tensor.and_then(|t| t.dims.get(at)).map_or(String::new(), |dim| self.of(dim).to_string());
            let others = self.scope.iter().map(|other| other.name.name.clone());
            // where sizes are the same, the plain read is tried anyway
            let others = others.filter(|other| other != own && other.to_uppercase() != size);
            let beside = [format!("{own} + 1"), format!("{own} - 1")];
            for other in others.chain(beside) {
                let read = self.replaced(out.span, index.span, &other);
                out.padded(&read, read.clone(), if tensor.is_some() { "nan" } else { "0" });
            }
        }
    }

    /// A matrix taken apart otherwise: every tile transposed, of the contract's sizes or of 16 by 16 as matrix units
    /// have them; or with the second and the third of its quarters exchanged.
    fn fragments(&self, name: &Ident, indices: &[Expr], out: &mut Made) {
        if !self.tree.tensors.iter().any(|tensor| tensor.name.name == name.name) {
            return;
        }
        for pair in indices.windows(2) {
            let [ExprKind::Name(i), ExprKind::Name(j)] = [&pair[0].kind, &pair[1].kind] else { continue };
            let span = pair[0].span.to(pair[1].span);
            let mut sides: Vec<i64> =
                self.tiles.iter().map(|(_, tile)| *tile).filter(|tile| *tile > 1).collect();
            sides.push(16);
            sides.sort();
            sides.dedup();
            let transposed =
                sides.iter().map(|t| format!("{i} // {t} * {t} + {j} % {t}, {j} // {t} * {t} + {i} % {t}"));
            let apart = format!("({j} // 8 % 2 - {i} // 8 % 2)");
            let exchanged = format!("{i} + 8 * {apart}, {j} - 8 * {apart}");
            for text in transposed.chain([exchanged]) {
                let read = self.replaced(out.span, span, &text);
                out.padded(&read, read.clone(), "nan");
            }
        }
    }

    /// A text with a part of it replaced.
    fn replaced(&self, whole: Span, part: Span, by: &str) -> String {
        [&self.text[whole.start..part.start], by, &self.text[part.end..whole.end]].concat()
    }

    /// Two neighbouring indices laid out otherwise: with rows of another length, or the first of them innermost.
    fn strides(&self, name: &Ident, indices: &[Expr], out: &mut Made) {
        let Some(tensor) = self.tree.tensors.iter().find(|t| t.name.name == name.name) else { return };
        for at in 1..indices.len().min(tensor.dims.len()) {
            let (i, j) = (self.of(&indices[at - 1]), self.of(&indices[at]));
            let (above, across) = (self.of(&tensor.dims[at - 1]), self.of(&tensor.dims[at]));
            let span = Span { start: indices[at - 1].span.start, end: indices[at].span.end };
            let whole = out.span;
            let mut laid = |flat: String| {
                let text = format!("({flat}) // {0}, ({flat}) % {0}", grouped(across));
                let (padded, read) = (self.replaced(whole, span, &text), self.replaced(whole, span, &flat));
                out.laid(span, text, flat);
                out.padded(&padded, read, "nan");
            };
            laid(format!("{} * {above} + {}", grouped(j), grouped(i)));
            for other in self.tree.tensors.iter().chain(&self.tree.outputs).flat_map(|t| &t.dims) {
                let other = self.of(other);
                if other != across {
                    laid(format!("{} * {} + {}", grouped(i), grouped(other), grouped(j)));
                }
            }
        }
    }
}

/// In parentheses unless it is one word.
pub(super) fn grouped(text: &str) -> String {
    let word = text.chars().all(|c| c.is_alphanumeric() || c == '_');
    if word { text.to_string() } else { format!("({text})") }
}
