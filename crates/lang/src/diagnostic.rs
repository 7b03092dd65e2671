//! What is wrong with an op, where, and what to write instead. Plain data; it only knows how to show itself
//! as text.

use std::fmt;

/// A range of bytes of the op's text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Span {
    /// First byte.
    pub start: usize,
    /// One past the last byte.
    pub end: usize,
}

impl Span {
    /// The smallest span that holds both.
    pub fn to(self, other: Span) -> Span {
        Span { start: self.start.min(other.start), end: self.end.max(other.end) }
    }
}

/// One mistake of an op: its place, what is wrong, and what to write instead.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// The file's name as the caller gave it.
    pub file: String,
    /// Line, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
    /// Characters to underline.
    pub width: usize,
    /// The text of that line.
    pub source: String,
    /// What is wrong.
    pub message: String,
    /// What to write instead, or what would be allowed.
    pub help: Option<String>,
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}:{}:{}: {}", self.file, self.line, self.column, self.message)?;
        let number = self.line.to_string();
        let margin = " ".repeat(number.len());
        let (shown, before) = self.excerpt();
        let indent: String = shown.chars().take(before).map(|c| if c == '\t' { '\t' } else { ' ' }).collect();
        let room = shown.chars().count().saturating_sub(before).max(1);
        writeln!(f, " {number} | {shown}")?;
        write!(f, " {margin} | {indent}{}", "^".repeat(self.width.clamp(1, room)))?;
        match &self.help {
            Some(help) => write!(f, " {help}"),
            None => Ok(()),
        }
    }
}

impl Diagnostic {
    /// The line, or what stands around the place where it is a long one; and the characters before the place.
    fn excerpt(&self) -> (String, usize) {
        const LONG: usize = 160;
        const AROUND: usize = 40;
        let before = self.column.saturating_sub(1);
        if self.source.chars().count() <= LONG {
            return (self.source.clone(), before);
        }
        let from = before.saturating_sub(AROUND);
        let mark = if from > 0 { "..." } else { "" };
        let part: String = self.source.chars().skip(from).take(LONG / 2).collect();
        (format!("{mark}{part}..."), before - from + mark.len())
    }
}

impl std::error::Error for Diagnostic {}

/// A mistake before its place has been turned into a line and a column.
#[derive(Clone, Debug)]
pub struct Mistake {
    pub span: Span,
    pub message: String,
    pub help: Option<String>,
}

impl Mistake {
    pub fn new(span: Span, message: impl Into<String>) -> Box<Mistake> {
        Box::new(Mistake { span, message: message.into(), help: None })
    }

    pub fn with_help(span: Span, message: impl Into<String>, help: impl Into<String>) -> Box<Mistake> {
        Box::new(Mistake { span, message: message.into(), help: Some(help.into()) })
    }

    /// The diagnostic that shows this mistake in `text`.
    pub fn locate(self, file: &str, text: &str) -> Diagnostic {
        let start = floor_boundary(text, self.span.start);
        let end = floor_boundary(text, self.span.end.max(start));
        let line_start = text[..start].rfind('\n').map_or(0, |at| at + 1);
        let line_end = text[start..].find('\n').map_or(text.len(), |at| start + at);
        Diagnostic {
            file: file.to_string(),
            line: text[..start].matches('\n').count() + 1,
            column: text[line_start..start].chars().count() + 1,
            width: text[start..end.min(line_end).max(start)].chars().count().max(1),
            source: text[line_start..line_end].trim_end().to_string(),
            message: self.message,
            help: self.help,
        }
    }
}

/// The largest character boundary of `text` that is not past `at`.
fn floor_boundary(text: &str, at: usize) -> usize {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

/// What every stage of the front end returns.
pub type Checked<T> = Result<T, Box<Mistake>>;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_line_is_cut() {
        let text = format!("{}@{}", "x".repeat(1000), "y".repeat(1000));
        let shown =
            Mistake::new(Span { start: 1000, end: 1001 }, "no such sign").locate("a.op", &text).to_string();
        let lines: Vec<&str> = shown.lines().collect();
        assert!(lines[1].len() < 120, "{shown}");
        assert_eq!(lines[1].find('@'), lines[2].find('^'));
    }

    #[test]
    fn a_diagnostic_points_at_its_characters() {
        let text = "op é\ny = § + 1\n";
        let at = text.find('§').unwrap();
        let shown = Mistake::with_help(Span { start: at, end: at + 2 }, "no such sign", "remove it")
            .locate("a.op", text)
            .to_string();
        assert_eq!(shown, "a.op:2:5: no such sign\n 2 | y = § + 1\n   |     ^ remove it");
    }
}
