//! The neighbourhood of an op: the op with one operator, index, bound, function or constant changed, as a programmer
//! might have misread it. Texts in, texts out; whether a change explains a kernel is for others to say.

mod alike;
mod constants;
mod edits;
mod habits;
mod open;
mod padding;
mod reads;
mod reductions;
mod whole;

use crate::ast::{Definition, Expr, ExprKind, File, IndexDecl};
use crate::diagnostic::Span;
use crate::op::Op;
pub use open::Open;

/// An op with one thing changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// The part of a definition that is changed, as it is written.
    pub was: String,
    /// What it is changed into.
    pub now: String,
    /// What the changed op says nothing of.
    pub open: Open,
    text: String,
    rank: u8,
}

/// The fewest characters of an expression that is looked for in other places.
const ALIKE: usize = 6;

/// The most characters of a change that are shown.
const WIDE: usize = 72;

/// A part of the text, and what is written in its place.
pub(crate) struct Edit {
    span: Span,
    text: String,
    /// How a person would write that, where it is not the same.
    shown: Option<String>,
    /// What the changed op says nothing of.
    open: Open,
    /// How far-fetched it is: of two that explain the same, the lower rank is told.
    rank: u8,
}

/// Expressions shorter than this are shown with what is around them, as long as that is not longer than this.
const SHOWN: (usize, usize) = (10, 48);

impl Change {
    /// The changed op, where it still is one.
    pub fn op(&self) -> Option<Op> {
        Op::parse("changed.op", &self.text).ok()
    }
}

impl Op {
    /// Every change of one thing, the plainest first. `tiles` are sizes, by dimension, that sums may be cut at,
    /// `numbers` real ones that a kernel writes: it may mean its op's by them.
    pub fn nearby(&self, tiles: &[(&str, i64)], numbers: &[f64]) -> Vec<Change> {
        let Ok(ops) = crate::parse::parse(&self.text) else { return Vec::new() };
        // forms are other definitions of the same: those at the end are left out
        let last = ops.iter().map(ends).max().unwrap_or(0);
        let mut out = Vec::new();
        for tree in &ops {
            let end = ends(tree);
            let starts = tree.definitions.iter().map(|d| d.name.span.start);
            let start = starts.chain(tree.calls.iter().map(|c| c.span.start)).min().unwrap_or(end);
            let (scope, indices) = (Vec::new(), alike::indices(tree));
            let text = &self.text;
            let mut walk = Walk { text, start, end, last, tree, tiles, numbers, scope, indices, out };
            for definition in &tree.definitions {
                walk.scope = definition.indices.clone();
                walk.expr(&definition.body, &mut Vec::new(), false);
                walk.negated(definition);
                walk.mistaken(definition);
            }
            walk.swapped_inputs();
            walk.counts_changed();
            out = walk.out;
        }
        out.sort_by_key(|change| change.rank);
        out
    }
}

/// Where an op's definitions end.
fn ends(tree: &File) -> usize {
    let definitions = tree.definitions.iter().map(|d| d.body.span.end);
    definitions.chain(tree.calls.iter().map(|c| c.span.end)).max().unwrap_or(0)
}

/// A walk over all expressions of an op.
pub(crate) struct Walk<'a> {
    pub(crate) text: &'a str,
    /// Where the definitions begin, and where they end.
    start: usize,
    end: usize,
    /// Where those of the last op of the text end.
    last: usize,
    pub(crate) tree: &'a File,
    pub(crate) tiles: &'a [(&'a str, i64)],
    /// Real numbers that the kernel at hand writes.
    pub(crate) numbers: &'a [f64],
    /// The indices that are known here.
    pub(crate) scope: Vec<IndexDecl>,
    /// The names of all indices.
    indices: Vec<String>,
    out: Vec<Change>,
}

