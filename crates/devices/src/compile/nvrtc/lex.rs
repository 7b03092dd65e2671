//! C++ text cut into tokens, as far as finding its declarations needs it: words, marks, preprocessor lines. It never
//! fails: what is not closed ends with the text.

use std::ops::Range;

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// An identifier or a keyword.
    Word,
    /// One byte of punctuation.
    Mark(u8),
    /// A number, a string or a character.
    Value,
}

/// A token and where it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Token {
    /// What it is.
    pub kind: Kind,
    /// Its bytes in the text.
    pub at: Range<usize>,
}

/// A text cut up.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cut {
    /// Tokens outside comments and preprocessor lines.
    pub tokens: Vec<Token>,
    /// Preprocessor lines, continued lines included.
    pub directives: Vec<Range<usize>>,
}

/// Cuts a text.
pub fn cut(text: &str) -> Cut {
    let mut lexer = Lexer { text: text.as_bytes(), at: 0, out: Cut::default(), fresh: true };
    while lexer.at < lexer.text.len() {
        lexer.step();
    }
    lexer.out
}

/// The words of a part of a text.
pub fn words(text: &str) -> Vec<&str> {
    let tokens = cut(text).tokens.into_iter().filter(|t| t.kind == Kind::Word);
    tokens.map(|t| &text[t.at]).collect()
}

/// The words of a text, those of its preprocessor lines too.
pub fn all_words(text: &str) -> Vec<&str> {
    let lines = cut(text).directives.into_iter().map(|d| text[d].trim_start_matches('#'));
    words(text).into_iter().chain(lines.flat_map(words)).collect()
}

struct Lexer<'a> {
    text: &'a [u8],
    at: usize,
    out: Cut,
    /// Nothing but spaces stood in this line so far.
    fresh: bool,
}

fn in_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80
}

impl Lexer<'_> {
    fn begins(&self, what: &[u8]) -> bool {
        self.text[self.at..].starts_with(what)
    }

    fn step(&mut self) {
        let byte = self.text[self.at];
        match byte {
            b'\n' => {
                self.fresh = true;
                self.at += 1;
            }
            b if b.is_ascii_whitespace() || b == b'\\' => self.at += 1,
            b'/' if self.begins(b"//") => self.line(),
            b'/' if self.begins(b"/*") => self.until(b"*/"),
            b'#' if self.fresh => {
                let start = self.at;
                self.directive();
                self.out.directives.push(start..self.at);
            }
            b'"' | b'\'' => self.quoted(byte),
            b'R' if self.begins(b"R\"") => self.raw(),
            b if b.is_ascii_digit() => self.number(),
            b if in_word(b) => self.word(),
            mark => {
                self.at += 1;
                self.push(Kind::Mark(mark), self.at - 1);
            }
        }
    }

    fn push(&mut self, kind: Kind, start: usize) {
        self.fresh = false;
        self.out.tokens.push(Token { kind, at: start..self.at });
    }

    // To the end of the line, and of those that it goes on in.
    fn line(&mut self) {
        while self.at < self.text.len() && self.text[self.at] != b'\n' {
            self.at += if self.begins(b"\\\n") {
                2
            } else if self.begins(b"\\\r\n") {
                3
            } else {
                1
            };
        }
        self.at = self.at.min(self.text.len());
    }

    // A comment in a directive may go on over lines, and a comment at its end is not part of it.
    fn directive(&mut self) {
        while self.at < self.text.len() && self.text[self.at] != b'\n' {
            if self.begins(b"/*") {
                self.until(b"*/");
            } else if self.begins(b"//") {
                self.line();
            } else {
                self.at += if self.begins(b"\\\n") {
                    2
                } else if self.begins(b"\\\r\n") {
                    3
                } else {
                    1
                };
            }
        }
        self.at = self.at.min(self.text.len());
    }

    fn until(&mut self, end: &[u8]) {
        let rest = &self.text[self.at + 2..];
        let found = rest.windows(end.len()).position(|w| w == end);
        self.at = found.map_or(self.text.len(), |n| self.at + 2 + n + end.len());
    }

    fn quoted(&mut self, quote: u8) {
        let start = self.at;
        self.at += 1;
        while self.at < self.text.len() && self.text[self.at] != quote && self.text[self.at] != b'\n' {
            self.at += if self.text[self.at] == b'\\' { 2 } else { 1 };
        }
        let closed = self.text.get(self.at) == Some(&quote);
        self.at = (self.at + usize::from(closed)).min(self.text.len());
        self.push(Kind::Value, start);
    }

    fn raw(&mut self) {
        let start = self.at;
        let rest = &self.text[self.at + 2..];
        let open = rest.iter().position(|b| *b == b'(').unwrap_or(rest.len());
        let mut end = vec![b')'];
        end.extend(&rest[..open]);
        end.push(b'"');
        let closed = rest.windows(end.len()).position(|w| w == end);
        self.at = closed.map_or(self.text.len(), |n| self.at + 2 + n + end.len());
        self.push(Kind::Value, start);
    }

    // 1.5e-3f, 0x1p-4, 1'000
    fn number(&mut self) {
        let start = self.at;
        while self.at < self.text.len() {
            let (byte, before) = (self.text[self.at], self.text[self.at.saturating_sub(1)]);
            let sign = matches!(byte, b'+' | b'-') && matches!(before, b'e' | b'E' | b'p' | b'P');
            let hex = self.text[start..].starts_with(b"0x") && matches!(before, b'e' | b'E');
            let apart =
                byte == b'\'' && self.text.get(self.at + 1).is_some_and(|b| b.is_ascii_alphanumeric());
            if !(in_word(byte) || byte == b'.' || (sign && !hex) || apart) {
                break;
            }
            self.at += 1;
        }
        self.push(Kind::Value, start);
    }

    fn word(&mut self) {
        let start = self.at;
        while self.at < self.text.len() && in_word(self.text[self.at]) {
            self.at += 1;
        }
        // prefixes of strings: L"…", u8"…"
        self.push(Kind::Word, start);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_strings_and_directives_are_told_apart() {
        let text =
            "#define A(x) \\\n  {x} // }\nint a = 'x'; /* { */ f(\"}\\\"\", R\"q(})\")q\", 1'000.5e-3f);\n";
        let cut = cut(text);
        assert_eq!(cut.directives.len(), 1);
        assert_eq!(&text[cut.directives[0].clone()], "#define A(x) \\\n  {x} // }");
        assert!(cut.tokens.iter().all(|t| !matches!(t.kind, Kind::Mark(b'{' | b'}'))));
        assert_eq!(words(text), ["int", "a", "f"]);
    }

    #[test]
    fn nothing_that_is_not_closed_is_lost_or_hangs() {
        for text in ["\"", "'", "/*", "R\"(", "#", "#define \\", "\\", "a\"\\", "é", "0x", "R\""] {
            let cut = cut(text);
            assert!(cut.tokens.iter().all(|t| t.at.end <= text.len()), "{text}");
        }
    }
}
