//! The declarations of a C++ text: where each begins and ends, what it names and what it is called. It goes by
//! brackets and a few keywords, and knows no types.

use std::collections::HashSet;
use std::ops::Range;

use super::lex::{Cut, Kind, Token};

/// When a declaration stays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stays {
    /// It is the device's, or harmless.
    Always,
    /// If something that stays names it.
    IfNamed,
    /// It is the host's.
    Never,
}

/// A declaration at the level of a namespace.
#[derive(Clone, Debug)]
pub struct Item<'t> {
    /// Its bytes.
    pub at: Range<usize>,
    /// What it declares.
    pub names: Vec<&'t str>,
    /// Every word in it.
    pub words: Vec<&'t str>,
    /// When it stays.
    pub stays: Stays,
    /// Whether it is marked `__global__`.
    pub kernel: bool,
    /// Whether it is marked as the host's alone.
    pub host: bool,
    /// Of a type, its members that are.
    pub members: Vec<Range<usize>>,
}

/// Words that make a declaration the device's.
const DEVICE: &[&str] = &["__global__", "__device__", "__constant__", "__shared__", "__managed__"];
/// Words whose parentheses hold no parameters.
const ATTRIBUTES: &[&str] =
    &["__launch_bounds__", "__align__", "alignas", "__attribute__", "__declspec", "decltype", "noexcept"];
/// Words that open a part of a class.
const ACCESS: &[&str] = &["public", "private", "protected"];
const TYPES: &[&str] = &["struct", "class", "union", "enum"];

/// What macros make, by their names: all that came of a text's `#define`, as lists of words, the name first.
#[derive(Debug, Default)]
pub struct Macros<'t> {
    /// Declarations of the device's.
    makers: HashSet<&'t str>,
    /// Launches of kernels.
    launchers: HashSet<&'t str>,
    /// Instantiations of templates.
    instantiators: HashSet<&'t str>,
}

impl<'t> Macros<'t> {
    /// Of all macros, and those of which something launches a kernel.
    pub fn new(macros: &[Vec<&'t str>], launching: &[&'t str]) -> Macros<'t> {
        let makers = reaching(macros, DEVICE);
        let mut instantiators = &reaching(macros, &["template"]) - &makers;
        instantiators.remove("template");
        Macros {
            instantiators,
            makers: makers.into_iter().filter(|name| !DEVICE.contains(name)).collect(),
            launchers: reaching(macros, launching),
        }
    }

    fn makes(&self, word: &str) -> bool {
        self.makers.contains(word) || self.instantiators.contains(word)
    }
}

/// These words, and the macros that come to one of them.
fn reaching<'t>(macros: &[Vec<&'t str>], words: &[&'t str]) -> HashSet<&'t str> {
    let mut found: HashSet<&str> = words.iter().copied().collect();
    loop {
        let before = found.len();
        let new = macros.iter().filter(|words| words.iter().skip(1).any(|word| found.contains(word)));
        let new: Vec<&str> = new.map(|words| words[0]).collect();
        found.extend(new);
        if found.len() == before {
            return found;
        }
    }
}

/// The declarations of a text. Each call of a macro that makes one is one, also without a `;`.
pub fn items<'t>(text: &'t str, cut: &Cut, macros: &Macros<'t>) -> Vec<Item<'t>> {
    let mut walk = Walk { text, tokens: &cut.tokens, macros, at: 0, found: Vec::new() };
    while walk.at < walk.tokens.len() {
        walk.one();
    }
    walk.found
}

struct Walk<'t, 'c> {
    text: &'t str,
    tokens: &'c [Token],
    macros: &'c Macros<'t>,
    at: usize,
    found: Vec<Item<'t>>,
}

/// What was seen of a declaration outside its brackets.
#[derive(Default)]
struct Seen<'t> {
    words: Vec<&'t str>,
    /// The word before its parameters.
    called: Option<&'t str>,
    /// Words before `=`, `[`, `,` and the end: variables, and names of types.
    variables: Vec<&'t str>,
    /// The name of a type that it defines, and an enum's constants.
    types: Vec<&'t str>,
    assigns: bool,
    body: bool,
    last: Option<&'t str>,
}

