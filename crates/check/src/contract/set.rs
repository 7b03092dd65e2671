//! A kernel's text in which the contract says other numbers: how the candidates of a search for the fastest are made.

use std::ops::Range;

use ktwin_num::did_you_mean;

use super::tree::{self, Entries, Item, Node};

/// A constant of `define` or the block's width, and what it is to be.
pub type Setting = (String, i64);

/// The file's text after each of the settings. `toml` is the contract alone, on the lines and columns of the file.
pub fn set(
    text: &str,
    toml: impl Fn(&str) -> Result<String, String>,
    settings: &[Setting],
) -> Result<String, String> {
    let mut text = text.to_owned();
    for (name, value) in settings {
        let toml = toml(&text)?;
        let entries = tree::parse(&toml).map_err(|(_, message)| message)?;
        let span = place(&entries, name).ok_or_else(|| unknown(&entries, name))?;
        text = replaced(&text, &toml, span, &value.to_string());
    }
    Ok(text)
}

/// Where the number of a setting is written.
fn place(entries: &Entries, name: &str) -> Option<Range<usize>> {
    if name != "block" {
        return defined(entries).find(|(own, _)| *own == name).map(|(_, node)| node.span.clone());
    }
    let (_, block) = entries.iter().find(|(key, _)| key.name == "block")?;
    match &block.item {
        Item::List(list) => list.first().map(|node| node.span.clone()),
        _ => Some(block.span.clone()),
    }
}

fn defined(entries: &Entries) -> impl Iterator<Item = (&str, &Node)> {
    let tables =
        entries.iter().filter(|(key, _)| key.name == "define").filter_map(|(_, node)| match &node.item {
            Item::Table(table) => Some(table),
            _ => None,
        });
    tables.flatten().map(|(key, node)| (key.name.as_str(), node))
}

fn unknown(entries: &Entries, name: &str) -> String {
    let mut known: Vec<&str> = defined(entries).map(|(name, _)| name).collect();
    if place(entries, "block").is_some() {
        known.push("block");
    }
    let near = did_you_mean(name, known.iter().copied());
    let what = match known.is_empty() {
        true => "it has neither `define` nor `block`: write define = { TILE = 16 } and use TILE".to_owned(),
        false => format!("it has {}", known.join(", ")),
    };
    format!("the contract has nothing named `{name}` to set{near}; {what}")
}

/// The text with another word at a place of the contract: the same line and columns, counted in characters.
fn replaced(text: &str, toml: &str, span: Range<usize>, word: &str) -> String {
    let start = toml[..span.start].rfind('\n').map_or(0, |n| n + 1);
    let (column, width) = (toml[start..span.start].chars().count(), toml[span.clone()].chars().count());
    let line = toml[..span.start].matches('\n').count();
    let mut lines: Vec<String> = text.split('\n').map(str::to_owned).collect();
    if let Some(line) = lines.get_mut(line) {
        let rest = line.chars().skip(column + width);
        *line = line.chars().take(column).chain(word.chars()).chain(rest).collect();
    }
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::super::text::find;
    use super::*;

    fn of(text: &str, settings: &[(&str, i64)]) -> Result<String, String> {
        let settings: Vec<Setting> = settings.iter().map(|(name, n)| ((*name).to_owned(), *n)).collect();
        set(text, |text| find(text, crate::SourceKind::C).map_err(|(_, why)| why), &settings)
    }

    #[test]
    fn numbers_are_replaced_where_they_stand() {
        let text = "// ü\n//--- ktwin\n// define = { 'TILE' = 16, B = \"D / 2\" } # 16\n\
                    // block = [256, 1]\n//---\nTILE 16";
        let set = of(text, &[("TILE", 128), ("block", 8), ("B", 3)]).unwrap();
        assert_eq!(
            set,
            "// ü\n//--- ktwin\n// define = { 'TILE' = 128, B = 3 } # 16\n// block = [8, 1]\n//---\nTILE 16"
        );
        let table = "#--- ktwin\n#block = 64\n#[define]\n#T = 4\n#---";
        assert_eq!(of(table, &[("T", 5), ("block", 1)]).unwrap(), table.replace('4', "5").replace("65", "1"));
    }

    #[test]
    fn what_is_not_there_is_said() {
        let text = "//--- ktwin\n// define = { TILE = 16 }\n// block = 8\n//---";
        let why = of(text, &[("TILES", 1)]).unwrap_err();
        assert!(why.contains("did you mean `TILE`") && why.contains("it has TILE, block"), "{why}");
        let why = of("//--- ktwin\n// op = 'é'\n//---", &[("TILE", 1)]).unwrap_err();
        assert!(why.contains("neither `define` nor `block`"), "{why}");
    }
}
