//! Expressions. Floats carry the greatest magnitude that they can have, so that they stay exact.

use super::Writer;
use super::types::{Kind, Ty};

/// Text of an expression.
pub struct Expr {
    pub text: String,
    /// Greatest magnitude of a float.
    pub bound: f64,
    /// Known when the shader is compiled: overflow there would be an error.
    constant: bool,
}

/// Float variables stay below this.
pub const FLOAT: f64 = 1024.0;
/// Beyond it an expression is brought back.
const EXACT: f64 = 2_097_152.0;

fn value(text: String, bound: f64) -> Expr {
    Expr { text, bound, constant: false }
}

impl Writer {
    /// A value for a variable of the type.
    pub fn assignable(&mut self, ty: Ty, depth: usize) -> String {
        let e = self.expr(ty, depth);
        if ty.kind == Kind::F { self.bounded(ty, e, FLOAT).text } else { e.text }
    }

    /// An expression of the type.
    pub fn expr(&mut self, ty: Ty, depth: usize) -> Expr {
        if depth == 0 || self.rng.once_in(6) {
            return self.leaf(ty);
        }
        if ty.size > 1 && self.rng.once_in(4) {
            return self.compose(ty, depth - 1);
        }
        if ty.size == 1 && ty.kind != Kind::B && self.rng.once_in(5) {
            return self.component(ty, depth - 1);
        }
        if self.rng.once_in(8) {
            return self.select(ty, depth - 1);
        }
        let e = match ty.kind {
            Kind::U | Kind::I => self.integer(ty, depth - 1),
            Kind::F => self.float(ty, depth - 1),
            Kind::B => self.bool(ty, depth - 1),
        };
        if e.bound > EXACT { self.bounded(ty, e, FLOAT) } else { e }
    }

    fn bounded(&mut self, ty: Ty, e: Expr, limit: f64) -> Expr {
        if e.bound <= limit {
            return e;
        }
        let t = ty.name();
        value(format!("clamp({}, {t}(-{limit:.1}), {t}({limit:.1}))", e.text), limit)
    }

    /// A variable or a literal.
    pub fn leaf(&mut self, ty: Ty) -> Expr {
        if !self.rng.once_in(4) {
            return self.known(ty);
        }
        let literal = match ty.kind {
            Kind::U => format!("{}u", self.number()),
            Kind::I => format!("{}i", self.number() as i32),
            Kind::F => format!("{:.1}", self.rng.below(64) as f64 - 32.0),
            Kind::B => (*self.rng.pick(&["true", "false"])).to_string(),
        };
        let text = if ty.size == 1 { literal } else { format!("{}({literal})", ty.name()) };
        Expr { text: format!("({text})"), bound: 32.0, constant: true }
    }

    fn number(&mut self) -> u32 {
        let wide = self.rng.bits() as u32;
        // i32::MIN cannot be written as a literal with its sign.
        (wide >> self.rng.below(32)).min(0x7fff_ffff)
    }

    // Never a constant.
    fn known(&mut self, ty: Ty) -> Expr {
        if let Some(name) = self.scope.some(&mut self.rng, ty) {
            return value(name, FLOAT);
        }
        match (ty.kind, ty.size) {
            (Kind::B, 1) => value("(u > 7u)".to_string(), 0.0),
            (Kind::U, 1) => value("state[1]".to_string(), 0.0),
            (Kind::I, 1) => value("i32(state[2])".to_string(), 0.0),
            (Kind::F, 1) => value("f32(state[3] & 255u)".to_string(), 255.0),
            _ => {
                let scalar = self.known(ty.scalar());
                value(format!("{}({})", ty.name(), scalar.text), scalar.bound)
            }
        }
    }

    // An operand that keeps its operation from being constant.
    fn operand(&mut self, ty: Ty, depth: usize) -> Expr {
        let e = self.expr(ty, depth);
        if e.constant { self.known(ty) } else { e }
    }

    fn compose(&mut self, ty: Ty, depth: usize) -> Expr {
        let parts: Vec<Expr> = if ty.size == 4 && self.rng.once_in(2) {
            vec![self.operand(Ty::new(ty.kind, 2), depth), self.expr(Ty::new(ty.kind, 2), depth)]
        } else {
            (0..ty.size).map(|_| self.operand(ty.scalar(), depth)).collect()
        };
        let bound = parts.iter().fold(0.0, |b: f64, p| b.max(p.bound));
        let texts: Vec<String> = parts.into_iter().map(|p| p.text).collect();
        value(format!("{}({})", ty.name(), texts.join(", ")), bound)
    }

    fn component(&mut self, ty: Ty, depth: usize) -> Expr {
        let size = 2 + self.rng.below(3);
        let v = self.operand(Ty::new(ty.kind, size), depth);
        if self.rng.once_in(3) {
            let at = self.index(size);
            return value(format!("({})[{at}]", v.text), v.bound);
        }
        let c = *self.rng.pick(&["x", "y", "z", "w"][..size]);
        value(format!("({}).{c}", v.text), v.bound)
    }

    /// An index below `n`.
    pub fn index(&mut self, n: usize) -> String {
        let e = self.operand(Ty::U32, 1);
        format!("({}) % {n}u", e.text)
    }

    fn select(&mut self, ty: Ty, depth: usize) -> Expr {
        let (a, b) = (self.operand(ty, depth), self.expr(ty, depth));
        let size = if self.rng.once_in(2) { ty.size } else { 1 };
        let c = self.operand(Ty::new(Kind::B, size), depth);
        value(format!("select({}, {}, {})", a.text, b.text, c.text), a.bound.max(b.bound))
    }

