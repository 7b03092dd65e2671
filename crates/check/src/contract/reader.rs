//! Turns TOML values into what contracts hold, and collects mistakes with their places. Knows no keys of
//! its own.

use std::ops::Range;

use ktwin_lang::Diagnostic;
use ktwin_num::{DType, Float, did_you_mean};

use super::spots::Spots;
use super::tree::{Item, Key, Node};
use super::{Expr, Name, Spot};
use crate::device::Number;

/// Mistakes that are told of one text.
pub(crate) const MOST_MISTAKES: usize = 100;

/// The contract's text and the mistakes found so far.
pub struct Reader<'a> {
    pub file: &'a str,
    /// The whole file, for showing lines.
    pub whole: &'a str,
    /// The contract alone, on the same lines and columns.
    pub toml: &'a str,
    pub mistakes: Vec<Diagnostic>,
    spots: Spots,
}

impl<'a> Reader<'a> {
    /// A reader of a file whose contract is `toml`, on the same lines and columns.
    pub fn new(file: &'a str, whole: &'a str, toml: &'a str) -> Reader<'a> {
        Reader { file, whole, toml, mistakes: Vec::new(), spots: Spots::of(toml) }
    }
}

impl Reader<'_> {
    pub fn spot(&self, at: usize) -> Spot {
        self.spots.at(self.toml, at)
    }

    /// Notes a mistake; nobody reads more than so many.
    pub fn mistake(&mut self, span: &Range<usize>, message: impl Into<String>, help: impl Into<String>) {
        if self.mistakes.len() == MOST_MISTAKES {
            return;
        }
        let Spot { line, column } = self.spot(span.start);
        let one_line = self.toml.get(span.clone()).map_or("", |t| t.lines().next().unwrap_or(""));
        let help = help.into();
        self.mistakes.push(Diagnostic {
            file: self.file.to_string(),
            line,
            column,
            width: one_line.chars().count().max(1),
            source: self.whole.lines().nth(line - 1).unwrap_or("").to_string(),
            // a message is one line, whatever it quotes
            message: message.into().replace('\n', "\\n"),
            help: (!help.is_empty()).then_some(help),
        });
    }

    fn wrong(&mut self, node: &Node, wanted: &str) {
        let found = node.item.shown();
        self.mistake(&node.span, format!("{found} is not expected here"), format!("write {wanted}"));
    }

    pub fn text(&mut self, node: &Node, wanted: &str) -> Option<String> {
        match &node.item {
            Item::Text(text) => Some(text.clone()),
            _ => {
                self.wrong(node, wanted);
                None
            }
        }
    }

    /// A text that is shown as a part of lines, and so has none of its own.
    pub fn word(&mut self, node: &Node, wanted: &str) -> Option<String> {
        let text = self.text(node, wanted)?;
        if text.chars().any(char::is_control) {
            self.mistake(&node.span, "a name has no control characters", format!("write {wanted}"));
            return None;
        }
        Some(text)
    }

    pub fn name(&mut self, node: &Node, wanted: &str) -> Option<Name> {
        let Spot { line, column } = self.spot(node.span.start);
        let text = self.word(node, wanted)?;
        Some(Name { text, spot: Spot { line, column: column + 1 } })
    }

    /// A key as a name; its place is after the quote, where it has one.
    pub fn key(&self, key: &Key) -> Name {
        let mut spot = self.spot(key.span.start);
        spot.column += usize::from(self.toml[key.span.clone()].starts_with(['"', '\'']));
        Name { text: key.name.clone(), spot }
    }

    pub fn truth(&mut self, node: &Node) -> Option<bool> {
        match node.item {
            Item::Bool(truth) => Some(truth),
            _ => {
                self.wrong(node, "true or false");
                None
            }
        }
    }

    pub fn whole_number(&mut self, node: &Node) -> Option<i64> {
        match node.item {
            Item::Int(number) if number > 0 => Some(number),
            Item::Int(number) => {
                self.mistake(
                    &node.span,
                    format!("{number} is not above 0"),
                    "write a whole number from 1 on",
                );
                None
            }
            _ => {
                self.wrong(node, "a whole number above 0");
                None
            }
        }
    }

