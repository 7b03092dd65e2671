//! Finds the contract in a kernel's text: the TOML between the marks, on its own lines and columns.

use crate::languages::{Code, SourceKind};

/// What opens a contract.
const OPEN: &str = "--- ktwin";
/// What closes it.
const CLOSE: &str = "---";

/// A contract to begin with, as a language has it: what not all have is marked.
const EXAMPLE: &str = r#"op    = "rmsnorm"
types = { x = "f16", w = "f16", y = "f16" }
args  = ["x", "w", "y", { D = "u32", eps = "f32" }]
grid  = ["R", 1, 1]
block = [256, 1, 1]
tile  = { D = 256 }
dims  = { D = "1..=16384" }
"#;

/// A contract to begin with in a language: in its comments, and without what the language does not take.
pub fn example(kind: SourceKind) -> String {
    let row = kind.row();
    let is_due = |line: &&str| {
        let is = |key: &str| line.starts_with(key);
        // what is called has no lanes, and shaders say themselves how many they have
        !(is("block") && !row.block || is("grid") && row.code == Code::Machine)
    };
    let lines = EXAMPLE.lines().filter(is_due);
    match row.comments {
        Some(("#", _)) => {
            let body: String = lines.map(|line| format!("# {line}\n")).collect();
            format!("# --- ktwin\n{body}# ---\n")
        }
        Some((_, [open, close])) => {
            let body: String = lines.map(|line| format!("{line}\n")).collect();
            format!("{open}--- ktwin\n{body}---{close}\n")
        }
        None => lines.map(|line| format!("{line}\n")).collect(),
    }
}

/// The contract's TOML, every character at its place in the file: what does not belong to it is blank.
pub fn find(text: &str, kind: SourceKind) -> Result<String, (usize, String)> {
    let mut out = String::new();
    let mut prefix: Option<&str> = None;
    let mut opened = 0;
    for (number, line) in text.lines().enumerate() {
        match prefix {
            None if line.trim_end().ends_with(OPEN) => {
                let before = &line[..line.trim_end().len() - OPEN.len()];
                prefix = Some(before.trim());
                opened = number + 1;
            }
            None => {}
            Some(prefix) => {
                let own = without(line, prefix);
                if own.trim_start().starts_with(CLOSE) {
                    return match second(text, number + 1) {
                        Some(line) => Err((
                            line,
                            "a second contract: a file has only one, so remove one of them".into(),
                        )),
                        None => Ok(out),
                    };
                }
                out.push_str(&own);
            }
        }
        out.push('\n');
    }
    match prefix {
        Some(_) => Err((opened, "the contract is never closed: end it with a line `---`".into())),
        None => Err(missing(text, kind)),
    }
}

/// Where no contract is opened: what comes near, or how one is written.
fn missing(text: &str, kind: SourceKind) -> (usize, String) {
    match text.lines().zip(1..).take(HEAD).find(|(line, _)| is_nearly(line)) {
        Some((_, line)) => (line, "no contract: is this meant to open one? write `--- ktwin`".into()),
        None => {
            let how = "no contract: `ktwin new --op OP --from FILE` drafts one from what the kernel takes; or write \
                       one at the top, in a comment, from a line `--- ktwin` to a line `---`, as in";
            (1, format!("{how}\n{}", example(kind).trim_end()))
        }
    }
}

/// Lines in which a contract is looked for that is not quite one.
const HEAD: usize = 40;

/// Whether a line is nearly one that opens a contract: dashes, and a word that is nearly `ktwin`.
pub fn is_nearly(line: &str) -> bool {
    let line = line.trim_end();
    let Some((before, word)) = line.rsplit_once('-') else { return false };
    let word = word.trim().to_lowercase();
    let near = !ktwin_num::did_you_mean(&word, ["ktwin"]).is_empty() || word == "ktwin";
    before.ends_with('-') && near && !line.ends_with(OPEN)
}

/// The line of another contract after this many lines.
fn second(text: &str, after: usize) -> Option<usize> {
    let mut rest = text.lines().zip(1..).skip(after);
    rest.find(|(line, _)| line.trim_end().ends_with(OPEN)).map(|(_, number)| number)
}

/// The line with what makes it a comment replaced by spaces.
fn without(line: &str, prefix: &str) -> String {
    let indent = line.len() - line.trim_start().len();
    let rest = &line[indent..];
    // inside a block comment lines may begin with a star of their own
    let mark = if prefix.starts_with("/*") { "*" } else { prefix };
    match rest.strip_prefix(mark) {
        Some(own) if !mark.is_empty() => {
            let blanks = " ".repeat(mark.chars().count());
            format!("{}{blanks}{own}", &line[..indent])
        }
        _ => line.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn block_comments_and_line_comments() {
        let block = "/*--- ktwin\nop = \"add\"\n * x = 1\n---*/\nfn main() {}\n";
        assert_eq!(find(block, SourceKind::Wgsl).unwrap(), "\nop = \"add\"\n   x = 1\n");
        let lines = "# first\n# --- ktwin\n# op = \"add\"\n#\n# ---\ndef f(): pass\n";
        assert_eq!(find(lines, SourceKind::Triton).unwrap(), "\n\n  op = \"add\"\n \n");
        let slashes = "//--- ktwin\n// op = 'é'\n//---\n";
        assert_eq!(find(slashes, SourceKind::C).unwrap(), "\n   op = 'é'\n");
    }

    #[test]
    fn what_is_nearly_a_contract_is_known() {
        for line in ["/*--- kwtin", "//-- ktwin", "/*--- KTWIN", "--- ktwim", "/*---ktwin"] {
            assert!(is_nearly(line), "{line}");
        }
        for line in ["/*--- ktwin", "---", "a - twin", "// ------ keep", "x--", "i-- > 0"] {
            assert!(!is_nearly(line), "{line}");
        }
    }

    #[test]
    fn what_is_missing_is_said() {
        let (line, message) = find("fn main() {}", SourceKind::Cuda).unwrap_err();
        assert!(
            line == 1
                && message.contains("no contract")
                && message.contains(EXAMPLE.trim_end())
                && message.contains("ktwin new --op OP --from")
        );
        let nearly = find("// first\n/*--- kwtin\nop = 1\n---*/", SourceKind::C).unwrap_err();
        assert!(nearly.0 == 2 && nearly.1.contains("`--- ktwin`"), "{nearly:?}");
        assert_eq!(find("a\n/*--- ktwin\nop = 1\n", SourceKind::C).unwrap_err().0, 2);
    }

    #[test]
    fn examples_fit_their_languages() {
        for row in crate::languages::LANGUAGES.iter().filter(|row| row.comments.is_some()) {
            let text = example(row.kind);
            assert_eq!(text.contains("block"), row.block, "{}", row.name);
            assert_eq!(text.contains("grid"), row.code != Code::Machine, "{}", row.name);
            let found = find(&text, row.kind).unwrap_or_else(|e| panic!("{}: {}", row.name, e.1));
            assert!(found.contains("op    = \"rmsnorm\""), "{text}");
        }
        assert!(example(SourceKind::Triton).lines().all(|line| line.starts_with("# ")));
    }
}
