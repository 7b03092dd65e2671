//! Declarations of PTX: variables with their initial values, parameters, registers.

use super::ast::{Base, Init, Space, Type, Var};
use super::parse::{MOST_DEPTH, Parser, Res, shown};
use super::token::{Fault, Kind};

/// Registers of a function at most.
const MOST_REGS: usize = 1 << 18;
/// Bytes of a variable at most.
const MOST_BYTES: u64 = 1 << 28;

impl Parser<'_> {
    /// A variable, after its space.
    pub fn variable(&mut self, space: Space) -> Res<Var> {
        let line = self.line();
        let mut align = 0;
        let mut lanes = 1;
        let ty = loop {
            match self.word()? {
                ".align" => align = self.small()?,
                ".v2" => lanes = 2,
                ".v4" => lanes = 4,
                ".ptr" | ".global" | ".shared" | ".local" | ".const" => {}
                word => match word.strip_prefix('.').and_then(Type::named) {
                    // `.param .u64 .ptr .global .align 4 name`
                    Some(ty) => break ty,
                    None => return self.fail(format!("`{word}` is not a type")),
                },
            }
        };
        while let Kind::Word(word @ (".ptr" | ".global" | ".shared" | ".local" | ".const" | ".align")) =
            self.kind()
        {
            self.next();
            if word == ".align" {
                self.number()?; // of what it points at
            }
        }
        let name = self.word()?.to_owned();
        let mut count: u64 = lanes;
        while self.eat(b'[') {
            let n = if self.kind() == Kind::Sign(b']') { 0 } else { self.number()? };
            self.expect(b']')?;
            count = count.saturating_mul(n);
        }
        let bytes = count.saturating_mul(u64::from(ty.bytes()));
        if bytes > MOST_BYTES {
            return Err(Fault::new(line, format!("`{name}` has {bytes} bytes: the limit is {MOST_BYTES}")));
        }
        let align = if align == 0 { ty.bytes() * lanes as u32 } else { align };
        if !align.is_power_of_two() || align > 1 << 16 {
            return Err(Fault::new(line, format!("`{name}` cannot be aligned to {align} bytes")));
        }
        let init = if self.eat(b'=') { self.initialiser(0)? } else { Vec::new() };
        if init.len() as u64 > count {
            return Err(Fault::new(line, format!("`{name}` has more initial values than elements")));
        }
        Ok(Var { name, space, ty, align, size: bytes as u32, init, line })
    }

    pub fn initialiser(&mut self, depth: usize) -> Res<Vec<Init>> {
        if depth > MOST_DEPTH {
            return self.fail("braces too deep");
        }
        let mut out = Vec::new();
        if self.eat(b'{') {
            while !self.eat(b'}') {
                out.extend(self.initialiser(depth + 1)?);
                if !self.eat(b',') {
                    self.expect(b'}')?;
                    break;
                }
            }
            return Ok(out);
        }
        let minus = self.eat(b'-');
        let sign = |bits: u64| if minus { bits.wrapping_neg() } else { bits };
        Ok(vec![match self.next() {
            Kind::Int(value) => Init::Bits(sign(value)),
            Kind::Single(bits) => Init::Bits(u64::from(bits ^ u32::from(minus) << 31)),
            Kind::Double(bits) => Init::Bits(bits ^ u64::from(minus) << 63),
            Kind::Word("generic") => {
                self.expect(b'(')?;
                let name = self.word()?.to_owned();
                self.expect(b')')?;
                let offset = if self.eat(b'+') { self.number()? as i64 } else { 0 };
                Init::Address(name, offset)
            }
            Kind::Word(name) => {
                let offset = if self.eat(b'+') { self.number()? as i64 } else { 0 };
                Init::Address(name.to_owned(), offset)
            }
            other => return self.fail(format!("unexpected {} in an initial value", shown(other))),
        }])
    }

    pub fn params(&mut self) -> Res<Vec<Var>> {
        let mut out = Vec::new();
        if !self.eat(b'(') {
            return Ok(out);
        }
        while !self.eat(b')') {
            let space = match self.word()? {
                ".param" => Space::Param,
                ".reg" => return self.unsupported("parameters in registers are not supported: use `.param`"),
                other => return self.fail(format!("expected `.param`, found `{other}`")),
            };
            out.push(self.variable(space)?);
            if !self.eat(b',') {
                self.expect(b')')?;
                break;
            }
        }
        Ok(out)
    }

    /// `.reg .f32 %f<21>, %x;`
    pub fn registers(&mut self) -> Res<()> {
        let mut lanes = 1;
        let ty = loop {
            let word = self.word()?;
            match word {
                ".v2" => lanes = 2,
                ".v4" => lanes = 4,
                _ => match word.strip_prefix('.').and_then(Type::named) {
                    Some(ty) => break ty,
                    None => return self.fail(format!("`{word}` is not a type")),
                },
            }
        };
        if lanes != 1 {
            return self.unsupported("vectors of registers are not supported: declare them one by one");
        }
        if ty.bits == 128 {
            return self.unsupported("128-bit registers are not supported");
        }
        loop {
            let name = self.word()?.to_owned();
            let mut count = 1;
            let ranged = self.eat(b'<');
            if ranged {
                count = self.small()?;
                self.expect(b'>')?;
            }
            let first = self.func.regs.len() as u32;
            if self.func.regs.len() + count as usize > MOST_REGS {
                return self.fail(format!("more than {MOST_REGS} registers"));
            }
            let bits = if ty.base == Base::Pred { 1 } else { ty.bits.max(16) };
            self.func.regs.extend((0..count).map(|_| Type { bits, ..ty }));
            if let Some(scope) = self.names.last_mut() {
                if ranged {
                    scope.ranges.insert(name, (first, count));
                } else {
                    scope.regs.insert(name, first);
                }
            }
            if !self.eat(b',') {
                return self.expect(b';');
            }
        }
    }

    pub fn declare(&mut self, space: Space) -> Res<()> {
        let var = self.variable(space)?;
        self.expect(b';')?;
        let number = self.func.vars.len() as u32;
        if let Some(scope) = self.names.last_mut() {
            scope.vars.insert(var.name.clone(), number);
        }
        self.func.vars.push(var);
        Ok(())
    }

    pub fn triple(&mut self) -> Res<[u32; 3]> {
        self.next();
        let mut out = [1; 3];
        for (i, slot) in out.iter_mut().enumerate() {
            if i == 0 || self.eat(b',') {
                *slot = self.small()?.min(1 << 16);
            }
        }
        Ok(out.map(|n| n.min(1024)))
    }
}
