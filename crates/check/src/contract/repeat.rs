//! `repeat` and `when` of a chain: how often its kernels are started, and in which cases.

use super::reader::Reader;
use super::tree::{Item, Key, Node};
use super::{Expr, Name, Spot};

const FORM: &str = "repeat = \"step in 0..4\": a name and the numbers that it goes through, the end excluded";

/// A loop of the host around one or more launches.
#[derive(Clone, Debug, PartialEq)]
pub struct Counter {
    /// What expressions of these launches call its number.
    pub name: Name,
    /// The first number.
    pub from: Expr,
    /// The number past the last.
    pub to: Expr,
}

/// Which launches of a link there are: one for each number of all counters, the last of which changes fastest, where
/// all conditions hold.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Repeated {
    /// Loops around it, the outermost first.
    pub counters: Vec<Counter>,
    /// What must hold.
    pub when: Vec<Expr>,
}

impl Repeated {
    /// The same with what a table of a chain says beside.
    pub(super) fn with(&self, reader: &mut Reader, entries: &[(Key, Node)]) -> Repeated {
        let mut out = self.clone();
        for (key, node) in entries {
            match key.name.as_str() {
                "repeat" => {
                    let list = reader.up_to(DEEPEST, node, "loops around a launch");
                    out.counters.extend(list.into_iter().filter_map(|node| counter(reader, node)));
                }
                "when" => {
                    let list = reader.one_or_more(node);
                    out.when.extend(list.into_iter().filter_map(|node| reader.expr(node)));
                }
                _ => {}
            }
        }
        out
    }

    /// Its expressions.
    pub(super) fn expressions(&self) -> impl Iterator<Item = &Expr> {
        self.counters.iter().flat_map(|counter| [&counter.from, &counter.to]).chain(&self.when)
    }
}

/// The most loops of one table.
const DEEPEST: usize = 4;

fn counter(reader: &mut Reader, node: &Node) -> Option<Counter> {
    let Item::Text(text) = &node.item else {
        reader.mistake(&node.span, format!("{} is not a loop", node.item.shown()), format!("write {FORM}"));
        return None;
    };
    let start = reader.spot(node.span.start);
    // past the quote
    let at = |part: &str| {
        let before = part.as_ptr() as usize - text.as_ptr() as usize;
        Spot { column: start.column + 1 + text[..before].chars().count(), ..start }
    };
    let parts =
        text.split_once(" in ").and_then(|(name, range)| Some((name.trim(), range.split_once("..")?)));
    let Some((name, (from, to))) = parts.filter(|(name, _)| is_name(name)) else {
        reader.mistake(&node.span, format!("`{text}` is not a loop"), format!("write {FORM}"));
        return None;
    };
    if let Some(end) = to.strip_prefix('=') {
        let help = format!("write \"{name} in {from}..{} + 1\"", end.trim());
        reader.mistake(&node.span, "the end of a range is excluded", help);
        return None;
    }
    let expr = |text: &str| Expr { text: text.trim().to_string(), spot: at(text.trim()) };
    Some(Counter { name: Name { text: name.to_string(), spot: at(name) }, from: expr(from), to: expr(to) })
}

fn is_name(text: &str) -> bool {
    let mut letters = text.chars();
    let first = letters.next().is_some_and(|c| c.is_ascii_alphabetic() || c == '_');
    first && letters.all(|c| c.is_ascii_alphanumeric() || c == '_')
}
