//! Statements of PTX: instructions, labels, operands.

use super::ast::{Arg, Instr, RegId, Stmt};
use super::parse::{MOST_DEPTH, Parser, Res, shown, space};
use super::token::Kind;

impl Parser<'_> {
    pub fn statement(&mut self, body: &mut Vec<Stmt>) -> Res<()> {
        let Kind::Word(word) = self.kind() else {
            return match self.kind() {
                Kind::Sign(b';') => {
                    self.next();
                    Ok(())
                }
                Kind::Sign(b'@') => self.instruction(body),
                other => self.fail(format!("unexpected {}", shown(other))),
            };
        };
        match word {
            ".loc" => {
                self.next();
                self.loc()
            }
            ".pragma" => {
                self.next();
                self.next();
                self.expect(b';')
            }
            ".reg" => {
                self.next();
                self.registers()
            }
            ".noreturn" => {
                self.next();
                Ok(())
            }
            _ if self.ahead(1) == Kind::Sign(b':') => self.label(body, word),
            _ => match space(word) {
                Some(space) => {
                    self.next();
                    self.declare(space)
                }
                None if word.starts_with('.') => self.unsupported(format!("`{word}` is not supported here")),
                None => self.instruction(body),
            },
        }
    }

    fn label(&mut self, body: &mut Vec<Stmt>, name: &str) -> Res<()> {
        let scope = self.scope();
        self.next();
        self.next();
        let mut names = Vec::new();
        match self.kind() {
            Kind::Word(".branchtargets") => {
                self.next();
                loop {
                    names.push(self.word()?.to_owned());
                    if !self.eat(b',') {
                        break;
                    }
                }
                self.expect(b';')?;
                body.push(Stmt::Targets(name.to_owned(), names, scope));
            }
            Kind::Word(word @ (".callprototype" | ".calltargets")) => {
                return self.unsupported(format!(
                    "`{word}`: calls through pointers are not supported; call functions by name"
                ));
            }
            _ => body.push(Stmt::Label(name.to_owned(), scope)),
        }
        Ok(())
    }

    fn scope(&self) -> u32 {
        self.names.last().map_or(0, |s| s.id)
    }

    fn register(&self, name: &str) -> Option<RegId> {
        let stem = name.trim_end_matches(|c: char| c.is_ascii_digit());
        let digits = &name[stem.len()..];
        for scope in self.names.iter().rev() {
            if let Some(&reg) = scope.regs.get(name) {
                return Some(reg);
            }
            let number = || digits.parse::<u32>().ok().filter(|n| n.to_string() == digits);
            if let Some(&(first, count)) = scope.ranges.get(stem)
                && let Some(n) = number().filter(|&n| n < count)
            {
                return Some(first + n);
            }
        }
        None
    }

    fn instruction(&mut self, body: &mut Vec<Stmt>) -> Res<()> {
        let line = self.line();
        let mut guard = None;
        if self.eat(b'@') {
            let negated = self.eat(b'!');
            let name = self.word()?;
            match self.register(name) {
                Some(reg) => guard = Some((reg, negated)),
                None => return self.fail(format!("`{name}` is not a declared register")),
            }
        }
        let op: Vec<String> = self.word()?.split('.').map(str::to_owned).collect();
        let mut args = Vec::new();
        while !self.eat(b';') {
            args.push(self.operand(0)?);
            if !self.eat(b',') {
                self.expect(b';')?;
                break;
            }
        }
        body.push(Stmt::Instr(Instr { guard, op, args, line, place: self.place }));
        Ok(())
    }

    fn operand(&mut self, depth: usize) -> Res<Arg> {
        let arg = self.simple(depth)?;
        if self.eat(b'|') {
            return Ok(Arg::Pair(Box::new(arg), Box::new(self.simple(depth)?)));
        }
        if self.kind() == Kind::Sign(b'+') && matches!(arg, Arg::Var(_) | Arg::Name(..)) {
            self.next();
            let offset = self.number()? as i64;
            return Ok(Arg::Addr(Box::new(arg), offset));
        }
        Ok(arg)
    }

    fn list(&mut self, end: u8, depth: usize) -> Res<Arg> {
        let mut out = Vec::new();
        while !self.eat(end) {
            out.push(self.operand(depth + 1)?);
            if !self.eat(b',') {
                self.expect(end)?;
                break;
            }
        }
        Ok(Arg::List(out))
    }

    fn simple(&mut self, depth: usize) -> Res<Arg> {
        if depth > MOST_DEPTH {
            return self.fail("operands too deep");
        }
        Ok(match self.kind() {
            Kind::Word(word) => {
                self.next();
                self.named(word)
            }
            Kind::Int(value) => {
                self.next();
                Arg::Int(value)
            }
            Kind::Single(bits) => {
                self.next();
                Arg::Single(bits)
            }
            Kind::Double(bits) => {
                self.next();
                Arg::Double(bits)
            }
            Kind::Sign(b'-') => {
                self.next();
                match self.simple(depth + 1)? {
                    Arg::Int(value) => Arg::Int(value.wrapping_neg()),
                    Arg::Single(bits) => Arg::Single(bits ^ 1 << 31),
                    Arg::Double(bits) => Arg::Double(bits ^ 1 << 63),
                    _ => return self.fail("`-` goes before a number"),
                }
            }
            Kind::Sign(b'!') => {
                self.next();
                Arg::Not(Box::new(self.simple(depth + 1)?))
            }
            Kind::Sign(b'{') => {
                self.next();
                self.list(b'}', depth)?
            }
            Kind::Sign(b'(') => {
                self.next();
                self.list(b')', depth)?
            }
            Kind::Sign(b'[') => {
                self.next();
                self.address()?
            }
            other => return self.fail(format!("expected an operand, found {}", shown(other))),
        })
    }

    fn named(&self, word: &str) -> Arg {
        if word == "_" {
            return Arg::Discard;
        }
        if let Some(reg) = self.register(word) {
            return Arg::Reg(reg);
        }
        let var = self.names.iter().rev().find_map(|scope| scope.vars.get(word));
        match var {
            Some(&var) => Arg::Var(var),
            None => Arg::Name(word.to_owned(), self.scope()),
        }
    }

    /// `base + offset]`, `base]`, `offset]`.
    fn address(&mut self) -> Res<Arg> {
        let base = match self.kind() {
            Kind::Word(word) => {
                self.next();
                self.named(word)
            }
            Kind::Int(value) => {
                self.next();
                Arg::Int(value)
            }
            other => return self.fail(format!("expected an address, found {}", shown(other))),
        };
        let mut offset = 0i64;
        loop {
            let sign = match self.kind() {
                Kind::Sign(b'+') => 1,
                Kind::Sign(b'-') => -1,
                _ => break,
            };
            self.next();
            let minus = if self.eat(b'-') { -sign } else { sign };
            offset = offset.wrapping_add((self.number()? as i64).wrapping_mul(minus));
        }
        if self.kind() == Kind::Sign(b',') {
            return self.unsupported(
                "addresses such as `[a, {...}]`, of textures, surfaces and tensor maps, are not supported",
            );
        }
        self.expect(b']')?;
        Ok(Arg::Addr(Box::new(base), offset))
    }
}
