//! Numbers of a kernel's source, and what it does with them: `D == 1024`, `case 96:`, `N % 48`. What a kernel does at
//! one number it does at no other. Read from the text alone, in every language; what is not understood is any number.

mod atomics;
mod declared;
mod idiom;
mod token;

use std::collections::{HashMap, HashSet};

use crate::contract::{Arg, Field};
use crate::interface::{Interface, Param};
use crate::kernel::Kernel;
use crate::signature;
pub use atomics::atomics;
use idiom::COMPARES;
use token::Token;

/// What a source does with a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Use {
    /// Something is equal to it.
    Equals,
    /// Something is less, or not.
    Bounds(Side),
    /// Something is divided by it, or goes in steps of it.
    Divides,
    /// An array is as long.
    Length,
    /// Something is clamped to it.
    Clamps,
    /// Anything else.
    Other,
}

/// Where what is compared with a number must lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Side {
    /// Above it.
    Above,
    /// At it, or above.
    From,
    /// Below it.
    Below,
    /// At it, or below.
    To,
}

impl Side {
    /// Of what stands before the mark, or after it.
    fn of(mark: &str, before: bool) -> Side {
        match (mark, before) {
            (">", true) | ("<", false) => Side::Above,
            (">=", true) | ("<=", false) => Side::From,
            ("<", true) | (">", false) => Side::Below,
            _ => Side::To,
        }
    }
}

/// A number of a source.
#[derive(Clone, Debug, PartialEq)]
pub struct Literal {
    /// The number.
    pub value: f64,
    /// What is done with it.
    pub used: Use,
    /// What it is done to: the name of a dimension or of a scalar, where that is known.
    pub of: Option<String>,
    /// The statement in which it stands, or the part of a condition.
    pub statement: usize,
}

/// How a source relates two dimensions or scalars.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Relation {
    /// They are the same.
    Same,
    /// The first is larger.
    Larger,
    /// Their product is this.
    Product(f64),
}

/// Two dimensions or scalars that a source compares with each other, or whose product it compares with a number.
#[derive(Clone, Debug, PartialEq)]
pub struct Pair {
    /// The names of both.
    pub names: [String; 2],
    /// What is asked of them.
    pub relation: Relation,
    /// The statement in which they stand.
    pub statement: usize,
}

/// Functions that keep their argument below a number, or above it.
const CLAMPS: [&str; 9] = ["fminf", "fmaxf", "fmin", "fmax", "min", "max", "clamp", "minimum", "maximum"];
/// How many tokens before an argument its call begins at most.
const MOST_BACK: usize = 24;

/// The longest text that is read: finding declarations takes the square of it at worst.
const LONGEST: usize = 256 << 10;

/// The numbers of a kernel's source and its pairs, in its order; none where it is no text, or a very long one.
pub fn of(kernel: &Kernel) -> (Vec<Literal>, Vec<Pair>) {
    let Some(comments) = kernel.source.kind.row().comments else { return Default::default() };
    if kernel.source.bytes.len() > LONGEST {
        return Default::default();
    }
    let mut text = kernel.source.text();
    let decides = kernel.contract.chain.iter().flat_map(|link| &link.repeated.when);
    decides.for_each(|expr| text.push_str(&format!("\nif ({}) {{}}", expr.text)));
    let mut reader = Reader { tokens: token::cut(&text, comments), ..Reader::default() };
    reader.params.extend(parameters(kernel, &text));
    let dims = kernel.op.dims.iter().map(|dim| &dim.name);
    let own: Vec<&String> = dims.chain(kernel.op.scalars.iter().map(|info| &info.name)).collect();
    reader.named.extend(own.iter().map(|name| (name.to_lowercase(), (*name).clone())));
    reader.named.extend(own.iter().map(|name| ((*name).clone(), (*name).clone())));
    reader.named.extend(reader.params.clone());
    let defined = kernel.contract.define.iter();
    let values =
        defined.filter_map(|(name, define)| Some((name.text.clone(), define.value()?.text.parse().ok()?)));
    reader.constants.extend(values);
    reader.declared();
    reader.literals()
}

/// Real numbers that a source writes, each once.
pub fn reals(kernel: &Kernel) -> Vec<f64> {
    let mut all = token::reals(&kernel.source.text());
    all.sort_by(f64::total_cmp);
    all.dedup();
    all
}

