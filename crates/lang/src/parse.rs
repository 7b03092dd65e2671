//! From tokens to a tree. Recursive descent with a limit on depth, so no input can exhaust the stack.

use ktwin_num::Sorted;

use crate::ast::{DomainDecl, Expr, ExprKind, File, Ident, IndexDecl, Range, ScalarDecl, TensorDecl};
use crate::diagnostic::{Checked, Mistake, Span};
use crate::token::{KEYWORDS, Kind, Token, dotted_tokens, tokens};

/// Deepest nesting of an expression.
pub(crate) const MAX_HEIGHT: u32 = 128;

/// Parses the text of an `.op` file: the op, and after it others that it calls.
pub fn parse(text: &str) -> Checked<Vec<File>> {
    let mut parser = Parser { tokens: tokens(text)?, at: 0, depth: 0 };
    if *parser.peek() == Kind::End {
        let help = "write `op NAME(tensors; scalars) -> outputs`, and a definition of each output";
        return Err(Mistake::with_help(parser.span(), "there is no op here", help));
    }
    let mut ops: Vec<File> = Vec::new();
    while ops.is_empty() || *parser.peek() != Kind::End {
        let op = parser.file()?;
        if ops.iter().any(|o| o.name.name == op.name.name) {
            return Err(Mistake::new(op.name.span, format!("op `{}` is written twice", op.name.name)));
        }
        ops.push(op);
    }
    Ok(ops)
}

/// Parses one expression alone, as contracts write them.
pub fn parse_expression(text: &str) -> Checked<Expr> {
    let mut parser = Parser { tokens: dotted_tokens(text)?, at: 0, depth: 0 };
    let expr = parser.expr()?;
    match parser.peek() {
        Kind::End => Ok(expr),
        _ => Err(parser.unexpected("the end of the expression")),
    }
}

pub(crate) struct Parser {
    tokens: Vec<Token>,
    at: usize,
    pub(crate) depth: u32,
}

/// How a token reads in a message.
fn shown(kind: &Kind) -> String {
    match kind {
        Kind::Name(name) => format!("`{name}`"),
        Kind::Int(value) => format!("`{value}`"),
        Kind::Real(value) => format!("`{value:?}`"),
        Kind::Sign(sign) => format!("`{sign}`"),
        Kind::End => "the end of the text".to_string(),
    }
}

impl Parser {
    pub(crate) fn peek(&self) -> &Kind {
        &self.tokens[self.at].kind
    }

    pub(crate) fn span(&self) -> Span {
        self.tokens[self.at].span
    }

    pub(crate) fn is(&self, sign: &str) -> bool {
        matches!(self.peek(), Kind::Sign(s) if *s == sign)
    }

    pub(crate) fn next(&mut self) -> Token {
        let token = self.tokens[self.at].clone();
        self.at = (self.at + 1).min(self.tokens.len() - 1);
        token
    }

    /// One token back.
    pub(crate) fn back(&mut self) {
        self.at = self.at.saturating_sub(1);
    }

    /// The place of the token before this one.
    pub(crate) fn before(&self) -> Span {
        self.tokens[self.at.saturating_sub(1)].span
    }

    pub(crate) fn take(&mut self, sign: &str) -> bool {
        let found = self.is(sign);
        if found {
            self.next();
        }
        found
    }

    pub(crate) fn expect(&mut self, sign: &str) -> Checked<Span> {
        match self.is(sign) {
            true => Ok(self.next().span),
            false => Err(self.unexpected(&format!("`{sign}`"))),
        }
    }

    pub(crate) fn unexpected(&self, wanted: &str) -> Box<Mistake> {
        let found = shown(self.peek());
        if self.is("=") && (wanted.contains("expression") || wanted.starts_with("a definition")) {
            return Mistake::with_help(self.span(), "`=` defines; it does not compare", "write `==`");
        }
        Mistake::with_help(self.span(), format!("{found} is not expected here"), format!("expected {wanted}"))
    }

