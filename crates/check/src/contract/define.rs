//! The compile-time constants of a contract: numbers, and text for languages that take it.

use super::reader::Reader;
use super::tree::{Item, Key, Node};
use super::{Contract, Expr, Spot};

const FORM: &str = "define = { NAME = 16, OTHER = \"D / 2\" }, or several such sets in a list";
const TEXT: &str = "define = { T = { text = \"float\" } }";
/// The most sets that a kernel is compiled and run with.
pub const SETS: usize = 256;

/// The value of a compile-time constant.
#[derive(Clone, Debug, PartialEq)]
pub enum Define {
    /// What an expression comes to.
    Value(Expr),
    /// Text as it is: `{ text = "float" }`.
    Text(String, Spot),
}

impl Define {
    /// The expression, where it is one.
    pub fn value(&self) -> Option<&Expr> {
        match self {
            Define::Value(expr) => Some(expr),
            Define::Text(..) => None,
        }
    }
}

impl std::fmt::Display for Define {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Define::Value(expr) => f.write_str(&expr.text),
            Define::Text(text, _) => write!(f, "{text:?}"),
        }
    }
}

/// One set of constants, or several in a list.
pub fn read(reader: &mut Reader, contract: &mut Contract, node: &Node) {
    let mut sets = Vec::new();
    for set in reader.up_to(SETS, node, "sets of constants") {
        let table = reader.table(set, FORM);
        // `F(a, b)` is a macro with parameters
        let blank = |(key, _): &&(Key, Node)| {
            let name = key.name.split('(').next().unwrap_or_default();
            name.is_empty() || name.contains(char::is_whitespace)
        };
        if let Some((key, _)) = table.iter().find(blank) {
            reader.mistake(
                &key.span,
                format!("`{}` cannot name a constant", key.name),
                format!("write {FORM}"),
            );
        }
        let named = table.iter().filter_map(|(key, node)| Some((reader.key(key), one(reader, node)?)));
        sets.push(named.collect());
    }
    let mut sets = sets.into_iter();
    contract.define = sets.next().unwrap_or_default();
    contract.others = sets.collect();
}

fn one(reader: &mut Reader, node: &Node) -> Option<Define> {
    let Item::Table(parts) = &node.item else { return reader.expr(node).map(Define::Value) };
    let spot = reader.spot(node.span.start);
    match &parts[..] {
        [(key, value)] if key.name == "text" => {
            let text = reader.text(value, "the text in quotes: { text = \"float\" }")?;
            if text.contains(char::is_control) {
                reader.mistake(&value.span, "a constant's text is one line", format!("write {TEXT}"));
                return None;
            }
            Some(Define::Text(text, spot))
        }
        _ => {
            reader.mistake(
                &node.span,
                "a constant is a number, an expression or text",
                format!("write {TEXT}"),
            );
            None
        }
    }
}