impl Walk<'_> {
    pub(crate) fn text_of(&self, span: Span) -> &str {
        self.text.get(span.start..span.end).unwrap_or("")
    }

    pub(crate) fn of(&self, expr: &Expr) -> &str {
        self.text_of(expr.span)
    }

    fn expr(&mut self, expr: &Expr, around: &mut Vec<Span>, is_index: bool) {
        for edit in self.edits(expr, is_index) {
            self.change(&edit, expr.span, around);
        }
        around.push(expr.span);
        let known = self.scope.len();
        match &expr.kind {
            ExprKind::Index(_, indices) => indices.iter().for_each(|e| self.expr(e, around, true)),
            ExprKind::Call(_, args) => args.iter().for_each(|e| self.expr(e, around, is_index)),
            ExprKind::Reduce(_, over, condition, body) => {
                self.scope.extend(over.iter().cloned());
                condition.iter().for_each(|e| self.expr(e, around, is_index));
                self.expr(body, around, is_index);
            }
            ExprKind::Neg(a) | ExprKind::Not(a) => self.expr(a, around, is_index),
            ExprKind::Padded(a, b) | ExprKind::Binary(_, a, b) => {
                self.expr(a, around, is_index);
                self.expr(b, around, is_index);
            }
            ExprKind::If(c, a, b) => [c, a, b].into_iter().for_each(|e| self.expr(e, around, is_index)),
            _ => {}
        }
        self.scope.truncate(known);
        around.pop();
    }

    /// Notes the change that an edit makes, shown with as much around it as it takes to find it.
    fn change(&mut self, edit: &Edit, own: Span, around: &[Span]) {
        let expr = own.to(edit.span);
        let mut shown = expr;
        for outer in around.iter().rev() {
            if shown.end - shown.start >= SHOWN.0 || outer.end - outer.start > SHOWN.1 {
                break;
            }
            shown = *outer;
        }
        // what is written in several places is shown with what tells which
        let body = &self.text[self.start..self.end];
        let several = |shown: Span| body.matches(self.text_of(shown)).count() > 1;
        for outer in around.iter().rev().filter(|outer| outer.end - outer.start <= WIDE) {
            if several(shown) && outer.start <= shown.start && shown.end <= outer.end {
                shown = *outer;
            }
        }
        let &Edit { span, ref text, rank, shown: ref written, open } = edit;
        let written = written.as_ref().unwrap_or(text);
        let outer = shown;
        if shown.end - shown.start > WIDE {
            shown = self.around(span, shown);
        }
        // what is cut away is marked
        let cut = |text: String| {
            let (before, after) = (shown.start > outer.start, shown.end < outer.end);
            format!("{}{text}{}", if before { "… " } else { "" }, if after { " …" } else { "" })
        };
        let now = [&self.text[shown.start..span.start], written, &self.text[span.end..shown.end]].concat();
        let whole = [&self.text[..span.start], text, &self.text[span.end..self.last]].concat();
        // who misread it once may have done so wherever it is written
        let (alike, around) =
            (self.text_of(expr), [&self.text[expr.start..span.start], &self.text[span.end..expr.end]]);
        let changed = |to: &str| [around[0], to, around[1]].concat();
        let is_scalar = self.tree.scalars.iter().any(|scalar| scalar.name.name == alike);
        let everywhere = match is_scalar {
            true => Some(alike::named(body, alike, &changed(text))),
            false => (alike.len() >= ALIKE)
                .then(|| alike::everywhere(body, (alike, &changed(text)), &self.scope, &self.indices)),
        };
        if let Some((everywhere, _)) = everywhere.filter(|(_, places)| *places > 1) {
            let whole = self.with_definitions(&everywhere);
            let (was, now) = (bare(&line(alike)), bare(&line(&changed(written))));
            self.out.push(Change { was, now, open, text: whole, rank: rank + 1 });
        }
        let (was, now) = (cut(bare(&line(self.text_of(shown)))), cut(bare(&line(&now))));
        self.out.extend((was != now).then_some(Change { was, now, open, text: whole, rank }));
    }

    /// The ops with other definitions of this one.
    fn with_definitions(&self, body: &str) -> String {
        [&self.text[..self.start], body, &self.text[self.end..self.last]].concat()
    }

    /// What of a long expression stands around an edit, cut between words.
    fn around(&self, edit: Span, whole: Span) -> Span {
        let room = WIDE.saturating_sub(edit.end - edit.start) / 2;
        let is_gap = |at: &usize| self.text.as_bytes()[*at] == b' ';
        let first = (whole.start.max(edit.start.saturating_sub(room))..edit.start).find(is_gap);
        let last = (edit.end..whole.end.min(edit.end + room)).rev().find(is_gap);
        Span { start: first.map_or(edit.start, |at| at + 1), end: last.unwrap_or(edit.end) }
    }

    /// What an output is made of, with the other sign wherever it is used: an angle, a difference.
    fn negated(&mut self, definition: &Definition) {
        let (name, span) = (&definition.name.name, definition.body.span);
        if self.tree.outputs.iter().all(|output| output.name.name != *name) {
            let text = format!("-({})", self.text_of(span));
            self.change(&Edit { span, text, shown: None, open: Open::Nothing, rank: 1 }, span, &[]);
        }
    }

    /// Two inputs taken for each other, everywhere.
    fn swapped_inputs(&mut self) {
        let names: Vec<&str> = self.tree.tensors.iter().map(|t| t.name.name.as_str()).collect();
        let body = &self.text[self.start..self.end];
        for (at, a) in names.iter().enumerate() {
            for b in &names[at + 1..] {
                let text = self.with_definitions(&swapped(body, a, b));
                let (was, now) = (format!("{a} and {b}"), format!("{b} and {a}"));
                self.out.push(Change { was, now, open: Open::Nothing, text, rank: 3 });
            }
        }
    }
}

/// Without the parentheses around all of it.
fn bare(text: &str) -> String {
    let Some(inner) = text.strip_prefix('(').and_then(|t| t.strip_suffix(')')) else { return text.into() };
    let mut depth = 0;
    let mut closes = inner.chars().map(|c| {
        depth += i32::from(c == '(') - i32::from(c == ')');
        depth
    });
    if closes.any(|depth| depth < 0) { text.into() } else { inner.into() }
}

/// On one line.
fn line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A text with two names exchanged where they are read.
fn swapped(text: &str, a: &str, b: &str) -> String {
    words(text, |word, after| {
        // at an index, or handed on to another op
        let read = after.starts_with(['[', ',', ')']);
        let other = match word {
            _ if read && word == a => b,
            _ if read && word == b => a,
            _ => word,
        };
        other.to_string()
    })
}

/// A text with other words: each is given with what follows it, and so is every other character.
fn words(text: &str, other: impl Fn(&str, &str) -> String) -> String {
    let (mut out, mut rest) = (String::new(), text);
    while let Some((word, after)) = ktwin_num::first_word(rest) {
        out.push_str(&other(word, after));
        rest = after;
    }
    out
}

#[cfg(test)]
mod tests;
