//! Cuts an op's text into tokens. Knows characters, not grammar.

use crate::diagnostic::{Checked, Mistake, Span};

/// What a token is.
#[derive(Clone, Debug, PartialEq)]
pub enum Kind {
    Name(String),
    Int(i64),
    Real(f64),
    /// A keyword or a sign.
    Sign(&'static str),
    End,
}

/// A token and its place.
#[derive(Clone, Debug)]
pub struct Token {
    pub kind: Kind,
    pub span: Span,
}

/// The words that cannot be names.
pub const KEYWORDS: &[&str] =
    &["and", "else", "false", "if", "in", "inf", "nan", "not", "op", "or", "pi", "then", "true", "where"];

/// Signs, longest first, so that the first match is the right one.
const SIGNS: &[&str] = &[
    "->", "..", "//", "==", "!=", "<=", ">=", "<", ">", "=", "+", "-", "*", "/", "%", "^", "(", ")", "[",
    "]", ",", ";", ":",
];

/// Largest op text that is read.
pub const MAX_TEXT: usize = 64 * 1024;
const MAX_NAME: usize = 64;

/// All tokens of `text`, an `End` last.
pub fn tokens(text: &str) -> Checked<Vec<Token>> {
    cut(text, false)
}

/// The same where a name may have parts, as in `x.stride0`.
pub fn dotted_tokens(text: &str) -> Checked<Vec<Token>> {
    cut(text, true)
}

fn cut(text: &str, dotted: bool) -> Checked<Vec<Token>> {
    if text.len() > MAX_TEXT {
        let span = Span { start: MAX_TEXT, end: MAX_TEXT };
        return Err(Mistake::new(
            span,
            format!("an op's text is at most {MAX_TEXT} bytes, this has {}", text.len()),
        ));
    }
    let mut out = Vec::new();
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        if c.is_whitespace() {
            at += c.len_utf8();
        } else if c == '#' {
            at += text[at..].find('\n').unwrap_or(text.len() - at);
        } else {
            let token = token(text, at, c, dotted)?;
            at = token.span.end;
            out.push(token);
        }
    }
    out.push(Token { kind: Kind::End, span: Span { start: text.len(), end: text.len() } });
    Ok(out)
}

fn token(text: &str, at: usize, first: char, dotted: bool) -> Checked<Token> {
    if first.is_ascii_alphabetic() || first == '_' {
        return name(text, at, dotted);
    }
    if first.is_ascii_digit() || (first == '.' && text[at + 1..].starts_with(|c: char| c.is_ascii_digit())) {
        return number(text, at);
    }
    for sign in SIGNS {
        if text[at..].starts_with(sign) {
            return Ok(Token { kind: Kind::Sign(sign), span: Span { start: at, end: at + sign.len() } });
        }
    }
    let span = Span { start: at, end: at + first.len_utf8() };
    Err(match first {
        '!' => Mistake::with_help(span, "`!` does not belong to the op language", "write `not`"),
        '&' => Mistake::with_help(span, "`&` does not belong to the op language", "write `and`"),
        '|' => {
            Mistake::with_help(span, "`|` does not belong to the op language", "write `or`, or `abs(...)`")
        }
        '{' | '}' => Mistake::with_help(
            span,
            format!("`{first}` does not belong to the op language"),
            "use ( ) or [ ]",
        ),
        _ => Mistake::new(span, format!("`{first}` does not belong to the op language")),
    })
}

fn name(text: &str, at: usize, dotted: bool) -> Checked<Token> {
    let rest = &text[at..];
    let word =
        |rest: &str| rest.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).unwrap_or(rest.len());
    let mut len = word(rest);
    if dotted
        && rest[len..].starts_with('.')
        && rest[len + 1..].starts_with(|c: char| c.is_ascii_alphabetic())
    {
        len += 1 + word(&rest[len + 1..]);
    }
    let span = Span { start: at, end: at + len };
    if len > MAX_NAME {
        return Err(Mistake::new(span, format!("a name has at most {MAX_NAME} characters, this has {len}")));
    }
    let word = &rest[..len];
    let kind = match KEYWORDS.iter().find(|k| **k == word) {
        Some(keyword) => Kind::Sign(keyword),
        None => Kind::Name(word.to_string()),
    };
    Ok(Token { kind, span })
}

/// `0x9e3779b9`.
fn hexadecimal(text: &str, at: usize) -> Checked<Token> {
    let digits = &text[at + 2..];
    let len = digits.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).unwrap_or(digits.len());
    let span = Span { start: at, end: at + 2 + len };
    let value = i64::from_str_radix(&digits[..len], 16).map_err(|_| {
        let message = format!("`{}` is not a whole number of at most 63 bits", &text[at..span.end]);
        Mistake::with_help(span, message, "write digits and the letters a to f after `0x`")
    })?;
    Ok(Token { kind: Kind::Int(value), span })
}

fn number(text: &str, at: usize) -> Checked<Token> {
    if text[at..].starts_with("0x") {
        return hexadecimal(text, at);
    }
    let bytes = text.as_bytes();
    let digits = |mut i: usize| {
        while i < bytes.len() && bytes[i].is_ascii_digit() {
            i += 1;
        }
        i
    };
    let mut end = digits(at);
    let mut real = false;
    // `0..3` is a range, not the number `0.`
    if end < bytes.len() && bytes[end] == b'.' && bytes.get(end + 1) != Some(&b'.') {
        real = true;
        end = digits(end + 1);
    }
    if end < bytes.len() && matches!(bytes[end], b'e' | b'E') {
        let sign = usize::from(matches!(bytes.get(end + 1), Some(b'+' | b'-')));
        if bytes.get(end + 1 + sign).is_some_and(u8::is_ascii_digit) {
            real = true;
            end = digits(end + 1 + sign);
        }
    }
    let span = Span { start: at, end };
    let word = &text[at..end];
    if bytes.get(end).is_some_and(|next| next.is_ascii_alphabetic() || *next == b'_') {
        let help = format!("a product needs a `*`: write `{word} * ...`");
        return Err(Mistake::with_help(span, "a number ends where a name begins", help));
    }
    if real {
        let value: f64 = word.parse().map_err(|_| Mistake::new(span, format!("`{word}` is not a number")))?;
        if value.is_infinite() {
            let message = format!("`{word}` is larger than any number of f64");
            return Err(Mistake::with_help(span, message, "write `inf`, or at most 1.7e308"));
        }
        return Ok(Token { kind: Kind::Real(value), span });
    }
    let value: i64 = word.parse().map_err(|_| {
        Mistake::with_help(span, "this whole number does not fit 64 bits", "write it as a real: add `.0`")
    })?;
    Ok(Token { kind: Kind::Int(value), span })
}
