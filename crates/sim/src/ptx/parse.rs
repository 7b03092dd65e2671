//! The parser of PTX: declarations and functions. Total: every text is parsed or refused with a line.

use super::ast::{Func, Loc, Space, Stmt, Unit};
use super::token::{Fault, Kind, Token, tokens};
use std::collections::HashMap;

pub type Res<T> = Result<T, Fault>;

/// Bytes of PTX at most.
const MOST_TEXT: usize = 64 << 20;
/// Scopes within each other at most.
pub const MOST_DEPTH: usize = 64;

pub struct Parser<'a> {
    tokens: Vec<Token<'a>>,
    at: usize,
    pub unit: Unit,
    pub locs: HashMap<Loc, u32>,
    /// The place of the instructions that follow.
    pub place: u32,
    pub func: Func,
    /// What names mean, the innermost scope last: registers by name or by prefix, variables by number.
    pub names: Vec<Scope>,
}

/// The names that one scope declares.
#[derive(Default)]
pub struct Scope {
    pub id: u32,
    pub regs: HashMap<String, u32>,
    /// `%r<5>`: the first register and how many there are.
    pub ranges: HashMap<String, (u32, u32)>,
    pub vars: HashMap<String, u32>,
}

/// Parses a PTX text.
pub fn parse(text: &str) -> Res<Unit> {
    if text.len() > MOST_TEXT {
        return Err(Fault::new(1, format!("more than {} MiB of PTX", MOST_TEXT >> 20)));
    }
    let mut parser = Parser {
        tokens: tokens(text)?,
        at: 0,
        unit: Unit { locs: vec![Loc::default()], ..Unit::default() },
        locs: HashMap::new(),
        place: 0,
        func: Func::default(),
        names: Vec::new(),
    };
    parser.unit()?;
    Ok(parser.unit)
}

