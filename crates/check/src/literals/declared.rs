//! What names stand for in a source: constants, dimensions and scalars under another name, quotients of two.

use super::token::Token;
use super::{Reader, power};

/// Brackets in brackets that are followed: no kernel has more, and a text of nothing else shall not end the run.
const DEEPEST: u8 = 32;

impl Reader {
    /// Notes what names are declared to be: `#define T 16`, `const int T = 4 * 4;`, `let cols = p.D;`.
    pub(super) fn declared(&mut self) {
        let mut changed: Vec<String> = Vec::new();
        for at in 0..self.tokens.len() {
            let (before, after) = (self.mark(at.wrapping_sub(1)), self.mark(at + 1));
            let counts = |mark: &str| ["++", "--"].contains(&mark) || mark.len() > 1 && mark.ends_with('=');
            let compares = ["==", "!=", "<=", ">="].contains(&after);
            let name = self.word(at).to_owned();
            if name.is_empty() {
                continue;
            }
            if counts(after) && !compares || counts(before) && before.len() == 2 && !before.ends_with('=') {
                changed.push(name);
                continue;
            }
            let is_macro = self.word(at.wrapping_sub(1)) == "define";
            let from = if is_macro { at + 1 } else { at + 2 };
            if !is_macro && after != "=" {
                continue;
            }
            if let Some((value, end)) = self.constant(from, 0) {
                if self.ends(end) && !self.constants.contains_key(&name) {
                    self.constants.insert(name, value);
                }
            } else if let Some(share) = self.share(from) {
                self.shares.insert(name, share);
            } else if let Some(of) = self.taken_over(from) {
                self.named.entry(name).or_insert(of);
            } else if !self.params.contains_key(&name) {
                // a variable that is called as a dimension is
                self.named.remove(&name);
            }
        }
        self.constants.retain(|name, _| !changed.contains(name));
        self.named.retain(|name, _| self.params.contains_key(name) || !changed.contains(name));
        self.counters.extend(changed);
    }

    /// Whether an expression may end here.
    fn ends(&self, at: usize) -> bool {
        match self.tokens.get(at) {
            None | Some(Token::End) => true,
            Some(Token::Mark(mark)) => [";", ",", "}", ")"].contains(mark),
            Some(_) => false,
        }
    }

    /// The dimension or scalar that an expression is and nothing more: `(int)s.N`, `params->D`.
    fn taken_over(&self, from: usize) -> Option<String> {
        let mut found = None;
        for at in from..from + 12 {
            match self.tokens.get(at) {
                None | Some(Token::End | Token::Mark(";" | ",")) => break,
                Some(Token::Word(word)) => {
                    let name = self.named.get(word);
                    // a second one makes it something else
                    if name.is_some() && found.is_some() {
                        return None;
                    }
                    found = found.or(name.cloned());
                }
                Some(Token::Mark("(" | ")" | "->" | "<" | ">" | "::" | "{" | "}")) => {}
                Some(_) => return None,
            }
        }
        found
    }

    /// The quotient of two dimensions or scalars that an expression is: `s.C / s.groups`.
    fn share(&self, from: usize) -> Option<(String, String)> {
        let slash = (from + 1..from + 4).find(|at| self.mark(*at) == "/")?;
        let end = (slash + 2..slash + 5).find(|at| self.ends(*at))?;
        let of = |at: usize| self.named.get(self.word(at)).cloned();
        Some((of(slash - 1)?, of(end - 1)?))
    }

    /// The constant expression that begins here and where it ends: operators of at least this rank.
    pub(super) fn constant(&self, at: usize, rank: u8) -> Option<(f64, usize)> {
        self.nested(at, rank, DEEPEST)
    }

    /// The same, in at most so many brackets.
    fn nested(&self, at: usize, rank: u8, depth: u8) -> Option<(f64, usize)> {
        let depth = depth.checked_sub(1)?;
        let (mut value, mut end) = match self.tokens.get(at)? {
            Token::Number(value) => (*value, at + 1),
            Token::Word(word) if !["(", "[", "::", "->"].contains(&self.mark(at + 1)) => {
                (*self.constants.get(word)?, at + 1)
            }
            // a cast, or a conversion
            Token::Word(_) if self.mark(at + 1) == "(" => {
                let (value, end) = self.nested(at + 2, 0, depth)?;
                (self.mark(end) == ")").then_some((value, end + 1))?
            }
            Token::Mark("(") => {
                let (value, end) = self.nested(at + 1, 0, depth)?;
                (self.mark(end) == ")").then_some((value, end + 1))?
            }
            Token::Mark("-") => self.nested(at + 1, 3, depth).map(|(value, end)| (-value, end))?,
            _ => return None,
        };
        loop {
            let operator = self.mark(end);
            let own = match operator {
                "<<" | ">>" => 1,
                "+" | "-" => 2,
                "*" | "/" => 3,
                _ => 0,
            };
            if own <= rank {
                return Some((value, end));
            }
            let Some((right, after)) = self.nested(end + 1, own, depth) else { return Some((value, end)) };
            value = match operator {
                "<<" => value * power(right),
                ">>" => (value / power(right)).floor(),
                "+" => value + right,
                "-" => value - right,
                "*" => value * right,
                _ if value.fract() == 0.0 && right.fract() == 0.0 => (value / right).trunc(),
                _ => value / right,
            };
            end = after;
        }
    }
}