    pub(crate) fn ident(&mut self, what: &str) -> Checked<Ident> {
        match self.peek() {
            Kind::Name(name) => {
                let name = name.clone();
                Ok(Ident { name, span: self.next().span })
            }
            Kind::Sign("where") => Err(Mistake::with_help(
                self.span(),
                "`where` comes before the definitions",
                "move it to below the line of `op`",
            )),
            Kind::Sign("if") => Err(Mistake::with_help(
                self.span(),
                "`if` comes before both of its values",
                "write `if condition then value else other`",
            )),
            Kind::Sign(word) if KEYWORDS.contains(word) => Err(Mistake::with_help(
                self.span(),
                format!("`{word}` is a keyword of the op language"),
                "choose another name",
            )),
            _ => Err(self.unexpected(what)),
        }
    }

    /// Items separated by commas, up to and with `close`.
    pub(crate) fn list<T>(
        &mut self,
        close: &str,
        mut item: impl FnMut(&mut Self) -> Checked<T>,
    ) -> Checked<Vec<T>> {
        let mut out = Vec::new();
        while !self.take(close) {
            if !out.is_empty() {
                match self.is(",") {
                    true => self.next(),
                    false => return Err(self.unexpected(&format!("`,` or `{close}`"))),
                };
            }
            out.push(item(self)?);
        }
        Ok(out)
    }

    /// Whether the text or the op ends here.
    pub(crate) fn ends_op(&self) -> bool {
        *self.peek() == Kind::End || self.is("op")
    }

    fn file(&mut self) -> Checked<File> {
        if !self.is("op") {
            return Err(self.unexpected("`op NAME(tensors; scalars) -> outputs`"));
        }
        self.next();
        let name = self.ident("the op's name")?;
        self.expect("(")?;
        let (tensors, scalars) = self.parameters()?;
        self.expect("->")?;
        let outputs = self.outputs()?;
        let constraints = self.constraints()?;
        let (mut definitions, mut calls, mut random) = (Vec::new(), Vec::new(), Vec::new());
        while !self.ends_op()
            && !self.starts_form()
            && !self.starts_line("ties")
            && !self.starts_line("valid")
        {
            match (self.starts_random(), self.starts_call()) {
                (true, _) => random.push(self.random()?),
                (false, true) => calls.push(self.op_call()?),
                (false, false) => definitions.push(self.definition()?),
            }
        }
        let (ties, valid) = self.lines_on_outputs()?;
        let forms = self.forms()?;
        Ok(File {
            name,
            tensors,
            scalars,
            outputs,
            constraints,
            definitions,
            calls,
            random,
            ties,
            valid,
            forms,
        })
    }

    fn parameters(&mut self) -> Checked<(Vec<TensorDecl>, Vec<ScalarDecl>)> {
        let mut tensors = Vec::new();
        while !self.is(")") && !self.is(";") {
            if !tensors.is_empty() && !self.take(",") {
                return Err(self.unexpected("`,`, `;` or `)`"));
            }
            tensors.push(self.tensor(true)?);
        }
        let scalars = match self.take(";") {
            true => self.list(")", Self::scalar)?,
            false => {
                self.expect(")")?;
                Vec::new()
            }
        };
        Ok((tensors, scalars))
    }

    fn tensor(&mut self, input: bool) -> Checked<TensorDecl> {
        let name = self.ident("a tensor, as `x[R, D]`")?;
        if input && !self.is("[") {
            let help = format!("a tensor is `{0}[N]`; a scalar follows `;`", name.name);
            return Err(Mistake::with_help(name.span, format!("`{}` has no dimensions", name.name), help));
        }
        let dims = match self.take("[") {
            true => self.list("]", Self::expr)?,
            false => Vec::new(),
        };
        let (domain, order) = if input { self.values()? } else { (None, None) };
        Ok(TensorDecl { name, dims, domain, order })
    }

    /// What values an input may have, and how they relate to each other.
    fn values(&mut self) -> Checked<(Option<DomainDecl>, Option<Sorted>)> {
        if self.take_word("splits") {
            return Ok((Some(DomainDecl::Splits(self.additive()?)), None));
        }
        let domain = self.domain()?;
        let words = [("rising", Sorted::Rising), ("distinct", Sorted::Distinct)];
        let order = words.into_iter().find(|(word, _)| self.take_word(word));
        Ok((domain, order.map(|(_, order)| order)))
    }

    /// Takes a name that is a word of the language here alone.
    fn take_word(&mut self, word: &str) -> bool {
        let found = matches!(self.peek(), Kind::Name(name) if name == word);
        if found {
            self.next();
        }
        found
    }

