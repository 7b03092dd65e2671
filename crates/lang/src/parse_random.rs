//! Parses random variables: `u = random[r, d] in 0.0..1.0`. Part of the parser.

use crate::ast::RandomDecl;
use crate::diagnostic::{Checked, Mistake};
use crate::parse::Parser;
use crate::token::Kind;

/// What a random variable is declared with. No reserved word: it means something only in its place.
pub const WORD: &str = "random";

/// What to write for a random variable that stands in an expression.
pub const HELP: &str = "it stands alone: `u = random[n] in 0.0..1.0`, and is read as `u[n]`";

impl Parser {
    /// Whether a random variable begins here: `u = random[`.
    pub(crate) fn starts_random(&self) -> bool {
        let word = |at: usize| matches!(self.peek_at(at), Kind::Name(name) if name == WORD);
        let sign = |at: usize, wanted: &str| matches!(self.peek_at(at), Kind::Sign(sign) if *sign == wanted);
        matches!(self.peek(), Kind::Name(_)) && sign(1, "=") && word(2) && (sign(3, "[") || sign(3, "in"))
    }

    /// Refuses `u[n] = random[n] in ...`: a random variable has its indices on the right.
    pub(crate) fn refuse_random(&self, name: &str) -> Checked<()> {
        let word = matches!(self.peek(), Kind::Name(word) if word == WORD);
        if !word || !matches!(self.peek_at(1), Kind::Sign("[" | "in")) {
            return Ok(());
        }
        let help = format!("write `{name} = random[n] in 0.0..1.0`, and read it as `{name}[n]`");
        Err(Mistake::with_help(self.span(), "a random variable has its indices on the right", help))
    }

    /// `u = random[r, d] in 0.0..1.0`.
    pub(crate) fn random(&mut self) -> Checked<RandomDecl> {
        let name = self.ident("a random variable's name")?;
        self.expect("=")?;
        self.ident("`random`")?;
        let indices = if self.take("[") { self.indices()? } else { Vec::new() };
        if !self.take("in") {
            let help = format!("say in which range: `{} = random[...] in 0.0..1.0`", name.name);
            return Err(Mistake::with_help(self.before(), "a random variable needs a range", help));
        }
        let range = self.range()?;
        if range.lo.is_none() {
            let help = format!("write both ends: `{} = random[...] in 0.0..1.0`", name.name);
            return Err(Mistake::with_help(range.hi.span, "this is not a range", help));
        }
        Ok(RandomDecl { name, indices, range })
    }
}
