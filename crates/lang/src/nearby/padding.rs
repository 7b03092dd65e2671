//! Sums that go on past the end of a row to a multiple of some size, where inputs count as zero: lanes that nobody
//! masked.

use std::collections::BTreeMap;

use super::edits::Made;
use super::reads::grouped;
use super::{Walk, reductions};
use crate::ast::{Expr, ExprKind, Ident, IndexDecl};
use crate::diagnostic::Span;

/// Sizes that rows are filled up to, beside the contract's tiles.
const BLOCKS: [i64; 7] = [1024, 512, 256, 128, 64, 32, 16];

/// Definitions inside definitions that are followed.
const DEEP: usize = 4;

/// What is written in the place of names.
type Names = BTreeMap<String, String>;

impl Walk<'_> {
    /// A sum that takes in what is past the end.
    pub(super) fn filled_up(
        &self,
        fold: &Ident,
        over: &[IndexDecl],
        condition: Option<&Expr>,
        body: &Expr,
        out: &mut Made,
    ) {
        let ([index], "sum") = (over, fold.name.as_str()) else { return };
        let name = &index.name.name;
        let (lo, hi) = self.ends(index);
        // nothing is added by zeros that are summed, or that something is multiplied by
        if lo != "0" || self.vanishes(body, name, DEEP) {
            return;
        }
        let names = Names::new();
        let past = |expr: &Expr| self.past_end(expr, name, &names, DEEP);
        let (Some(body), condition) = (past(body), condition.map(past)) else { return };
        let condition = match condition {
            Some(Some(condition)) => format!(" where {condition}"),
            Some(None) => return,
            None => String::new(),
        };
        let own = self.tiles.iter().filter(|(dim, tile)| *dim == hi && *tile > 1).map(|(_, tile)| *tile);
        let mut blocks: Vec<i64> = own.chain(BLOCKS).collect();
        blocks.sort_by(|a, b| b.cmp(a));
        blocks.dedup();
        let (sum, size) = (self.text_of(out.span), grouped(&hi));
        for block in blocks {
            let end = format!("({size} + {}) // {block} * {block}", block - 1);
            let text = format!("({sum} + sum[{name} in {size}..{end}{condition}]({body}))");
            let shown = format!("{sum} with zeros up to a multiple of {block}");
            out.laid(out.span, text, shown);
        }
    }

    /// The text of an expression at a place past the end, where every input is zero that is read there.
    fn past_end(&self, expr: &Expr, index: &str, names: &Names, deep: usize) -> Option<String> {
        let mut parts = Vec::new();
        self.renamed(expr, index, names, deep, &mut parts)?;
        let (mut out, mut at) = (String::new(), expr.span.start);
        for (span, text) in parts {
            out.push_str(&self.text[at..span.start]);
            out.push_str(&text);
            at = span.end;
        }
        out.push_str(&self.text[at..expr.span.end]);
        Some(out)
    }

    /// The parts of an expression that are written otherwise there.
    fn renamed(
        &self,
        expr: &Expr,
        index: &str,
        names: &Names,
        deep: usize,
        out: &mut Vec<(Span, String)>,
    ) -> Option<()> {
        match &expr.kind {
            ExprKind::Name(name) => out.extend(names.get(name).map(|text| (expr.span, text.clone()))),
            ExprKind::Index(name, indices) => {
                let places = indices.iter().map(|one| self.past_end(one, index, names, deep));
                let places: Vec<String> = places.collect::<Option<_>>()?;
                out.push((expr.span, self.read_past_end(&name.name, &places, index, deep)?));
            }
            // a read that is padded already, and names that mean something else further in
            ExprKind::Padded(..) => return None,
            ExprKind::Reduce(_, over, ..)
                if over.iter().any(|own| names.contains_key(&own.name.name) || own.name.name == index) =>
            {
                return None;
            }
            kind => {
                for child in kind.children() {
                    self.renamed(child, index, names, deep, out)?;
                }
            }
        }
        Some(())
    }

    fn read_past_end(&self, name: &str, places: &[String], index: &str, deep: usize) -> Option<String> {
        let read = format!("{name}[{}]", places.join(", "));
        let there = |place: &String| reductions::has_word(place, index);
        if !places.iter().any(there) {
            return Some(read);
        }
        if self.tree.tensors.iter().any(|tensor| tensor.name.name == name) {
            return Some(format!("({read} else 0)"));
        }
        let mut all = self.tree.definitions.iter().filter(|definition| definition.name.name == name);
        let (Some(definition), None) = (all.next(), all.next()) else { return None };
        let own = definition.indices.iter().map(|index| index.name.name.clone());
        let names: Names = own.zip(places.iter().map(|place| grouped(place))).collect();
        let names = names.into_iter().filter(|(own, place)| own != place).collect();
        let body = self.past_end(&definition.body, index, &names, deep.checked_sub(1)?)?;
        Some(format!("({body})"))
    }

    /// Whether an expression is zero where every input is that is read at an index.
    fn vanishes(&self, expr: &Expr, index: &str, deep: usize) -> bool {
        let zero = |part: &Expr| self.vanishes(part, index, deep);
        match &expr.kind {
            ExprKind::Index(name, indices) => {
                let here = |one: &Expr| reductions::mentions(one, index);
                let Some(at) = indices.iter().position(here) else { return false };
                if self.tree.tensors.iter().any(|tensor| tensor.name.name == name.name) {
                    return true;
                }
                let mut all = self.tree.definitions.iter().filter(|d| d.name.name == name.name);
                let own = all.next().and_then(|d| Some((d, d.indices.get(at)?)));
                deep > 0 && own.is_some_and(|(d, own)| self.vanishes(&d.body, &own.name.name, deep - 1))
            }
            ExprKind::Binary("*", a, b) => zero(a) || zero(b),
            ExprKind::Binary("/" | "^", a, _) | ExprKind::Neg(a) => zero(a),
            ExprKind::Binary("+" | "-", a, b) | ExprKind::If(_, a, b) => zero(a) && zero(b),
            _ => false,
        }
    }
}