    fn domain(&mut self) -> Checked<Option<DomainDecl>> {
        if self.take("in") {
            let lo = self.additive()?;
            self.expect("..")?;
            let hi = self.additive()?;
            return Ok(Some(DomainDecl::Range(Range { lo: Some(lo), hi })));
        }
        for sign in ["<=", ">=", "<", ">"] {
            if self.take(sign) {
                return Ok(Some(DomainDecl::Side(sign, self.additive()?)));
            }
        }
        Ok(None)
    }

    fn scalar(&mut self) -> Checked<ScalarDecl> {
        let name = self.ident("a scalar's name")?;
        if self.is("[") {
            return Err(Mistake::with_help(
                self.span(),
                "a scalar has no dimensions",
                "put tensors before the `;`",
            ));
        }
        let domain = self.domain()?;
        let default = if self.take("=") { Some(self.expr()?) } else { None };
        Ok(ScalarDecl { name, domain, default })
    }

    fn outputs(&mut self) -> Checked<Vec<TensorDecl>> {
        let mut out = vec![self.tensor(false)?];
        while self.take(",") {
            out.push(self.tensor(false)?);
        }
        Ok(out)
    }

    fn constraints(&mut self) -> Checked<Vec<Expr>> {
        let mut out = Vec::new();
        if self.take("where") {
            out.push(self.expr()?);
            while self.take(",") {
                out.push(self.expr()?);
            }
        }
        Ok(out)
    }

    pub(crate) fn definition(&mut self) -> Checked<crate::ast::Definition> {
        let name = self.ident("a definition, as `y[r, d] = ...`")?;
        let indices = match self.take("[") {
            true => self.indices()?,
            false => Vec::new(),
        };
        if self.is("==") {
            return Err(Mistake::with_help(self.span(), "`==` compares; it does not define", "write `=`"));
        }
        self.expect("=")?;
        self.refuse_random(&name.name)?;
        let body = self.expr()?;
        Ok(crate::ast::Definition { name, indices, body })
    }

    pub(crate) fn peek_at(&self, ahead: usize) -> &Kind {
        &self.tokens[(self.at + ahead).min(self.tokens.len() - 1)].kind
    }

    pub(crate) fn index(&mut self) -> Checked<IndexDecl> {
        let name = self.ident("an index")?;
        let range = if self.take("in") { Some(self.range()?) } else { None };
        Ok(IndexDecl { name, range })
    }

    /// Indices up to the bracket's end.
    pub(crate) fn indices(&mut self) -> Checked<Vec<IndexDecl>> {
        distinct(self.list("]", Self::index)?)
    }

    pub(crate) fn range(&mut self) -> Checked<Range> {
        let first = self.additive()?;
        match self.take("..") {
            true => Ok(Range { lo: Some(first), hi: self.additive()? }),
            false => Ok(Range { lo: None, hi: first }),
        }
    }

    /// An expression's node, its height checked.
    pub(crate) fn node(&self, kind: ExprKind, span: Span, children: &[u32]) -> Checked<Expr> {
        let height = 1 + children.iter().max().copied().unwrap_or(0);
        if height > MAX_HEIGHT {
            let message = format!("this expression is longer or deeper than {MAX_HEIGHT} operations");
            return Err(Mistake::with_help(span, message, "give a part of it a definition of its own"));
        }
        Ok(Expr { kind, span, height })
    }

    /// Runs `inner` one level deeper.
    pub(crate) fn deeper<T>(&mut self, inner: impl FnOnce(&mut Self) -> Checked<T>) -> Checked<T> {
        self.depth += 1;
        if self.depth > MAX_HEIGHT {
            let message = format!("this expression is longer or deeper than {MAX_HEIGHT} operations");
            return Err(Mistake::with_help(
                self.span(),
                message,
                "give a part of it a definition of its own",
            ));
        }
        let out = inner(self);
        self.depth -= 1;
        out
    }
}

/// Indices that stand side by side, each of which has a name of its own.
pub(crate) fn distinct(all: Vec<IndexDecl>) -> Checked<Vec<IndexDecl>> {
    let is_again = |at: &usize| all[..*at].iter().any(|other| other.name.name == all[*at].name.name);
    let Some(again) = (1..all.len()).find(is_again) else { return Ok(all) };
    let name = &all[again].name;
    let message = format!("`{}` stands for two indices here", name.name);
    Err(Mistake::with_help(name.span, message, "give the second one a name of its own, as `m in N`"))
}
