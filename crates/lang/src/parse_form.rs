//! Parses other ways of writing an op's definitions: `also` and `form` after the definitions themselves.

use crate::ast::{FormDecl, TiesDecl, ValidDecl};
use crate::diagnostic::{Checked, Mistake};
use crate::parse::Parser;
use crate::token::Kind;

impl Parser {
    /// Whether a form begins here: `also y` or `form folded: y`. Neither word is kept from being a name.
    pub(crate) fn starts_form(&self) -> bool {
        let name = |ahead: usize| matches!(self.peek_at(ahead), Kind::Name(_));
        match self.peek() {
            Kind::Name(word) if word == "also" => name(1),
            Kind::Name(word) if word == "form" => name(1) && matches!(self.peek_at(2), Kind::Sign(":")),
            _ => false,
        }
    }

    /// Whether a line on an output begins here: `ties y`, `ties any y` or `valid y`, no definition's beginning.
    pub(crate) fn starts_line(&self, begins: &str) -> bool {
        let word = matches!(self.peek(), Kind::Name(word) if word == begins);
        word && matches!(self.peek_at(1), Kind::Name(_))
    }

    /// The lines on outputs, in any order.
    pub(crate) fn lines_on_outputs(&mut self) -> Checked<(Vec<TiesDecl>, Vec<ValidDecl>)> {
        let (mut ties, mut valid) = (Vec::new(), Vec::new());
        loop {
            if self.starts_line("ties") {
                ties.push(self.ties()?);
            } else if self.starts_line("valid") {
                valid.push(self.valid()?);
            } else {
                return Ok((ties, valid));
            }
        }
    }

    /// `valid y[n]: n < count`.
    fn valid(&mut self) -> Checked<ValidDecl> {
        self.ident("`valid`")?;
        let name = self.ident("an output")?;
        let indices = if self.take("[") { self.indices()? } else { Vec::new() };
        if !self.take(":") {
            return Err(self.unexpected("`:` and the condition: `valid y[n]: n < count`"));
        }
        Ok(ValidDecl { name, indices, condition: self.expr()? })
    }

    /// `ties idx[r, k] distinct k: x[r, idx[r, k]]`.
    fn ties(&mut self) -> Checked<TiesDecl> {
        self.ident("`ties`")?;
        let any = matches!(self.peek(), Kind::Name(word) if word == "any")
            && matches!(self.peek_at(1), Kind::Name(_));
        if any {
            self.next();
        }
        let name = self.ident("an output of places")?;
        let indices = if self.take("[") { self.indices()? } else { Vec::new() };
        let distinct = match self.peek() {
            Kind::Name(word) if word == "distinct" => {
                self.next();
                Some(self.ident("the index along which no place comes twice")?)
            }
            _ => None,
        };
        if !self.take(":") {
            return Err(self.unexpected("`:` and what is the same for all that is as good: `ties y: x[y]`"));
        }
        Ok(TiesDecl { name, indices, any, distinct, key: self.expr()? })
    }

    /// Every form to the end of the text. Lines that define other names belong together; a name that is defined once
    /// more begins another form.
    pub(crate) fn forms(&mut self) -> Checked<Vec<FormDecl>> {
        let mut forms: Vec<FormDecl> = Vec::new();
        while !self.ends_op() {
            if !self.starts_form() {
                let help =
                    "put definitions first, then `also NAME[...] = ...` and `form WORD: NAME[...] = ...`";
                return Err(Mistake::with_help(self.span(), "a definition after the first form", help));
            }
            let named = self.ident("`also` or `form`")?.name == "form";
            let name = if named { Some(self.ident("the form's name")?) } else { None };
            if named {
                self.expect(":")?;
            }
            let definition = self.definition()?;
            let of_last = |form: &&mut FormDecl| {
                let same = form.name.as_ref().map(|n| &n.name) == name.as_ref().map(|n| &n.name);
                same && form.definitions.iter().all(|d| d.name.name != definition.name.name)
            };
            match forms.last_mut().filter(of_last) {
                Some(form) => form.definitions.push(definition),
                None => forms.push(FormDecl { name, definitions: vec![definition] }),
            }
        }
        Ok(forms)
    }
}