    pub fn number(&mut self, node: &Node) -> Option<Number> {
        match node.item {
            Item::Int(v) => Some(Number::Int(v)),
            Item::Real(v) => Some(Number::Real(v)),
            Item::Bool(v) => Some(Number::Bool(v)),
            _ => {
                self.wrong(node, "a number, or true or false");
                None
            }
        }
    }

    /// An expression: a string in the op language, or a plain number.
    pub fn expr(&mut self, node: &Node) -> Option<Expr> {
        let mut spot = self.spot(node.span.start);
        let text = match &node.item {
            Item::Text(text) => {
                spot.column += 1;
                text.clone()
            }
            Item::Int(v) => v.to_string(),
            Item::Real(v) => format!("{v:?}"),
            Item::Bool(v) => v.to_string(),
            _ => {
                self.wrong(node, "a number, or an expression in quotes such as \"ceil(M / 64)\"");
                return None;
            }
        };
        Some(Expr { text, spot })
    }

    pub fn dtype(&mut self, node: &Node) -> Option<DType> {
        let name = self.text(node, "a type in quotes, such as \"f16\"")?;
        match DType::parse(&name) {
            Ok(dtype) => Some(dtype),
            Err(message) => {
                self.mistake(&node.span, message, "write one of f32, f16, bf16, i32, u32, q4_0, …");
                None
            }
        }
    }

    pub fn rung(&mut self, node: &Node) -> Option<Float> {
        let name = self.text(node, "a rung in quotes, such as \"f32\"")?;
        let found = Float::parse(&name);
        if found.is_none() {
            let near = did_you_mean(&name, Float::ALL.iter().map(|f| f.name()));
            let rungs = Float::ALL.map(|f| f.name()).join(", ");
            self.mistake(&node.span, format!("no rung `{name}`{near}"), format!("rungs are {rungs}"));
        }
        found
    }

    pub fn list<'n>(&mut self, node: &'n Node, wanted: &str) -> Option<&'n [Node]> {
        match &node.item {
            Item::List(list) => Some(list),
            _ => {
                self.wrong(node, wanted);
                None
            }
        }
    }

    pub fn table<'n>(&mut self, node: &'n Node, wanted: &str) -> &'n [(Key, Node)] {
        match &node.item {
            Item::Table(table) => table,
            _ => {
                self.wrong(node, wanted);
                &[]
            }
        }
    }

    /// One value, or several in a list.
    pub fn one_or_more<'n>(&self, node: &'n Node) -> Vec<&'n Node> {
        match &node.item {
            Item::List(list) => list.iter().collect(),
            _ => vec![node],
        }
    }

    /// The same where there must be one: without any, it would mean what leaving the key out means.
    pub fn some<'n>(&mut self, node: &'n Node) -> Vec<&'n Node> {
        let list = self.one_or_more(node);
        if list.is_empty() {
            self.mistake(&node.span, "an empty list says nothing", "write what it is for, or remove it");
        }
        list
    }

    /// The same, if there are no more of them than a run can go through.
    pub fn up_to<'n>(&mut self, most: usize, node: &'n Node, what: &str) -> Vec<&'n Node> {
        let list = self.one_or_more(node);
        if list.len() > most {
            let message = format!("{} {what} are too many", list.len());
            self.mistake(&node.span, message, format!("write at most {most}"));
            return Vec::new();
        }
        list
    }

    /// Two or three numbers or expressions of x, y and z; what is missing is 1.
    pub fn three(&mut self, node: &Node, what: &str) -> Vec<Expr> {
        let list = self.one_or_more(node);
        if list.is_empty() || list.len() > 3 {
            let help = format!("write {what} = [x, y, z]");
            self.mistake(&node.span, format!("{what} has one, two or three parts"), help);
            return Vec::new();
        }
        list.into_iter().filter_map(|n| self.expr(n)).collect()
    }

    pub fn unknown(&mut self, key: &Key, what: &str, known: &[&str]) {
        if self.mistakes.len() == MOST_MISTAKES {
            return;
        }
        let near = did_you_mean(&key.name, known.iter().copied());
        let message = format!("unknown {what} `{}`{near}", key.name);
        let (first, of) =
            what.split_once(" of ").map_or((what, String::new()), |(a, b)| (a, format!(" of {b}")));
        self.mistake(&key.span, message, format!("{first}s{of} are {}", known.join(", ")));
    }
}