    fn integer(&mut self, ty: Ty, depth: usize) -> Expr {
        let t = ty.name();
        let a = self.operand(ty, depth).text;
        let text = match self.rng.below(16) {
            0..=4 => {
                let op = *self.rng.pick(&["+", "-", "*", "&", "|", "^"]);
                format!("({a} {op} {})", self.expr(ty, depth).text)
            }
            5 => {
                let op = *self.rng.pick(&["<<", ">>"]);
                let by = self.operand(ty.of(Kind::U), depth).text;
                format!("({a} {op} ({by} & {}(31u)))", ty.of(Kind::U).name())
            }
            6 => {
                // A divisor from 1 to 16: neither zero nor the minus one that may overflow.
                let op = *self.rng.pick(&["/", "%"]);
                let by = self.operand(ty, depth).text;
                format!("({a} {op} (({by} & {t}(15)) + {t}(1)))")
            }
            7 => format!("{}({a}, {})", self.rng.pick(&["min", "max"]), self.expr(ty, depth).text),
            8 => {
                let names = ["countOneBits", "reverseBits", "firstLeadingBit", "firstTrailingBit"];
                let more = ["countLeadingZeros", "countTrailingZeros", "abs"];
                let all: Vec<&str> = names.into_iter().chain(more).collect();
                format!("{}({a})", self.rng.pick(&all))
            }
            9 => {
                let (at, n) = (self.rng.below(32), self.rng.below(33));
                format!("extractBits({a}, {at}u, {}u)", n.min(32 - at))
            }
            10 => {
                let (at, n) = (self.rng.below(32), self.rng.below(33));
                format!("insertBits({a}, {}, {at}u, {}u)", self.expr(ty, depth).text, n.min(32 - at))
            }
            11 if ty.size > 1 => format!("{t}(dot({a}, {}))", self.expr(ty, depth).text),
            12 if ty.size == 1 => self.helper_call(ty, depth).unwrap_or(format!("(~{a})")),
            13 => {
                let f = self.operand(ty.of(Kind::F), depth).text;
                match ty.kind {
                    Kind::U => format!("{t}({}({f}))", ty.of(Kind::I).name()),
                    _ => format!("{t}({f})"),
                }
            }
            14 => format!("{t}({})", self.operand(ty.of(Kind::B), depth).text),
            _ => {
                let other = if ty.kind == Kind::U { Kind::I } else { Kind::U };
                let cast = self.rng.pick(&[format!("bitcast<{t}>"), t]).clone();
                format!("{cast}({})", self.operand(ty.of(other), depth).text)
            }
        };
        value(text, 0.0)
    }

    fn float(&mut self, ty: Ty, depth: usize) -> Expr {
        let t = ty.name();
        let a = self.operand(ty, depth);
        match self.rng.below(9) {
            0..=2 => {
                let b = self.expr(ty, depth);
                let op = *self.rng.pick(&["+", "-"]);
                value(format!("({} {op} {})", a.text, b.text), a.bound + b.bound)
            }
            3 => {
                let b = self.expr(ty, depth);
                let (a, b) = (self.bounded(ty, a, 1024.0), self.bounded(ty, b, 1024.0));
                value(format!("({} * {})", a.text, b.text), a.bound * b.bound)
            }
            4 => {
                let f = *self.rng.pick(&["floor", "ceil", "trunc", "round"]);
                let by = *self.rng.pick(&["0.5", "0.25", "0.125"]);
                value(format!("{f}({} * {by})", a.text), a.bound)
            }
            5 => {
                let b = self.expr(ty, depth);
                let f = *self.rng.pick(&["min", "max"]);
                value(format!("{f}({}, {})", a.text, b.text), a.bound.max(b.bound))
            }
            6 => value(format!("{}({})", self.rng.pick(&["abs", "-", "sign"]), a.text), a.bound.max(1.0)),
            7 => {
                let i = self.operand(ty.of(Kind::I), depth).text;
                value(format!("{t}({i} & {}(511))", ty.of(Kind::I).name()), 511.0)
            }
            _ => {
                let (b, c) = (self.expr(ty, depth), self.expr(ty, depth));
                let (a, b) = (self.bounded(ty, a, 512.0), self.bounded(ty, b, 512.0));
                value(format!("fma({}, {}, {})", a.text, b.text, c.text), a.bound * b.bound + c.bound)
            }
        }
    }

    fn bool(&mut self, ty: Ty, depth: usize) -> Expr {
        let text = match self.rng.below(6) {
            0 => format!("(!{})", self.operand(ty, depth).text),
            1 => {
                let op = if ty.size == 1 { *self.rng.pick(&["&&", "||", "&", "|", "!="]) } else { "&" };
                let (a, b) = (self.operand(ty, depth).text, self.operand(ty, depth).text);
                format!("({a} {op} {b})")
            }
            2 if ty.size == 1 => {
                let v = self.operand(Ty::new(Kind::B, 3), depth).text;
                format!("{}({v})", self.rng.pick(&["any", "all"]))
            }
            _ => {
                let kind = *self.rng.pick(&[Kind::U, Kind::I, Kind::F]);
                let op = *self.rng.pick(&["<", "<=", ">", ">=", "==", "!="]);
                let (a, b) = (self.operand(ty.of(kind), depth).text, self.expr(ty.of(kind), depth).text);
                format!("({a} {op} {b})")
            }
        };
        value(text, 0.0)
    }
}