impl<'a> Parser<'a> {
    pub fn kind(&self) -> Kind<'a> {
        self.tokens.get(self.at).map_or(Kind::End, |t| t.kind)
    }

    pub fn ahead(&self, n: usize) -> Kind<'a> {
        self.tokens.get(self.at + n).map_or(Kind::End, |t| t.kind)
    }

    pub fn line(&self) -> u32 {
        self.tokens.get(self.at).or(self.tokens.last()).map_or(1, |t| t.line)
    }

    pub fn next(&mut self) -> Kind<'a> {
        let kind = self.kind();
        self.at += 1;
        kind
    }

    pub fn fail<T>(&self, message: impl Into<String>) -> Res<T> {
        Err(Fault::new(self.line(), message))
    }

    /// The same for what is not simulated.
    pub fn unsupported<T>(&self, message: impl Into<String>) -> Res<T> {
        Err(Fault::unsupported(self.line(), message))
    }

    pub fn eat(&mut self, sign: u8) -> bool {
        let found = self.kind() == Kind::Sign(sign);
        self.at += usize::from(found);
        found
    }

    pub fn expect(&mut self, sign: u8) -> Res<()> {
        if self.eat(sign) {
            return Ok(());
        }
        self.fail(format!("expected `{}`, found {}", sign as char, shown(self.kind())))
    }

    pub fn word(&mut self) -> Res<&'a str> {
        match self.kind() {
            Kind::Word(word) => {
                self.at += 1;
                Ok(word)
            }
            other => self.fail(format!("expected a name, found {}", shown(other))),
        }
    }

    pub fn number(&mut self) -> Res<u64> {
        match self.kind() {
            Kind::Int(value) => {
                self.at += 1;
                Ok(value)
            }
            other => self.fail(format!("expected an integer, found {}", shown(other))),
        }
    }

    pub fn small(&mut self) -> Res<u32> {
        let value = self.number()?;
        u32::try_from(value).or_else(|_| self.fail(format!("{value} is too large")))
    }

    fn unit(&mut self) -> Res<()> {
        loop {
            let line = self.line();
            match self.next() {
                Kind::End => return Ok(()),
                Kind::Word(".version") => {
                    self.next();
                }
                Kind::Word(".target") => {
                    self.word()?;
                    while self.eat(b',') {
                        self.word()?;
                    }
                }
                Kind::Word(".address_size") => {
                    if self.number()? != 64 {
                        return Err(Fault::unsupported(line, "only `.address_size 64` is supported"));
                    }
                }
                Kind::Word(".file") => self.file()?,
                Kind::Word(".loc") => self.loc()?,
                Kind::Word(".section") => self.section()?,
                Kind::Word(".pragma") => {
                    self.next();
                    self.expect(b';')?;
                }
                Kind::Word(".extern" | ".visible" | ".weak" | ".common") => {}
                Kind::Word(".entry") => self.function(true)?,
                Kind::Word(".func") => self.function(false)?,
                Kind::Word(".noreturn") | Kind::Sign(b';') => {}
                Kind::Word(word) => match space(word) {
                    Some(space) => {
                        let var = self.variable(space)?;
                        self.expect(b';')?;
                        self.unit.vars.push(var);
                    }
                    None => return Err(Fault::unsupported(line, format!("`{word}` is not supported here"))),
                },
                other => return Err(Fault::new(line, format!("unexpected {}", shown(other)))),
            }
        }
    }

    fn file(&mut self) -> Res<()> {
        let number = self.small()?;
        let Kind::Text(name) = self.next() else { return self.fail("expected the name of a file") };
        while self.eat(b',') {
            self.number()?;
        }
        self.unit.files.push((number, name.to_owned()));
        Ok(())
    }

    /// `.loc file line column`, with where it was inlined.
    pub fn loc(&mut self) -> Res<()> {
        let (file, line, column) = (self.small()?, self.small()?, self.small()?);
        let mut loc = Loc { file, line, column, inlined: None };
        while self.eat(b',') {
            match self.word()? {
                "function_name" => {
                    self.word()?;
                    if self.eat(b'+') {
                        self.number()?;
                    }
                }
                "inlined_at" => loc.inlined = Some((self.small()?, self.small()?, self.small()?)),
                other => return self.fail(format!("`{other}` is not part of `.loc`")),
            }
        }
        let next = self.unit.locs.len() as u32;
        self.place = *self.locs.entry(loc).or_insert(next);
        if self.place == next {
            self.unit.locs.push(loc);
        }
        Ok(())
    }

    /// Debug information, which nothing here reads.
    fn section(&mut self) -> Res<()> {
        self.word()?;
        self.expect(b'{')?;
        let mut depth = 1;
        while depth > 0 {
            match self.next() {
                Kind::Sign(b'{') => depth += 1,
                Kind::Sign(b'}') => depth -= 1,
                Kind::End => return self.fail("unterminated section"),
                _ => {}
            }
        }
        Ok(())
    }

    fn function(&mut self, entry: bool) -> Res<()> {
        let line = self.line();
        let returns = if entry { Vec::new() } else { self.params()? };
        let name = self.word()?.to_owned();
        let params = self.params()?;
        self.func = Func { name, entry, line, returns, params, scopes: vec![0], ..Func::default() };
        loop {
            match self.kind() {
                Kind::Word(".maxntid") => self.func.maxntid = Some(self.triple()?.iter().product()),
                Kind::Word(".reqntid") => self.func.reqntid = Some(self.triple()?),
                Kind::Word(".noreturn" | ".blocksareclusters") => {
                    self.next();
                }
                Kind::Word(
                    ".minnctapersm" | ".maxnctapersm" | ".maxnreg" | ".abi_preserve" | ".maxclusterrank",
                ) => {
                    self.next();
                    self.number()?;
                }
                Kind::Word(".pragma") => {
                    self.next();
                    self.next();
                    self.expect(b';')?;
                }
                Kind::Word(other) => {
                    return self.unsupported(format!("`{other}` of a function is not supported"));
                }
                _ => break,
            }
        }
        if !self.eat(b';') {
            self.expect(b'{')?;
            self.place = 0;
            self.names = vec![self.outermost()];
            let mut body = Vec::new();
            self.statements(&mut body)?;
            self.func.body = Some(body);
        }
        let func = std::mem::take(&mut self.func);
        self.unit.funcs.push(func);
        Ok(())
    }

    /// Parameters and results are variables of the function: results first.
    fn outermost(&mut self) -> Scope {
        let mut scope = Scope::default();
        let all = self.func.returns.iter().chain(&self.func.params).cloned();
        self.func.vars = all.collect();
        for (i, var) in self.func.vars.iter().enumerate() {
            scope.vars.insert(var.name.clone(), i as u32);
        }
        scope
    }

    /// Opens a scope; the caller closes it by popping.
    pub fn open(&mut self) -> Res<()> {
        if self.names.len() >= MOST_DEPTH {
            return self.fail("scopes too deep");
        }
        let id = self.func.scopes.len() as u32;
        let around = self.names.last().map_or(0, |s| s.id);
        self.func.scopes.push(around);
        self.names.push(Scope { id, ..Scope::default() });
        Ok(())
    }

    fn statements(&mut self, body: &mut Vec<Stmt>) -> Res<()> {
        let mut open = 1;
        while open > 0 {
            match self.kind() {
                Kind::Sign(b'}') => {
                    self.next();
                    open -= 1;
                    self.names.pop();
                }
                Kind::Sign(b'{') => {
                    self.next();
                    self.open()?;
                    open += 1;
                }
                Kind::End => {
                    return self.fail(format!("`{}` is unterminated: close it with `}}`", self.func.name));
                }
                _ => self.statement(body)?,
            }
        }
        Ok(())
    }
}

/// The space that a directive names.
pub fn space(word: &str) -> Option<Space> {
    Some(match word {
        ".global" => Space::Global,
        ".shared" => Space::Shared,
        ".local" => Space::Local,
        ".const" => Space::Const,
        ".param" => Space::Param,
        _ => return None,
    })
}

/// A token in words.
pub fn shown(kind: Kind) -> String {
    match kind {
        Kind::Word(word) => format!("`{word}`"),
        Kind::Int(value) => format!("`{value}`"),
        Kind::Single(_) | Kind::Double(_) => "a float".to_owned(),
        Kind::Text(_) => "a string".to_owned(),
        Kind::Sign(sign) => format!("`{}`", sign as char),
        Kind::End => "the end of the text".to_owned(),
    }
}
