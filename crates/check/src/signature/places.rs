//! What stands around a function: the namespaces that it is in, and how many lanes `__launch_bounds__` allows.

use super::text::{closed, split, words};

/// Open brackets that are looked at, at most.
const DEEPEST: usize = 64;

/// Walks a text without comments once, from place to place, and knows which namespaces are open there.
pub struct Spaces<'t> {
    text: &'t str,
    at: usize,
    /// What stands before each bracket that is open.
    open: Vec<&'t str>,
    start: usize,
    quoted: bool,
    escaped: bool,
}

impl<'t> Spaces<'t> {
    /// At the beginning of a text.
    pub fn new(text: &'t str) -> Spaces<'t> {
        Spaces { text, at: 0, open: Vec::new(), start: 0, quoted: false, escaped: false }
    }

    /// The namespaces at a place, none of which lies before the last: `a::b`.
    pub fn at(&mut self, place: usize) -> String {
        let text = self.text;
        for (offset, c) in text.get(self.at..place).unwrap_or_default().char_indices() {
            self.step(self.at + offset, c);
        }
        self.at = self.at.max(place);
        // `namespace a::b`; one without a name needs none
        let named = |head: &&str| Some(head.trim().rsplit_once("namespace")?.1.trim().to_owned());
        let all = self.open.iter().take(DEEPEST).filter_map(named).filter(|name| !name.is_empty());
        all.collect::<Vec<String>>().join("::")
    }

    fn step(&mut self, at: usize, c: char) {
        match c {
            '"' if !self.escaped => self.quoted = !self.quoted,
            '\n' => self.quoted = false,
            _ if self.quoted => {}
            '{' => self.open.push(&self.text[self.start..at]),
            '}' => drop(self.open.pop()),
            _ => {}
        }
        if matches!(c, '{' | '}' | ';') {
            self.start = at + 1;
        }
        self.escaped = c == '\\' && !self.escaped;
    }
}

/// The first number of `__launch_bounds__` in what stands before a function's name, or the word that stands there where
/// the text does not say which number that is.
pub fn bound(head: &str, text: &str) -> String {
    let Some((_, rest)) = head.split_once("launch_bounds") else { return String::new() };
    let Some((_, inside)) = rest.split_once('(') else { return String::new() };
    let first = closed(inside).map(split).and_then(|all| all.first().copied()).unwrap_or_default();
    constant(first, text).unwrap_or_else(|| first.to_owned())
}

/// What `#define NAME 256` or `constexpr int NAME = 256;` says a name is.
fn constant(name: &str, text: &str) -> Option<String> {
    let number = |word: &&str| word.parse::<u32>().is_ok();
    text.lines().rev().find_map(|line| {
        let words = words(line);
        let at = words.iter().position(|word| *word == name).filter(|_| !name.is_empty())?;
        let is_macro = at == 1 && words[0] == "define";
        let is_constant =
            words[..at].iter().any(|word| ["const", "constexpr"].contains(word)) && line.contains('=');
        (is_macro || is_constant)
            .then(|| words.get(at + 1).filter(|word| number(word)))?
            .map(|w| (*w).to_owned())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn namespaces_that_are_open_are_named() {
        let open = "#include \"a.h\"\nnamespace a { struct S { int x; }; namespace b::c {\n\
                    namespace { extern \"C\" {\n";
        let mut spaces = Spaces::new(open);
        assert_eq!(
            (spaces.at(16), spaces.at(38), spaces.at(open.len())),
            ("".into(), "a".into(), "a::b::c".into())
        );
        let text = "namespace a { const char *s = \"{\\\"{\"; int f() { } }\nvoid ";
        assert_eq!(Spaces::new(text).at(text.len()), "");
    }

    #[test]
    fn bounds_are_numbers_or_names() {
        assert_eq!(bound("__global__ __launch_bounds__(128, 2) void", ""), "128");
        assert_eq!(bound("void __launch_bounds__(LANES)", "#define LANES 64\n"), "64");
        let text = "static constexpr int LANES = 96;\nint LANES_2 = 3;\n";
        assert_eq!(bound("void __launch_bounds__( LANES )", text), "96");
        assert_eq!(bound("void __launch_bounds__(B)", text), "B");
        assert_eq!(bound("__global__ void", text), "");
    }
}
