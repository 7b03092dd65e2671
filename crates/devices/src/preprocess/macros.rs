//! Macros as C's preprocessor has them, expanded within a line.

use std::collections::{HashMap, HashSet};

use ktwin_num::first_word;

/// How long an expanded line may become.
const LONGEST: usize = 1 << 16;

struct Macro {
    /// The parameters, of one that takes some.
    params: Option<Vec<String>>,
    body: String,
}

/// Macros by their names, and those that were asked for.
pub struct Macros {
    all: HashMap<String, Macro>,
    used: HashSet<String>,
}

impl Macros {
    /// Macros without parameters.
    pub fn of(given: &[(String, String)]) -> Macros {
        let plain = |body: &String| Macro { params: None, body: body.clone() };
        let all = given.iter().map(|(name, body)| (name.clone(), plain(body))).collect();
        Macros { all, used: HashSet::new() }
    }

    /// Whether there is a macro of this name.
    pub fn has(&mut self, name: &str) -> bool {
        self.used.insert(name.to_owned());
        self.all.contains_key(name)
    }

    /// Whether a name was asked for, or expanded.
    pub fn was_used(&self, name: &str) -> bool {
        self.used.contains(name)
    }

    /// Takes in `NAME body` or `NAME(a, b) body`.
    pub fn define(&mut self, text: &str) -> Result<(), String> {
        let end = text.find(|c: char| !is_word(c)).unwrap_or(text.len());
        let (name, rest) = text.split_at(end);
        if name.is_empty() {
            return Err("`#define` names no macro".into());
        }
        let (params, body) = match rest.strip_prefix('(') {
            None => (None, rest),
            Some(rest) => {
                let (inside, body) =
                    rest.split_once(')').ok_or_else(|| format!("the parameters of `{name}` do not end"))?;
                let params = inside.split(',').map(|param| param.trim().to_owned());
                (Some(params.filter(|param| !param.is_empty()).collect()), body)
            }
        };
        self.all.insert(name.to_owned(), Macro { params, body: body.trim().to_owned() });
        Ok(())
    }

    /// Forgets a macro.
    pub fn remove(&mut self, name: &str) {
        self.all.remove(name);
    }

    /// A line with its macros expanded. Comments stay as they are; `within` says whether one is open that ends on
    /// another line.
    pub fn expanded(&mut self, line: &str, within: &mut bool) -> String {
        let (mut out, mut rest) = (String::new(), line);
        loop {
            if *within {
                let Some(end) = rest.find("*/") else { return out + rest };
                out += &rest[..end + 2];
                rest = &rest[end + 2..];
                *within = false;
            }
            let open = rest.find("/*").unwrap_or(rest.len());
            let code = rest.find("//").unwrap_or(rest.len()).min(open);
            out += &self.expand(&rest[..code], &mut Vec::new());
            rest = &rest[code..];
            if code < open || rest.is_empty() {
                return out + rest;
            }
            out += "/*";
            rest = &rest[2..];
            *within = true;
        }
    }

    fn expand(&mut self, text: &str, within: &mut Vec<String>) -> String {
        let (mut out, mut rest) = (String::new(), text);
        while let Some((word, after)) = first_word(rest) {
            rest = after;
            match self.called(word, &mut rest, within) {
                Some(body) if out.len() + body.len() < LONGEST => {
                    within.push(word.to_owned());
                    out += &self.expand(&body, within);
                    within.pop();
                }
                _ => out += word,
            }
        }
        out
    }

    /// The body of a macro with its arguments in place, which are taken off the rest of the line.
    fn called(&mut self, word: &str, rest: &mut &str, within: &mut Vec<String>) -> Option<String> {
        let known = self.all.get(word).filter(|_| !within.iter().any(|name| name == word))?;
        self.used.insert(word.to_owned());
        let body = known.body.clone();
        let Some(params) = known.params.clone() else { return Some(body) };
        let (args, after) = arguments(rest)?;
        *rest = after;
        let args: Vec<String> = args.into_iter().map(|arg| self.expand(arg.trim(), within)).collect();
        let place = |word: &str| params.iter().position(|param| param == word).and_then(|at| args.get(at));
        let (mut out, mut left) = (String::new(), body.as_str());
        while let Some((word, after)) = first_word(left) {
            out += place(word).map_or(word, String::as_str);
            left = after;
        }
        Some(out)
    }
}

/// What stands between parentheses, parted at commas, and what follows.
fn arguments(text: &str) -> Option<(Vec<&str>, &str)> {
    let inside = text.trim_start().strip_prefix('(')?;
    let (mut depth, mut from, mut out) = (0, 0, Vec::new());
    for (at, c) in inside.char_indices() {
        match c {
            ')' | ']' if depth > 0 => depth -= 1,
            ')' => {
                out.push(&inside[from..at]);
                return Some((out, &inside[at + 1..]));
            }
            '(' | '[' => depth += 1,
            ',' if depth == 0 => {
                out.push(&inside[from..at]);
                from = at + 1;
            }
            _ => {}
        }
    }
    None
}

pub fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}
