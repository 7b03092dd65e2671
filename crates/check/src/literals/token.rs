//! The text of a kernel in any language cut into words, numbers and marks: as far as reading its numbers takes.
//! It never fails; what is not closed ends with the text.

/// A piece of a text.
#[derive(Clone, Debug, PartialEq)]
pub enum Token {
    /// An identifier or a keyword.
    Word(String),
    /// A whole number or a real one.
    Number(f64),
    /// Punctuation: of two characters where they belong together.
    Mark(&'static str),
    /// The end of a line.
    End,
}

/// Marks of two or three characters before those of one that begin them.
const MARKS: [&str; 42] = [
    "<<=", ">>=", "==", "!=", "<=", ">=", "&&", "||", "<<", ">>", "->", "=>", "::", "++", "--", "+=", "-=",
    "*=", "/=", "%=", "..", "//", "<", ">", "=", "+", "-", "*", "/", "%", "&", "|", "?", ":", ";", ",", "(",
    ")", "[", "]", "{", "}",
];

/// The tokens of a text, without its comments and strings.
pub fn cut(text: &str, comments: (&str, [&str; 2])) -> Vec<Token> {
    let (line, [open, close]) = comments;
    let (mut out, mut rest) = (Vec::new(), text);
    while let Some(first) = rest.chars().next() {
        let from = |at: Option<usize>| at.map_or("", |at| &rest[at..]);
        rest = if rest.starts_with(line) {
            from(rest.find('\n'))
        } else if let Some(inside) = rest.strip_prefix(open) {
            inside.find(close).map_or("", |at| &inside[at + close.len()..])
        } else if let Some(after) = rest.strip_prefix("'\"'") {
            after
        } else if first == '"' {
            let inside = &rest[1..];
            inside.find('"').map_or("", |at| &inside[at + 1..])
        } else if first == '\\' && rest[1..].trim_start_matches('\r').starts_with('\n') {
            from(rest.find('\n').map(|at| at + 1))
        } else if first == '\n' {
            out.push(Token::End);
            &rest[1..]
        } else if first.is_ascii_digit() {
            let (value, length) = number(rest);
            out.push(Token::Number(value));
            &rest[length..]
        } else if is_word(first) {
            let length = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
            out.push(Token::Word(rest[..length].to_owned()));
            &rest[length..]
        } else if let Some(mark) = MARKS.iter().find(|mark| rest.starts_with(**mark)) {
            out.push(Token::Mark(mark));
            &rest[mark.len()..]
        } else {
            &rest[first.len_utf8()..]
        };
    }
    out
}

/// The numbers of a text that are written as real ones: `88.0f`, `1e-3`.
pub fn reals(text: &str) -> Vec<f64> {
    let (mut out, mut rest, mut inside) = (Vec::new(), text, false);
    while let Some(first) = rest.chars().next() {
        let mut length = first.len_utf8();
        if !inside && first.is_ascii_digit() {
            let (value, digits) = number(rest);
            length = digits.max(1);
            let spelled = &rest[..length];
            let is_hex = spelled.starts_with("0x") || spelled.starts_with("0X");
            out.extend((!is_hex && spelled.contains(['.', 'e', 'E', 'f', 'F'])).then_some(value));
        }
        inside = is_word(first);
        rest = &rest[length..];
    }
    out
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// The number that a text begins with and how long it is: with a suffix, a point, an exponent; NaN where it is none.
fn number(text: &str) -> (f64, usize) {
    let hex = text.starts_with("0x") || text.starts_with("0X");
    let mut length = 0;
    let mut before = ' ';
    for c in text.chars() {
        let sign = matches!(c, '+' | '-') && matches!(before, 'e' | 'E') && !hex;
        // `0..n` is a range
        let point = c == '.' && before != '.' && !text[length + 1..].starts_with('.');
        if !(is_word(c) || sign || point) {
            break;
        }
        (length, before) = (length + c.len_utf8(), c);
    }
    let plain: String = text[..length].chars().filter(|c| *c != '_').collect();
    if hex {
        let digits = plain[2..].trim_end_matches(['u', 'U', 'l', 'L']);
        return (i64::from_str_radix(digits, 16).map_or(f64::NAN, |n| n as f64), length);
    }
    let end = plain.find(|c: char| !(c.is_ascii_digit() || "+-.eE".contains(c))).unwrap_or(plain.len());
    (plain[..end].trim_end_matches('.').parse().unwrap_or(f64::NAN), length)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SLASHES: (&str, [&str; 2]) = ("//", ["/*", "*/"]);

    #[test]
    fn words_numbers_and_marks_are_told_apart() {
        let some = cut("if (n/* 7 */>= 0x1Fu) x += 1.5e-3f; // 8\nfor 0..12u32 \"9\"", SLASHES);
        let word = |text: &str| Token::Word(text.into());
        let (mark, number) = (Token::Mark, Token::Number);
        let first = [word("if"), mark("("), word("n"), mark(">="), number(31.0), mark(")")];
        assert_eq!(some[..6], first);
        assert_eq!(some[6..11], [word("x"), mark("+="), number(1.5e-3), mark(";"), Token::End]);
        assert_eq!(some[11..], [word("for"), number(0.0), mark(".."), number(12.0)]);
        let python = cut("\"\"\" 1 \"\"\"\nn // 4 # 5", ("#", ["\"\"\"", "\"\"\""]));
        assert_eq!(python, [Token::End, word("n"), mark("//"), number(4.0)]);
    }

    #[test]
    fn nothing_that_is_not_closed_is_lost() {
        for text in [
            "\"",
            "/*",
            "\\",
            "0x",
            "1.",
            "1..",
            "1e",
            "é",
            "9é",
            "\\\r\n",
            "'",
            "0xffffffffffffffffff",
            "1e+",
        ] {
            cut(text, SLASHES);
        }
    }
}
