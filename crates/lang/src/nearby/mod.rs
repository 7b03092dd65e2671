//! The neighbourhood of an op: the op with one operator, index, bound, function or constant changed, as a programmer
//! might have misread it. Texts in, texts out; whether a change explains a kernel is for others to say.

mod alike;
mod constants;
mod edits;
mod reads;
mod reductions;

use crate::ast::{Definition, Expr, ExprKind, File, IndexDecl};
use crate::diagnostic::Span;
use crate::op::Op;

/// An op with one thing changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// The part of a definition that is changed, as it is written.
    pub was: String,
    /// What it is changed into.
    pub now: String,
    /// Whether it reads what may lie outside of an input, where the changed op has NaN and a kernel anything.
    pub reads_outside: bool,
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
    /// Whether it may read outside of an input.
    outside: bool,
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
            }
            walk.swapped_inputs();
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
        let &Edit { span, ref text, rank, shown: ref written, outside: reads_outside } = edit;
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
        let body = &self.text[self.start..self.end];
        let long = alike.len() >= ALIKE;
        let everywhere =
            long.then(|| alike::everywhere(body, (alike, &changed(text)), &self.scope, &self.indices));
        if let Some((everywhere, _)) = everywhere.filter(|(_, places)| *places > 1) {
            let rest = &self.text[self.end..self.last];
            let whole = [&self.text[..self.start], &everywhere, rest].concat();
            let (was, now) = (bare(&line(alike)), bare(&line(&changed(written))));
            self.out.push(Change { was, now, reads_outside, text: whole, rank: rank + 1 });
        }
        let (was, now) = (cut(bare(&line(self.text_of(shown)))), cut(bare(&line(&now))));
        self.out.extend((was != now).then_some(Change { was, now, reads_outside, text: whole, rank }));
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
            self.change(&Edit { span, text, shown: None, outside: false, rank: 1 }, span, &[]);
        }
    }

    /// Two inputs taken for each other, everywhere.
    fn swapped_inputs(&mut self) {
        let names: Vec<&str> = self.tree.tensors.iter().map(|t| t.name.name.as_str()).collect();
        let body = &self.text[self.start..self.end];
        for (at, a) in names.iter().enumerate() {
            for b in &names[at + 1..] {
                let swapped = swapped(body, a, b);
                let rest = &self.text[self.end..self.last];
                let text = [&self.text[..self.start], &swapped, rest].concat();
                let (was, now) = (format!("{a} and {b}"), format!("{b} and {a}"));
                self.out.push(Change { was, now, reads_outside: false, text, rank: 3 });
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
mod tests {
    use super::*;

    const ATTENTION: &str = "\
op attention(q[S, D], k[T, D], v[T, D]; scale = 0.25, causal = true) -> o[S, D]
where T >= S

z[s, t] = if causal and t > s + (T - S) then -inf else scale * sum[d](q[s, d] * k[t, d])
p[s, t] = exp(z[s, t] - max[t](z[s, t]))
o[s, d] = sum[t](p[s, t] * v[t, d]) / sum[t](p[s, t])
";

    fn nearby(text: &str) -> Vec<Change> {
        Op::parse("a.op", text).unwrap().nearby(&[("D", 16)], &[0.79, 0.044751])
    }

    fn has(all: &[Change], was: &str, now: &str) -> bool {
        all.iter().any(|c| c.was == was && c.now == now && c.op().is_some())
    }

    #[test]
    fn one_thing_at_a_time_is_changed() {
        let all = nearby(ATTENTION);
        for (was, now) in [
            ("t > s + (T - S)", "t >= s + (T - S)"),
            ("s + (T - S)", "s"),
            ("z[s, t] - max[t](z[s, t])", "z[s, t]"),
            ("scale * sum[d](q[s, d] * k[t, d])", "sum[d](q[s, d] * k[t, d])"),
            ("sum[d](q[s, d] * k[t, d])", "sum[d where d < D // 16 * 16](q[s, d] * k[t, d])"),
            ("sum[t](p[s, t])", "sum[t where t != T - 1](p[s, t])"),
            ("exp(z[s, t] - max[t](z[s, t]))", "-(exp(z[s, t] - max[t](z[s, t])))"),
        ] {
            let near: Vec<_> = all.iter().filter(|c| c.was == was).map(|c| &c.now).collect();
            assert!(has(&all, was, now), "{was}: {near:?}");
        }
        let sound = all.iter().filter(|c| c.op().is_some()).count();
        assert!(sound > 200 && sound * 2 > all.len(), "{sound} of {}", all.len());
    }

    #[test]
    fn digits_functions_and_places_are_changed() {
        let text = "op g(x[N]; eps = 1e-5) -> y[N]\ny[n] = sqrt(x[n] + eps) * (1 + tanh(0.044715 * x[n]))\n";
        let all = nearby(text);
        assert!(has(&all, "0.044715 * x[n]", "0.044175 * x[n]"), "{all:#?}");
        assert!(has(&all, "sqrt(x[n] + eps)", "sqrt(x[n]) + eps"));
        assert!(has(&all, "x[n] + eps", "max(x[n], eps)"));
        assert!(has(&all, "0.044715 * x[n]", "0.044751 * x[n]"));
        assert!(has(&all, "x[n] + eps", "x[n] + (0.79 * eps)"));
        assert!(has(&all, "tanh(0.044715 * x[n])", "erf(0.044715 * x[n])"));
        let text = "op g(x[N]; eps = 1e-5) -> y[N]\ny[n] = 1 / max(x[n], eps) + 1 / (sqrt(x[n] / 3) + eps)\n";
        let all = nearby(text);
        assert!(has(&all, "max(x[n], eps)", "x[n] + eps"), "{all:#?}");
        let relu = nearby("op g(x[N], b[N]) -> y[N]\ny[n] = max(x[n] + b[n], 0)\n");
        assert!(has(&relu, "max(x[n] + b[n], 0)", "max(x[n], 0) + b[n]"), "{relu:#?}");
        assert!(has(&all, "max(x[n], eps)", "sqrt(x[n]^2 + eps)"));
        assert!(has(&all, "sqrt(x[n] / 3) + eps", "(sqrt(x[n]) + eps) / sqrt(3)"));
        let gemm = "op g(a[M, K], b[K, N]) -> c[M, N]\nc[m, n] = sum[k](a[m, k] * b[k, n])\n";
        let all = nearby(gemm);
        assert!(has(&all, "a[m, k] * b[k, n]", "a[m, k] * b[n, k]"));
        let stride = "a[m, k] * b[k * K + n]";
        assert!(has(&all, "a[m, k] * b[k, n]", stride), "{all:#?}");
        assert!(has(&all, "a and b", "b and a"));
        assert!(has(&all, "a[m, k] * b[k, n]", "a[m, k] * b[K - 1 - k, N - 1 - n]"), "{all:#?}");
        assert_eq!(swapped("g = gemm(x, a) * a[n] + b", "a", "b"), "g = gemm(x, b) * b[n] + b");
    }

    #[test]
    fn what_is_written_twice_is_changed_twice() {
        let text = "op a(q[H, D], k[G, D]) -> o[H, D]\nwhere H % G == 0\n\
                    o[h, d] = q[h, d] * k[h // (H // G), d] + k[h // (H // G), d]\n";
        let all = nearby(text);
        let same = |c: &&Change| c.was == "h // (H // G)" && c.now == "h % G";
        let counts: Vec<usize> = all.iter().filter(same).map(|c| c.text.matches("h % G").count()).collect();
        assert!(counts.contains(&1) && counts.contains(&2), "{counts:?}");
        // by another index, too
        let text = "op a(x[N]; limit = 0.0) -> y[N], count\ncount = sum[n where x[n] > limit](1)\n\
                    y[n] = sum[m in N where m <= n and x[m] > limit](1)\n";
        let all = nearby(text);
        let both = |c: &&Change| c.was == "x[n] > limit" && c.now == "x[n] >= limit";
        assert!(all.iter().filter(both).any(|c| c.text.contains("x[m] >= limit")), "{all:#?}");
    }

    #[test]
    fn what_a_kernel_writes_for_a_constant_is_tried() {
        let all = nearby("op g(x[N]) -> y[N]\ny[n] = sqrt(2 / pi) * x[n]\n");
        assert!(has(&all, "sqrt(2 / pi)", "0.79"), "{all:#?}");
        assert!(!all.iter().any(|c| c.now.contains("0.044751")), "{all:#?}");
    }

    #[test]
    fn variance_is_taken_in_one_pass() {
        let text = "op v(x[R, D]) -> y[R]\nm[r] = mean[d](x[r, d])\ny[r] = sum[d]((x[r, d] - m[r])^2) / D\n";
        let one = "sum[d]((x[r, d])^2) - D * (m[r])^2";
        assert!(has(&nearby(text), "sum[d]((x[r, d] - m[r])^2)", one), "{:#?}", nearby(text));
    }

    #[test]
    fn reads_that_may_lie_outside_are_tried() {
        let all = nearby("op g(c[M, N], bias[N]) -> y[M, N]\ny[m, n] = c[m, n] + bias[n]\n");
        let padded = all.iter().find(|c| c.text.contains("(bias[m] else nan)")).unwrap();
        assert!(padded.now.ends_with("bias[m]") && padded.op().is_some(), "{padded:?}");
        assert!(
            all.iter().any(|c| c.text.contains("(bias[n - 1] else nan)") && c.op().is_some()),
            "{all:#?}"
        );
    }

    #[test]
    fn a_maximum_may_start_elsewhere_or_be_that_so_far() {
        let all = Op::parse("a.op", "op r(x[R, D]) -> y[R]\ny[r] = max[d](x[r, d])\n").unwrap();
        assert!(has(&all.nearby(&[], &[1e9, 0.5]), "max[d](x[r, d])", "max(-1e9, max[d](x[r, d]))"));
        let so_far = "max[t_ in 0..T where t_ <= t](z[s, t_])";
        let all = nearby(ATTENTION);
        let found = all.iter().find(|c| c.now.contains(so_far)).unwrap();
        assert!(found.op().is_some(), "{}", found.text);
        assert!(all.iter().any(|c| c.now.contains("t_ // 32 <= t // 32") && c.op().is_some()));
    }

    #[test]
    fn squares_are_taken_otherwise() {
        let all = nearby("op e(x[N], t[N]) -> y\ny = mean[n]((x[n] - t[n])^2)\n");
        for now in ["abs((x[n] - t[n]))", "(x[n])^2 - 2 * (x[n]) * (t[n]) + (t[n])^2"] {
            assert!(all.iter().any(|c| c.text.contains(now) && c.op().is_some()), "{now}: {all:#?}");
        }
    }

    #[test]
    fn the_last_of_equals_is_tried() {
        let text = "op a(x[R, D]) -> y[R]\ny[r] = argmax[d where d != 1](x[r, d])\n";
        let all = nearby(text);
        let last = all.iter().find(|c| c.now.starts_with("the last of equals")).unwrap();
        assert!(last.op().is_some(), "{}", last.text);
        let inner = "((0) + (D) - 1 - argmax[d where ((0) + (D) - 1 - d) != 1](x[r, ((0) + (D) - 1 - d)]))";
        assert!(last.text.contains(inner), "{}", last.text);
    }

    #[test]
    fn forms_are_left_out() {
        let text = "op m(x[N]) -> y\ny = sum[n](x[n]) / N\nalso y = sum[n](x[n] / N)\n";
        assert!(has(&nearby(text), "sum[n](x[n]) / N", "sum[n](x[n])"));
    }
}