/// Numbers that data are compared with or clamped to: real ones, of no size and no scalar.
pub fn marks(kernel: &Kernel) -> Vec<f64> {
    let bounds = |used: Use| matches!(used, Use::Equals | Use::Bounds(_) | Use::Clamps);
    let mut found: Vec<f64> =
        of(kernel).0.iter().filter(|l| bounds(l.used) && l.of.is_none()).map(|l| l.value).collect();
    if !found.is_empty() {
        let reals = reals(kernel);
        found.retain(|value| reals.contains(&value.abs()));
    }
    found.sort_by(f64::total_cmp);
    found.dedup();
    found
}

/// The names that functions have for dimensions and scalars, by their place.
fn parameters(kernel: &Kernel, text: &str) -> Vec<(String, String)> {
    let mut out = Vec::new();
    let all = signature::functions(text, kernel.source.kind);
    for link in &kernel.contract.chain {
        let mut named = all.iter().filter(|f| link.entry.is_empty() || f.entry == link.entry);
        let Some(Interface { params, .. }) = named.next() else { continue };
        for (param, arg) in params.iter().zip(&link.args) {
            let (Param::Values(values), Arg::Fields(fields)) = (param, arg) else { continue };
            let pairs = values.iter().zip(fields);
            out.extend(
                pairs.map(|(value, Field { value: given, .. })| (value.name.clone(), given.text.clone())),
            );
        }
    }
    out
}

/// 2 to this power, as shifts have it.
fn power(exponent: f64) -> f64 {
    (1u64 << exponent.clamp(0.0, 40.0) as u32) as f64
}

#[derive(Default)]
struct Reader {
    tokens: Vec<Token>,
    /// What names stand for: a dimension or a scalar. Those of parameters, which no declaration takes away.
    named: HashMap<String, String>,
    params: HashMap<String, String>,
    /// Names that count.
    counters: HashSet<String>,
    /// The values of names that have one value.
    constants: HashMap<String, f64>,
    /// Names of quotients of two dimensions or scalars.
    shares: HashMap<String, (String, String)>,
}

