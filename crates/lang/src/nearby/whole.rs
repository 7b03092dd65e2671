//! What may be changed of an output as a whole, and of a number wherever it is written.

use super::reads::grouped;
use super::{Change, Open, Walk, words};
use crate::ast::{Definition, Expr, ExprKind};
use crate::diagnostic::Span;

/// How far-fetched these are.
const RANK: u8 = 3;

impl Walk<'_> {
    /// An output taken for another definition, or multiplied by an input; or its place found otherwise.
    pub(super) fn mistaken(&mut self, definition: &Definition) {
        let output = &definition.name.name;
        if self.tree.outputs.iter().all(|own| own.name.name != *output) {
            return;
        }
        let names: Vec<&str> = definition.indices.iter().map(|index| index.name.name.as_str()).collect();
        let read = |name: &str| match names.is_empty() {
            true => name.to_owned(),
            false => format!("{name}[{}]", names.join(", ")),
        };
        let (own, body) = (read(output), self.text_of(definition.body.span).to_owned());
        let definitions = self.tree.definitions.iter().map(|d| (&d.name.name, d.indices.len()));
        let tensors = self.tree.tensors.iter().map(|t| (&t.name.name, t.dims.len()));
        let mut made: Vec<(String, String)> = Vec::new();
        for (other, _) in definitions.filter(|(name, rank)| *rank == names.len() && *name != output) {
            made.push((read(other), read(other)));
        }
        for (other, _) in tensors.filter(|(_, rank)| *rank == names.len()) {
            let other = read(other);
            made.push((format!("{own} * {other}"), format!("({body}) * {other}")));
        }
        for (index, place) in self.places(definition) {
            let put = |text: &str, place: &str| {
                words(text, |word, _| if word == index { place } else { word }.to_owned())
            };
            let (name, indices) = own.split_once('[').unwrap_or((&own, ""));
            made.push((format!("{name}[{}", put(indices, &place)), put(&body, &grouped(&place))));
        }
        made.into_iter().for_each(|(now, text)| self.replaced_whole(definition.body.span, &own, now, &text));
    }

    /// One index of an output, made of the number of an element by the size of another dimension.
    fn places(&self, definition: &Definition) -> Vec<(String, String)> {
        let ends: Vec<_> = definition.indices.iter().map(|index| (index, self.ends(index))).collect();
        if ends.len() < 2 || ends.iter().any(|(_, (lo, _))| lo != "0") {
            return Vec::new();
        }
        let mut flat = String::new();
        for (index, (_, size)) in &ends {
            let name = &index.name.name;
            flat = match flat.is_empty() {
                true => name.clone(),
                false => format!("{} * {} + {name}", grouped(&flat), grouped(size)),
            };
        }
        let (row, column) = (&ends[ends.len() - 2], &ends[ends.len() - 1]);
        let mut out = Vec::new();
        for other in self.dims().into_iter().filter(|dim| *dim != column.1.1) {
            out.push((row.0.name.name.clone(), format!("({flat}) // {other} % {}", grouped(&row.1.1))));
            out.push((column.0.name.name.clone(), format!("({flat}) % {other}")));
        }
        out
    }

    /// A definition's body replaced, shown as what it defines.
    fn replaced_whole(&mut self, span: Span, was: &str, now: String, by: &str) {
        let text = [&self.text[..span.start], by, &self.text[span.end..self.last]].concat();
        self.out.push(Change { was: was.to_owned(), now, open: Open::Nothing, text, rank: RANK });
    }

    /// A whole number of several places, one more or one less in all of them: the rounds of a generator.
    pub(super) fn counts_changed(&mut self) {
        let body = self.text[self.start..self.end].to_owned();
        let mut seen: Vec<(i64, usize)> = Vec::new();
        let mut rest = body.as_str();
        while let Some((word, after)) = ktwin_num::first_word(rest) {
            if let (true, Ok(value)) = (word.len() > 1, word.parse::<i64>()) {
                match seen.iter_mut().find(|(known, _)| *known == value) {
                    Some((_, count)) => *count += 1,
                    None => seen.push((value, 1)),
                }
            }
            rest = after;
        }
        for (value, _) in seen.into_iter().filter(|(_, count)| *count > 1) {
            for other in [value - 1, value + 1] {
                let (was, now) = (value.to_string(), other.to_string());
                let changed = words(&body, |word, _| if word == was { now.clone() } else { word.to_owned() });
                let text = self.with_definitions(&changed);
                self.out.push(Change { was, now, open: Open::Nothing, text, rank: RANK });
            }
        }
    }

    /// What a definition makes, made anew without one of its operands where it is read here.
    pub(super) fn made_anew(&self, expr: &Expr) -> Vec<String> {
        let Some(Definition { name, body, .. }) = self.definition(expr) else { return Vec::new() };
        let all = self.text.get(self.start..self.end).unwrap_or("");
        let reads = all.matches(&format!("{}[", name.name)).count();
        // its own definition, this read, and another one
        if reads < 3 {
            return Vec::new();
        }
        let (mut out, mut left) = (Vec::new(), vec![body]);
        while let Some(part) = left.pop() {
            if let ExprKind::Binary("+" | "-" | "*" | "/", a, b) = &part.kind {
                let around = |kept: &Expr| {
                    let (before, after) = (body.span.start..part.span.start, part.span.end..body.span.end);
                    format!("({}{}{})", &self.text[before], self.whole(kept), &self.text[after])
                };
                out.extend([a, b].map(|kept| around(kept)));
                left.extend([&**a, &**b]);
            }
        }
        out
    }
}
