//! What reports in files share, whichever subcommand writes them: a page of HTML that needs nothing else, no script, no
//! other file, light and dark; cells of CSV; which kind of report a file's extension asks for. Makes text only.

use std::path::Path;

use ktwin::explain::visible;

const STYLE: &str = include_str!("page.css");

/// A whole page, of a title as it is read and a body as HTML.
pub fn whole(title: &str, body: &str) -> String {
    let title = escape(title);
    format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\
         <link rel=\"icon\" href=\"data:,\"><title>ktwin: {title}</title><style>{STYLE}</style></head>\n\
         <body><main><h1>{title}</h1>\n{body}</main></body></html>\n"
    )
}

/// A text that is no markup.
pub fn escape(text: &str) -> String {
    let lines: Vec<String> = text.split('\n').map(visible).collect();
    lines.join("\n").replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// A table of cells that are HTML.
pub fn table(heads: &[&str], lines: &[Vec<String>]) -> String {
    let head: String = heads.iter().map(|cell| format!("<th>{cell}")).collect();
    let row = |cells: &Vec<String>| cells.iter().map(|cell| format!("<td>{cell}")).collect::<String>();
    let body: String = lines.iter().map(|line| format!("<tr>{}</tr>\n", row(line))).collect();
    format!(
        "<div class=\"wide\"><table><thead><tr>{head}</tr></thead><tbody>\n{body}</tbody></table></div>\n"
    )
}

/// A text that no spreadsheet takes for a formula.
pub fn harmless(text: &str) -> String {
    let begins = text.starts_with(['=', '+', '-', '@']);
    format!("{}{}", if begins { "'" } else { "" }, visible(text))
}

/// A cell of CSV.
pub fn quoted(cell: &str) -> String {
    let plain = !cell.contains([',', '"', '\n', '\r']);
    if plain { cell.to_string() } else { format!("\"{}\"", cell.replace('"', "\"\"")) }
}

/// What stands in a table of kinds of report for a file, by its extension.
pub fn kind<T: Copy>(file: &Path, kinds: &[(&str, T)]) -> Result<T, String> {
    let extension = file.extension().unwrap_or_default().to_string_lossy();
    let found = kinds.iter().find(|(name, _)| *name == extension);
    found.map(|(_, kind)| *kind).ok_or_else(|| {
        let known: Vec<String> = kinds.iter().map(|(name, _)| format!(".{name}")).collect();
        format!("--report {}: a report ends in {}", file.display(), known.join(", "))
    })
}
