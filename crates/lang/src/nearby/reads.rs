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
        self.strides(name, indices, out);
        let rank = indices.len();
        let definitions = self.tree.definitions.iter().map(|d| (&d.name.name, d.indices.len()));
        let tensors = self.tree.tensors.iter().map(|t| (&t.name.name, t.dims.len()));
        for (other, _) in tensors.chain(definitions).filter(|(n, r)| *r == rank && **n != name.name) {
            out.at(name.span, other.clone(), 2);
        }
    }

    /// Two neighbouring indices laid out otherwise: with rows of another length, or the first of them innermost.
    fn strides(&self, name: &Ident, indices: &[Expr], out: &mut Made) {
        let Some(tensor) = self.tree.tensors.iter().find(|t| t.name.name == name.name) else { return };
        for at in 1..indices.len().min(tensor.dims.len()) {
            let (i, j) = (self.of(&indices[at - 1]), self.of(&indices[at]));
            let (above, across) = (self.of(&tensor.dims[at - 1]), self.of(&tensor.dims[at]));
            let span = Span { start: indices[at - 1].span.start, end: indices[at].span.end };
            let mut laid = |flat: String| {
                let text = format!("({flat}) // {0}, ({flat}) % {0}", grouped(across));
                out.laid(span, text, flat);
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
fn grouped(text: &str) -> String {
    let word = text.chars().all(|c| c.is_alphanumeric() || c == '_');
    if word { text.to_string() } else { format!("({text})") }
}
