//! What is written in several places of an op, by this index or another.

use super::words;
use crate::ast::{Expr, ExprKind, File, IndexDecl};

/// The names of all indices of an op's definitions.
pub(super) fn indices(tree: &File) -> Vec<String> {
    fn of(expr: &Expr, out: &mut Vec<String>) {
        if let ExprKind::Reduce(_, over, ..) = &expr.kind {
            out.extend(over.iter().map(|index| index.name.name.clone()));
        }
        expr.kind.children().iter().for_each(|child| of(child, out));
    }
    let mut out = Vec::new();
    for definition in &tree.definitions {
        out.extend(definition.indices.iter().map(|index| index.name.name.clone()));
        of(&definition.body, &mut out);
    }
    out.sort();
    out.dedup();
    out
}

/// A text with a name changed wherever it stands, and in how many places that is.
pub(super) fn named(body: &str, was: &str, now: &str) -> (String, usize) {
    let count = std::cell::Cell::new(0);
    let changed = words(body, |word, _| match word == was {
        true => {
            count.set(count.get() + 1);
            now.to_owned()
        }
        false => word.to_owned(),
    });
    (changed, count.get())
}

/// A text with a part of it changed wherever it stands, also where one index of `scope` has the name of one of
/// `others`; and in how many places that is.
pub(super) fn everywhere(
    body: &str,
    (was, now): (&str, &str),
    scope: &[IndexDecl],
    others: &[String],
) -> (String, usize) {
    let renamed = |text: &str, name: &str, other: &str| {
        words(text, |word, _| if word == name { other } else { word }.to_string())
    };
    let mut out = body.replace(was, now);
    let mut count = body.matches(was).count();
    for name in scope.iter().map(|index| index.name.name.as_str()) {
        for other in others.iter().filter(|other| *other != name) {
            let alike = renamed(was, name, other);
            if alike != was {
                count += out.matches(&alike).count();
                out = out.replace(&alike, &renamed(now, name, other));
            }
        }
    }
    (out, count)
}