impl<'t> Walk<'t, '_> {
    fn word(&self, at: usize) -> &'t str {
        match self.tokens.get(at) {
            Some(token) if token.kind == Kind::Word => &self.text[token.at.clone()],
            _ => "",
        }
    }

    fn mark(&self, at: usize) -> u8 {
        match self.tokens.get(at).map(|t| t.kind) {
            Some(Kind::Mark(mark)) => mark,
            _ => 0,
        }
    }

    /// One declaration, or the bracket of a namespace.
    fn one(&mut self) {
        if matches!(self.mark(self.at), b'}' | b';') {
            self.at += 1;
            return;
        }
        if ACCESS.contains(&self.word(self.at)) && self.mark(self.at + 1) == b':' {
            self.at += 2;
            return;
        }
        if let Some(inside) = self.opens_scope() {
            self.at = inside;
            return;
        }
        let start = self.at;
        let seen = match self.macros.makes(self.word(start)) && self.mark(start + 1) == b'(' {
            true => self.made(),
            false => self.declaration(),
        };
        let end = self.at.max(start + 1).min(self.tokens.len());
        self.at = end;
        let part = &self.tokens[start..end];
        let all = part.iter().filter(|t| t.kind == Kind::Word).map(|t| &self.text[t.at.clone()]);
        let words: Vec<&str> = all.collect();
        let launches = (start..end).any(|i| (i..i + 3).all(|j| self.mark(j) == b'<'))
            || words.iter().any(|word| self.macros.launchers.contains(word));
        self.found.push(Item {
            at: part[0].at.start..part[part.len() - 1].at.end,
            stays: stays(&seen, launches, self.macros),
            kernel: seen.words.contains(&"__global__") && seen.called.is_some(),
            host: is_host(&seen, self.macros),
            members: if seen.types.is_empty() { Vec::new() } else { self.hosts(start, end) },
            names: seen.called.into_iter().chain(seen.types).chain(seen.variables).collect(),
            words,
        });
    }

    /// The members of a type, of types in it too, that are the host's alone.
    fn hosts(&self, start: usize, end: usize) -> Vec<Range<usize>> {
        let Some(opening) = (start..end).find(|at| self.mark(*at) == b'{') else { return Vec::new() };
        let (text, macros) = (self.text, self.macros);
        let mut body = Walk { text, tokens: self.tokens, macros, at: opening, found: Vec::new() };
        body.group();
        let tokens = &self.tokens[opening + 1..(body.at - 1).max(opening + 1)];
        let mut inside = Walk { text, tokens, macros, at: 0, found: Vec::new() };
        while inside.at < tokens.len() {
            inside.one();
        }
        let found = inside.found.into_iter();
        found.flat_map(|m| if m.host { vec![m.at] } else { m.members }).collect()
    }

    // `namespace a::b {`, `extern "C" {`: what is inside stands on its own.
    fn opens_scope(&self) -> Option<usize> {
        let mut at = self.at + usize::from(self.word(self.at) == "inline");
        let value = |at: usize| self.tokens.get(at).is_some_and(|t| t.kind == Kind::Value);
        match self.word(at) {
            "namespace" => {
                at += 1;
                while !self.word(at).is_empty() || self.mark(at) == b':' {
                    at += 1;
                }
            }
            "extern" if value(at + 1) => at += 2,
            _ => return None,
        }
        (self.mark(at) == b'{').then_some(at + 1)
    }

    // `KERNEL(float, add)`, where the macro makes all of it.
    fn made(&mut self) -> Seen<'t> {
        let mut seen = Seen::default();
        self.plain(&mut seen);
        self.parameters(&mut seen);
        match self.mark(self.at) {
            b';' => self.at += 1,
            // it made what comes before a body
            b'{' => drop(self.declaration()),
            _ => {}
        }
        seen
    }

    fn declaration(&mut self) -> Seen<'t> {
        let mut seen = Seen::default();
        while self.at < self.tokens.len() {
            match self.mark(self.at) {
                b';' => {
                    // after parameters stand words such as `const`
                    let named = seen.called.is_none() || seen.words.first() == Some(&"typedef");
                    seen.variables.extend(seen.last.filter(|_| named));
                    self.at += 1;
                    return seen;
                }
                b'}' => return seen,
                b'{' => {
                    let inside = self.at + 1;
                    self.group();
                    if self.ends_after_body(&mut seen, inside) {
                        return seen;
                    }
                }
                b'(' => self.parameters(&mut seen),
                b'[' => {
                    seen.variables.extend(seen.last.take());
                    self.group();
                }
                // operator==, operator,
                b'=' | b',' | b'<' if seen.last == Some("operator") => self.at += 1,
                b'<' if !seen.assigns && seen.last.is_some() => self.angles(),
                b'=' | b',' => {
                    seen.assigns |= self.mark(self.at) == b'=';
                    seen.variables.extend(seen.last.take());
                    self.at += 1;
                }
                _ => self.plain(&mut seen),
            }
        }
        seen
    }

    fn plain(&mut self, seen: &mut Seen<'t>) {
        let word = self.word(self.at);
        if !word.is_empty() {
            seen.words.push(word);
            seen.last = Some(word);
        }
        self.at += 1;
        if word == "template" && self.mark(self.at) == b'<' {
            self.angles();
        }
    }

    // A group of parentheses: parameters, unless a word before it says otherwise.
    fn parameters(&mut self, seen: &mut Seen<'t>) {
        let before = self.called(seen.last);
        let inside = self.at + 1;
        self.group();
        if before.is_some_and(|w| ATTRIBUTES.contains(&w)) {
            seen.last = None;
        } else if seen.called.is_none() {
            seen.called = before;
        }
        // typedef float (*function)(float)
        if seen.words.first() == Some(&"typedef") {
            seen.variables.extend((inside..self.at).map(|i| self.word(i)).filter(|w| !w.is_empty()));
        }
    }

    // The word before the parentheses here, template arguments left out: `run` of `run<float>(`.
    fn called(&self, last: Option<&'t str>) -> Option<&'t str> {
        let mut at = self.at;
        let mut depth = 0usize;
        while at > 0 {
            match self.mark(at - 1) {
                b'>' => depth += 1,
                b'<' => depth = depth.saturating_sub(1),
                b';' | b'{' | b'}' => return last,
                _ => {}
            }
            at -= 1;
            if depth == 0 {
                break;
            }
        }
        let before = at.checked_sub(1).map_or("", |at| self.word(at));
        if at + 1 == self.at || before.is_empty() { last } else { Some(before) }
    }

    // After `{ … }`: an initialiser and a type go on to a `;`, a function has ended.
    fn ends_after_body(&mut self, seen: &mut Seen<'t>, inside: usize) -> bool {
        let defines = seen.words.iter().position(|w| TYPES.contains(w));
        if seen.assigns {
            return false;
        }
        if let (Some(at), None) = (defines, seen.called) {
            if seen.words[at] == "enum" {
                seen.types.extend((inside..self.at).map(|i| self.word(i)).filter(|w| !w.is_empty()));
            }
            let name = seen.words[at + 1..].iter().find(|w| !TYPES.contains(w) && !ATTRIBUTES.contains(w));
            seen.types.extend(name);
            seen.last = None;
            return false;
        }
        if seen.called.is_none() {
            // int n{4};
            return false;
        }
        seen.body = true;
        // a constructor's members: `: a{1}, b{2} {}`
        !matches!(self.mark(self.at), b',' | b'{')
    }

    // Past a bracket and all that it encloses.
    fn group(&mut self) {
        let mut depth = 0usize;
        while self.at < self.tokens.len() {
            match self.mark(self.at) {
                b'(' | b'[' | b'{' => depth += 1,
                b')' | b']' | b'}' => depth = depth.saturating_sub(1),
                _ => {}
            }
            self.at += 1;
            if depth == 0 {
                return;
            }
        }
    }

    // Past the parameters of a template.
    fn angles(&mut self) {
        let mut depth = 0usize;
        while self.at < self.tokens.len() {
            match self.mark(self.at) {
                b'<' => depth += 1,
                b'>' => depth = depth.saturating_sub(1),
                b'(' | b'[' | b'{' => {
                    self.group();
                    continue;
                }
                b';' | b'}' => return,
                _ => {}
            }
            self.at += 1;
            if depth == 0 {
                return;
            }
        }
    }
}

fn is_device(seen: &Seen, macros: &Macros) -> bool {
    seen.words.iter().any(|w| DEVICE.contains(w) || macros.makers.contains(w))
}

// What is computed while compiling is anybody's.
fn is_host(seen: &Seen, macros: &Macros) -> bool {
    let has = |word: &str| seen.words.contains(&word);
    has("__host__") && !has("constexpr") && !is_device(seen, macros)
}

fn stays(seen: &Seen, launches: bool, macros: &Macros) -> Stays {
    let has = |word: &str| seen.words.contains(&word);
    if is_device(seen, macros) {
        return Stays::Always;
    }
    if launches || is_host(seen, macros) || has("operator") || seen.called == Some("main") {
        return Stays::Never;
    }
    let opening = seen.words.first().copied().unwrap_or("");
    if opening == "namespace" || opening == "static_assert" || (opening == "using" && has("namespace")) {
        return Stays::Always;
    }
    // of the device's templates, an instantiation says so
    if macros.instantiators.contains(opening) {
        return Stays::Never;
    }
    // a macro on a line of its own: NAME(…) or NAME(…);
    if seen.words.len() == 1 && seen.called.is_some() && !seen.body {
        return Stays::Always;
    }
    Stays::IfNamed
}
