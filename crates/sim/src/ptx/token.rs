//! PTX text cut into words, numbers, strings and signs, each with its line.

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Kind<'a> {
    /// A name, a directive (`.reg`) or an opcode with its modifiers (`ld.global.f32`).
    Word(&'a str),
    Int(u64),
    /// `0f…`: the bits of an f32.
    Single(u32),
    /// `0d…`: the bits of an f64.
    Double(u64),
    Text(&'a str),
    Sign(u8),
    End,
}

/// A token and its line, counted from 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Token<'a> {
    pub kind: Kind<'a>,
    pub line: u32,
}

/// What is wrong, and on which line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    pub line: u32,
    pub message: String,
    /// The line of the source that it comes from; 0 where that is not known.
    pub source: u32,
    /// Whether the text may be right, and only has what is not simulated.
    pub unsupported: bool,
}

impl Fault {
    pub fn new(line: u32, message: impl Into<String>) -> Fault {
        Fault { line, message: message.into(), source: 0, unsupported: false }
    }

    /// What is not simulated.
    pub fn unsupported(line: u32, message: impl Into<String>) -> Fault {
        Fault { unsupported: true, ..Fault::new(line, message) }
    }
}

struct Lexer<'a> {
    text: &'a str,
    at: usize,
    line: u32,
}

/// The tokens of a text, with one [`Kind::End`] after the last.
pub fn tokens(text: &str) -> Result<Vec<Token<'_>>, Fault> {
    let mut lexer = Lexer { text, at: 0, line: 1 };
    let mut out = Vec::new();
    loop {
        lexer.skip()?;
        let line = lexer.line;
        let kind = lexer.token()?;
        out.push(Token { kind, line });
        if kind == Kind::End {
            return Ok(out);
        }
    }
}

fn is_word(c: u8) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, b'_' | b'$' | b'%' | b'.')
}

impl<'a> Lexer<'a> {
    fn peek(&self, ahead: usize) -> u8 {
        self.text.as_bytes().get(self.at + ahead).copied().unwrap_or(0)
    }

    /// White space and comments.
    fn skip(&mut self) -> Result<(), Fault> {
        loop {
            match (self.peek(0), self.peek(1)) {
                (b'\n', _) => {
                    self.line += 1;
                    self.at += 1;
                }
                (b' ' | b'\t' | b'\r', _) => self.at += 1,
                (b'/', b'/') => {
                    while self.at < self.text.len() && self.peek(0) != b'\n' {
                        self.at += 1;
                    }
                }
                (b'/', b'*') => {
                    let first = self.line;
                    while (self.peek(0), self.peek(1)) != (b'*', b'/') {
                        if self.at >= self.text.len() {
                            return Err(Fault::new(first, "unterminated comment: close it with `*/`"));
                        }
                        self.line += u32::from(self.peek(0) == b'\n');
                        self.at += 1;
                    }
                    self.at += 2;
                }
                _ => return Ok(()),
            }
        }
    }

    fn token(&mut self) -> Result<Kind<'a>, Fault> {
        if self.at >= self.text.len() {
            return Ok(Kind::End);
        }
        let c = self.peek(0);
        match c {
            b'0'..=b'9' => self.number(),
            b'"' => self.string(),
            c if is_word(c) => {
                let start = self.at;
                self.at += 1;
                loop {
                    // `.reg.b32` is two directives, `ld.b32` one opcode
                    while is_word(self.peek(0)) && !(c == b'.' && self.peek(0) == b'.') {
                        self.at += 1;
                    }
                    // `shared::cluster` is one word; `LABEL:` is not
                    if self.peek(0) == b':' && self.peek(1) == b':' && is_word(self.peek(2)) {
                        self.at += 2;
                    } else {
                        break;
                    }
                }
                Ok(Kind::Word(&self.text[start..self.at]))
            }
            c if c.is_ascii_punctuation() => {
                self.at += 1;
                Ok(Kind::Sign(c))
            }
            _ => {
                let c = self.text.get(self.at..).and_then(|rest| rest.chars().next()).unwrap_or('\u{fffd}');
                Err(Fault::new(self.line, format!("unexpected character {c:?}")))
            }
        }
    }

    fn string(&mut self) -> Result<Kind<'a>, Fault> {
        let start = self.at + 1;
        self.at = start;
        while self.at < self.text.len() && !matches!(self.peek(0), b'"' | b'\n') {
            self.at += if self.peek(0) == b'\\' { 2 } else { 1 };
        }
        if self.peek(0) != b'"' {
            return Err(Fault::new(self.line, "unterminated string: close it with `\"`"));
        }
        let text = self.text.get(start..self.at);
        self.at += 1;
        text.map(Kind::Text).ok_or_else(|| Fault::new(self.line, "a string that is not text"))
    }

    fn number(&mut self) -> Result<Kind<'a>, Fault> {
        let start = self.at;
        while self.peek(0).is_ascii_alphanumeric() || self.peek(0) == b'.' && self.peek(1).is_ascii_digit() {
            self.at += 1;
        }
        let text = &self.text[start..self.at];
        let wrong = || Fault::new(self.line, format!("`{text}` is not a number"));
        let prefix = text.get(..2).unwrap_or("");
        let parsed = match prefix {
            "0f" | "0F" => u32::from_str_radix(&text[2..], 16).ok().map(Kind::Single),
            "0d" | "0D" => u64::from_str_radix(&text[2..], 16).ok().map(Kind::Double),
            _ if text.contains('.') => text.parse().ok().map(|v: f64| Kind::Double(v.to_bits())),
            _ => {
                let plain = text.trim_end_matches('U');
                match prefix {
                    "0x" | "0X" => u64::from_str_radix(plain.get(2..).unwrap_or(""), 16),
                    "0b" | "0B" => u64::from_str_radix(plain.get(2..).unwrap_or(""), 2),
                    _ if plain.len() > 1 && plain.starts_with('0') => u64::from_str_radix(plain, 8),
                    _ => plain.parse(),
                }
                .ok()
                .map(Kind::Int)
            }
        };
        parsed.ok_or_else(wrong)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(text: &str) -> Vec<Kind<'_>> {
        tokens(text).expect("it is cut").into_iter().map(|t| t.kind).collect()
    }

    #[test]
    fn opcodes_are_words_and_labels_are_not() {
        let want = [
            Kind::Word("ld.shared::cta.u32"),
            Kind::Word("%r1"),
            Kind::Sign(b','),
            Kind::Word("$L"),
            Kind::Sign(b':'),
            Kind::End,
        ];
        assert_eq!(kinds("ld.shared::cta.u32 %r1, // no\n /* and\nno */ $L:"), want);
    }

    #[test]
    fn numbers_of_all_kinds() {
        let want = [
            Kind::Int(255),
            Kind::Int(10),
            Kind::Int(8),
            Kind::Single(0x3f80_0000),
            Kind::Double(1.5f64.to_bits()),
            Kind::Int(u64::MAX),
            Kind::End,
        ];
        assert_eq!(kinds("0xFF 10U 010 0f3F800000 1.5 18446744073709551615"), want);
        assert!(tokens("12z").is_err() && tokens("\"abc").is_err() && tokens("/*").is_err());
        assert!(tokens("ü").is_err());
    }
}