impl Reader {
    fn mark(&self, at: usize) -> &'static str {
        if let Some(Token::Mark(mark)) = self.tokens.get(at) { mark } else { "" }
    }

    fn word(&self, at: usize) -> &str {
        if let Some(Token::Word(word)) = self.tokens.get(at) { word } else { "" }
    }

    /// All numbers that are used, and all pairs.
    fn literals(&self) -> (Vec<Literal>, Vec<Pair>) {
        let (mut out, mut pairs, mut at, mut statement, mut depth) = (Vec::new(), Vec::new(), 0, 0, 0i64);
        let mut subject = None;
        while at < self.tokens.len() {
            match &self.tokens[at] {
                Token::End if depth <= 0 => statement += 1,
                Token::Mark("(") => depth += 1,
                Token::Mark(")") => depth -= 1,
                Token::Mark("{" | "}" | ";") => {
                    statement += 1;
                    depth = if self.mark(at) == ";" { depth } else { 0 };
                }
                // what goes together ends there
                Token::Mark("||") => statement += 1,
                Token::Mark(_) => pairs.extend(self.pair(at, statement)),
                Token::Word(word) if word == "switch" || word == "match" => {
                    subject = (at + 1..at + 8).find_map(|at| self.named.get(self.word(at)).cloned());
                }
                _ => {}
            }
            match self.begins(at).then(|| self.constant(at, 0)).flatten() {
                Some((value, end)) if value.is_finite() => {
                    let mut say = |value, used, of| out.push(Literal { value, used, of, statement });
                    match self.idiom(value, at) {
                        Some(idiom) => idiom.say(&mut say),
                        None => {
                            let (value, used, of) = self.used(value, at, end, &subject);
                            say(value, used, of);
                        }
                    }
                    at = end;
                }
                _ => at += 1,
            }
        }
        out.extend(self.parted(&out));
        (out, pairs)
    }

    /// Whether a constant may begin here: a minus belongs to a number where nothing stands before it.
    fn begins(&self, at: usize) -> bool {
        self.mark(at) != "(" && (self.mark(at) != "-" || COMPARES.contains(&self.mark(at.wrapping_sub(1))))
    }

    /// What is done with the number that stands between two places, and to what.
    fn used(
        &self,
        value: f64,
        from: usize,
        end: usize,
        subject: &Option<String>,
    ) -> (f64, Use, Option<String>) {
        let (before, after) = (self.mark(from.wrapping_sub(1)), self.mark(end));
        let (left, right) = (|| self.named_before(from.wrapping_sub(2)), || self.named_after(end + 1));
        match (before, after) {
            _ if self.word(from.wrapping_sub(1)) == "case" => (value, Use::Equals, subject.clone()),
            (_, "=>") => (value, Use::Equals, subject.clone()),
            // what binds more tightly comes first
            ("%" | "/" | "//", _) => (value, Use::Divides, left()),
            (">>", _) => (power(value), Use::Divides, left()),
            ("&", "" | ")" | ";" | "==" | "!=") => (value + 1.0, Use::Divides, left()),
            ("==" | "!=", _) => (value, Use::Equals, left()),
            ("-", "," | ")") if self.clamps(from.wrapping_sub(1)) => (-value, Use::Clamps, None),
            ("+" | "-" | "*", _) => (value, Use::Other, None),
            (_, "==" | "!=") => (value, Use::Equals, right()),
            // where a loop that counts ends says little
            ("<" | ">" | "<=" | ">=", _) if self.counters.contains(self.word(from.wrapping_sub(2))) => {
                (value, Use::Length, None)
            }
            ("<" | ">" | "<=" | ">=", _) => (value, Use::Bounds(Side::of(before, true)), left()),
            (_, "<" | ">" | "<=" | ">=") => (value, Use::Bounds(Side::of(after, false)), right()),
            ("+=", _) => (value, Use::Divides, None),
            ("[", "]") => (value, Use::Length, None),
            // PTX compares so: setp.eq.s32 %p1, %r1, 1024;
            ("(" | ",", "," | ")") if self.clamps(from) => (value, Use::Clamps, None),
            (",", ";") if (2..12).any(|back| self.word(from.wrapping_sub(back)) == "setp") => {
                (value, Use::Bounds(Side::From), None)
            }
            _ => (value, Use::Other, None),
        }
    }

    /// Whether an argument of a minimum, a maximum or a clamp begins here.
    fn clamps(&self, at: usize) -> bool {
        let mut depth = 0;
        let open = (1..MOST_BACK).map(|back| at.wrapping_sub(back)).find(|at| {
            depth += i32::from(self.mark(*at) == ")") - i32::from(self.mark(*at) == "(");
            depth < 0
        });
        let called = open.map_or("", |open| self.word(open.wrapping_sub(1)));
        ["(", ","].contains(&self.mark(at.wrapping_sub(1))) && CLAMPS.contains(&called)
    }

    /// What the operand is that ends here: a name, the last of a chain.
    fn named_before(&self, at: usize) -> Option<String> {
        let at = if self.mark(at) == ")" { at.wrapping_sub(1) } else { at };
        self.named.get(self.word(at)).cloned()
    }

    /// What the operand is that begins here.
    fn named_after(&self, mut at: usize) -> Option<String> {
        while !self.word(at).is_empty() && (self.mark(at + 1) == "->" || !self.word(at + 1).is_empty()) {
            at += if self.mark(at + 1) == "->" { 2 } else { 1 };
        }
        self.named.get(self.word(at)).cloned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::languages::SourceKind;
    use crate::source::Source;

    const OPS: &[(&str, &str)] = &[("add", "op add(x[R, D]; s) -> y[R, D]\ny[r, d] = x[r, d] + s\n")];

    fn kernel(kind: SourceKind, text: &str) -> Kernel {
        let toml = "op = 'add'\nargs = ['x', 'y', { R = 'u32' }, { D = 'u32' }, { s = 'f32' }]";
        let kernel = Kernel::of_contract("k", toml, OPS).unwrap();
        let source = Source { kind, path: "k".into(), bytes: text.as_bytes().to_vec() };
        Kernel { source, ..kernel }
    }

    fn found(kind: SourceKind, text: &str) -> Vec<(f64, Use, Option<String>)> {
        of(&kernel(kind, text)).0.into_iter().map(|l| (l.value, l.used, l.of)).collect()
    }

    fn of_dim(value: f64, used: Use, of: &str) -> (f64, Use, Option<String>) {
        (value, used, Some(of.to_owned()))
    }

    #[test]
    fn numbers_are_read_with_what_is_done_with_them() {
        let text = "#define T (4 * 20)\nvoid add(const float *x, float *y, int rows, int cols, float by) {\n\
                    const int n = cols; int i = 0; i++;\n\
                    if (n == 1024 && rows % T == 0 && by != 1.0f || 2 * T <= cols) {}\n\
                    switch (cols) { case 96: break; }\n float sums[512]; int lane = n & 31; }";
        let some: Vec<_> =
            found(SourceKind::C, text).into_iter().filter(|(value, ..)| *value != 0.0).collect();
        let wanted = [
            (80.0, Use::Other, None),
            of_dim(1024.0, Use::Equals, "D"),
            of_dim(80.0, Use::Divides, "R"),
            of_dim(1.0, Use::Equals, "s"),
            of_dim(160.0, Use::Bounds(Side::From), "D"),
            of_dim(96.0, Use::Equals, "D"),
            (512.0, Use::Length, None),
            of_dim(32.0, Use::Divides, "D"),
        ];
        assert_eq!(some, wanted);
    }

    #[test]
    fn conditions_are_read_whole() {
        let all = |text: &str| found(SourceKind::C, text);
        let rest = all("if (D / 192 == 3 && D % 192 == 5) {}");
        for size in [197.0, 581.0] {
            assert!(rest.contains(&of_dim(size, Use::Equals, "D")), "{rest:?}");
        }
        assert!(all("if (s < -3.0f) {}").contains(&of_dim(-3.0, Use::Bounds(Side::Below), "s")));
        assert!(all("if (36 < R) {}").contains(&of_dim(36.0, Use::Bounds(Side::Above), "R")));
        // what is declared here is no dimension, and what counts says little
        assert!(all("int d = i - 1; if (d < 5) {}").contains(&(5.0, Use::Bounds(Side::Below), None)));
        assert!(all("for (int d = 0; d < 5; d++) {}").contains(&(5.0, Use::Length, None)));
        let pairs = of(&kernel(SourceKind::C, "if (R == D && D > 3) {} if (R * p.D == 84) {}")).1;
        let names = ["R".to_owned(), "D".to_owned()];
        let pair = |relation, statement| Pair { names: names.clone(), relation, statement };
        assert_eq!(pairs, [pair(Relation::Same, 0), pair(Relation::Product(84.0), 2)]);
        let larger = of(&kernel(SourceKind::C, "if (D < R) {}")).1;
        assert_eq!(larger, [pair(Relation::Larger, 0)]);
        assert!(all("x = s * (D > 7 ? 1 : 2);").contains(&of_dim(7.0, Use::Bounds(Side::Above), "D")));
        assert!(all("if (R + 2 == D) {}").contains(&(2.0, Use::Other, None)));
    }

    #[test]
    fn brackets_without_end_do_no_harm() {
        for text in ["(", "f(", "-", "x = (", "x = -", "#define A ("] {
            found(SourceKind::C, &text.repeat(4_000));
        }
        assert!(found(SourceKind::C, &"if (D == 7) {}".repeat(20_000)).is_empty());
    }

    #[test]
    fn every_language_has_its_own_way_to_write_them() {
        let has = |kind, text: &str, wanted| {
            let all = found(kind, text);
            assert!(all.contains(&wanted), "{text}: {all:?}");
        };
        has(
            SourceKind::Wgsl,
            "let d = params.D; if (d > 777u) {}",
            of_dim(777.0, Use::Bounds(Side::Above), "D"),
        );
        has(SourceKind::Wgsl, "switch (p.D) { case 64u: {} default: {} }", of_dim(64.0, Use::Equals, "D"));
        has(SourceKind::Rust, "match d { 96 => f(), _ => g() }", of_dim(96.0, Use::Equals, "D"));
        has(SourceKind::Triton, "if D == 48: # 49\n  pass", of_dim(48.0, Use::Equals, "D"));
        has(SourceKind::Ptx, "setp.eq.s32 %p1, %r1, 1000;", (1000.0, Use::Bounds(Side::From), None));
        has(SourceKind::Cuda, "if (s->D >> 5 < 3) {}", of_dim(32.0, Use::Divides, "D"));
        has(SourceKind::Cuda, "if ((s->D & (s->D - 1)) == 0) {}", of_dim(64.0, Use::Equals, "D"));
        has(SourceKind::C, "int each = s->D / s->R; if (each == 12) {}", of_dim(24.0, Use::Equals, "D"));
        has(SourceKind::Wgsl, "if s.D / 4 == 256u {}", of_dim(1024.0, Use::Equals, "D"));
        has(SourceKind::Wgsl, "if s.D / s.R == 4u {}", of_dim(8.0, Use::Equals, "D"));
    }
}
