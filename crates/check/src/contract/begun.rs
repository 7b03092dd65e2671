//! A contract that is only begun: what it says already, to be kept where the rest is drafted.

use super::text;
use super::tree::{self, Entries, Item};
use crate::device::{Constant, Number};
use crate::source::Source;

/// The beginning of a contract in a kernel's file.
#[derive(Clone, Debug, Default)]
pub struct Begun {
    lines: Vec<String>,
    entries: Entries,
    /// The file's text without it.
    pub rest: String,
}

impl Begun {
    /// What a file's contract says so far; nothing where it has none.
    pub fn of(source: &Source) -> Result<Begun, String> {
        let whole = source.text();
        if !source.opens_contract() {
            return Ok(Begun { rest: whole, ..Begun::default() });
        }
        let toml = text::find(&whole, source.kind).map_err(|(line, why)| format!("line {line}: {why}"))?;
        let entries = tree::parse(&toml).map_err(|(span, why)| {
            format!("line {}: {}", toml[..span.start].matches('\n').count() + 1, why.replace('\n', "; "))
        })?;
        // the line that closes it follows after the last that it has
        let closed = toml.lines().count();
        let opened = whole.lines().position(|line| line.trim_end().ends_with("--- ktwin")).unwrap_or(0);
        let rest = whole.lines().enumerate().filter(|(at, _)| *at < opened || *at > closed);
        let rest: String = rest.map(|(_, line)| format!("{line}\n")).collect();
        let indent = toml.lines().filter(|line| !line.trim().is_empty());
        let indent = indent.map(|line| line.len() - line.trim_start().len()).min().unwrap_or(0);
        let lines = toml.lines().map(|line| line.get(indent..).unwrap_or("").trim_end().to_owned());
        let lines = lines.skip_while(String::is_empty).collect();
        Ok(Begun { lines, entries, rest })
    }

    /// Whether it says what the kernel is given, and is no mere beginning.
    pub fn is_whole(&self) -> bool {
        ["args", "chain"].iter().any(|key| self.item(key).is_some())
    }

    /// The text of a key.
    pub fn text(&self, key: &str) -> Option<&str> {
        match self.item(key)? {
            Item::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The lanes of a workgroup, where `block` is a number or begins with one.
    pub fn lanes(&self) -> Option<i64> {
        match self.item("block")? {
            Item::Int(lanes) => Some(*lanes),
            Item::List(list) => list.first().and_then(|node| match node.item {
                Item::Int(lanes) => Some(lanes),
                _ => None,
            }),
            _ => None,
        }
    }

    /// The constants of `define` that need no sizes.
    pub fn constants(&self) -> Vec<(String, Constant)> {
        let Some(Item::Table(table)) = self.item("define") else { return Vec::new() };
        let value = |item: &Item| match item {
            Item::Int(n) => Some(Constant::Number(Number::Int(*n))),
            Item::Real(x) => Some(Constant::Number(Number::Real(*x))),
            Item::Bool(is) => Some(Constant::Number(Number::Bool(*is))),
            Item::Table(text) => text.iter().find_map(|(key, node)| match &node.item {
                Item::Text(text) if key.name == "text" => Some(Constant::Text(text.clone())),
                _ => None,
            }),
            _ => None,
        };
        table.iter().filter_map(|(key, node)| Some((key.name.clone(), value(&node.item)?))).collect()
    }

    /// The folders of `include`.
    pub fn include(&self) -> Vec<String> {
        let Some(Item::List(list)) = self.item("include") else { return Vec::new() };
        let text = |item: &Item| if let Item::Text(text) = item { Some(text.clone()) } else { None };
        list.iter().filter_map(|node| text(&node.item)).collect()
    }

    /// Its own lines, and after them those of a draft for the keys that it does not have.
    pub fn with(&self, drafted: &[String]) -> Vec<String> {
        let (mut all, mut is_new) = (self.lines.clone(), true);
        for line in drafted {
            // a list goes on in lines that begin with a blank, to the bracket that closes it
            if !line.starts_with([' ', ']']) {
                let key = line.split('=').next().unwrap_or_default().trim();
                is_new = self.item(key).is_none();
            }
            all.extend(is_new.then(|| line.clone()));
        }
        all
    }

    fn item(&self, key: &str) -> Option<&Item> {
        self.entries.iter().find(|(own, _)| own.name == key).map(|(_, node)| &node.item)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::languages::SourceKind;

    fn begun(kind: SourceKind, text: &str) -> Begun {
        let source = Source { kind, path: "k".into(), bytes: text.into() };
        Begun::of(&source).unwrap_or_else(|e| panic!("{e}"))
    }

    #[test]
    fn what_it_says_is_kept() {
        let text = "// a\n/*--- ktwin\nop = \"relu\" # mine\ndefine = { N = 2, T = { text = \"half\" } }\n\
                    include = [\"sub\"]\nblock = [64, 1, 1]\n---*/\nvoid k();\n";
        let begun = begun(SourceKind::Cuda, text);
        assert_eq!(
            (begun.text("op"), begun.is_whole(), begun.rest.as_str()),
            (Some("relu"), false, "// a\nvoid k();\n")
        );
        let constants =
            [("N".to_owned(), Constant::Number(Number::Int(2))), ("T".into(), Constant::Text("half".into()))];
        assert_eq!((&begun.constants()[..], &begun.include()[..]), (&constants[..], &["sub".to_owned()][..]));
        let drafted =
            ["op = \"other\"", "args    = [", "  \"x\",", "]", "define  = { N = 3 }"].map(str::to_owned);
        let own = text.lines().skip(2).take(4).map(str::to_owned);
        let due: Vec<String> = own.chain(drafted[1..4].iter().cloned()).collect();
        assert_eq!(begun.with(&drafted), due);
    }

    #[test]
    fn comments_of_lines_are_taken_away_and_none_is_nothing() {
        let text = "# --- ktwin\n# op = \"relu\"\n# args = [\"x\"]\n# ---\ndef k(): pass\n";
        let begun = begun(SourceKind::Triton, text);
        assert_eq!((begun.lines[0].as_str(), begun.is_whole()), ("op = \"relu\"", true));
        assert_eq!(begun.rest, "def k(): pass\n");
        let none = super::Begun::of(&Source {
            kind: SourceKind::C,
            path: "k.c".into(),
            bytes: b"int x;\n".to_vec(),
        });
        assert_eq!(none.map(|none| none.rest), Ok("int x;\n".to_owned()));
    }
}
