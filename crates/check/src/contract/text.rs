//! Finds the contract in a kernel's text: the TOML between the marks, on its own lines and columns.

/// What opens a contract.
const OPEN: &str = "--- ktwin";
/// What closes it.
const CLOSE: &str = "---";

/// The contract's TOML, every character at its place in the file: what does not belong to it is blank.
pub fn find(text: &str) -> Result<String, (usize, String)> {
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
        None => Err((
            1,
            "no contract: write one at the top, in a comment, from a line `--- ktwin` to a line `---`".into(),
        )),
    }
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
        assert_eq!(find(block).unwrap(), "\nop = \"add\"\n   x = 1\n");
        let lines = "# first\n# --- ktwin\n# op = \"add\"\n#\n# ---\ndef f(): pass\n";
        assert_eq!(find(lines).unwrap(), "\n\n  op = \"add\"\n \n");
        let slashes = "//--- ktwin\n// op = 'é'\n//---\n";
        assert_eq!(find(slashes).unwrap(), "\n   op = 'é'\n");
    }

    #[test]
    fn what_is_missing_is_said() {
        assert!(find("fn main() {}").unwrap_err().1.contains("no contract"));
        assert_eq!(find("a\n/*--- ktwin\nop = 1\n").unwrap_err().0, 2);
    }
}
