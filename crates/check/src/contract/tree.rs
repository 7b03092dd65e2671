//! TOML as a tree with places, in the order it is written. Knows no keys.

use std::ops::Range;

use crate::registry::Day;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// A value and where it stands.
#[derive(Clone, Debug)]
pub struct Node {
    pub item: Item,
    pub span: Range<usize>,
}

/// A key and where it stands.
#[derive(Clone, Debug)]
pub struct Key {
    pub name: String,
    pub span: Range<usize>,
}

/// A value.
#[derive(Clone, Debug)]
pub enum Item {
    Text(String),
    Int(i64),
    Real(f64),
    Bool(bool),
    List(Vec<Node>),
    Table(Entries),
    /// A day alone.
    Date(Day),
    /// A time, or a number too large.
    Other,
}

impl Item {
    /// As messages call it.
    pub fn shown(&self) -> &'static str {
        match self {
            Item::Text(_) => "a string",
            Item::Int(_) => "an integer",
            Item::Real(_) => "a number",
            Item::Bool(_) => "a boolean",
            Item::List(_) => "a list",
            Item::Table(_) => "a table",
            Item::Date(_) => "a date",
            Item::Other => "a time or a huge number",
        }
    }
}

/// The entries of a table, in order.
pub type Entries = Vec<(Key, Node)>;

/// Parses TOML; on a mistake its place and the parser's words.
pub fn parse(text: &str) -> Result<Entries, (Range<usize>, String)> {
    match DeTable::parse(text) {
        Ok(table) => Ok(entries(table.into_inner())),
        Err(error) => Err((error.span().unwrap_or(0..0), error.message().to_string())),
    }
}

fn entries(table: DeTable<'_>) -> Entries {
    let entry = |(key, value): (Spanned<_>, Spanned<DeValue<'_>>)| {
        let span = key.span();
        let name: std::borrow::Cow<'_, str> = key.into_inner();
        (Key { name: name.into_owned(), span }, node(value))
    };
    let mut out: Entries = table.into_iter().map(entry).collect();
    out.sort_by_key(|(key, _)| key.span.start);
    out
}

fn node(value: Spanned<DeValue<'_>>) -> Node {
    let span = value.span();
    let item = match value.into_inner() {
        DeValue::String(text) => Item::Text(text.into_owned()),
        DeValue::Integer(number) => {
            i64::from_str_radix(number.as_str(), number.radix()).map_or(Item::Other, Item::Int)
        }
        DeValue::Float(number) => number.as_str().parse().map_or(Item::Other, Item::Real),
        DeValue::Boolean(truth) => Item::Bool(truth),
        DeValue::Array(list) => Item::List(list.into_iter().map(node).collect()),
        DeValue::Table(table) => Item::Table(entries(table)),
        DeValue::Datetime(time) => match (time.date, time.time) {
            (Some(date), None) => {
                Item::Date(Day { year: date.year.into(), month: date.month.into(), day: date.day.into() })
            }
            _ => Item::Other,
        },
    };
    Node { item, span }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn order_is_that_of_the_text() {
        let tree = parse("z = { b = 1, a = 2.5 }\na = [true, \"x\"]\n").unwrap();
        let names: Vec<&str> = tree.iter().map(|(k, _)| k.name.as_str()).collect();
        assert_eq!(names, ["z", "a"]);
        let Item::Table(inner) = &tree[0].1.item else { panic!("a table") };
        assert_eq!(inner[0].0.name, "b");
        assert!(matches!(inner[1].1.item, Item::Real(v) if v == 2.5));
    }
}
