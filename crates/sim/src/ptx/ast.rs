//! What the parser makes of PTX: variables, functions, instructions, with names of registers resolved.

/// Where a variable lies, or an access goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Space {
    Generic,
    Global,
    Shared,
    Local,
    Const,
    Param,
}

/// A type of PTX: what the bits are and how many.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Base {
    Bits,
    Unsigned,
    Signed,
    Float,
    /// `bf16`, `tf32`.
    Brain,
    Pred,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Type {
    pub base: Base,
    pub bits: u32,
    /// Two values in one register: `f16x2`, `bf16x2`.
    pub pair: bool,
}

impl Type {
    pub const fn new(base: Base, bits: u32) -> Type {
        Type { base, bits, pair: false }
    }

    /// The type of this name, without its dot.
    pub fn named(name: &str) -> Option<Type> {
        let (base, rest) = match name {
            "pred" => return Some(Type::new(Base::Pred, 1)),
            "f16x2" => return Some(Type { base: Base::Float, bits: 32, pair: true }),
            "bf16x2" => return Some(Type { base: Base::Brain, bits: 32, pair: true }),
            "bf16" => return Some(Type::new(Base::Brain, 16)),
            "tf32" => return Some(Type::new(Base::Brain, 32)),
            _ => match name.split_at_checked(1)? {
                ("b", rest) => (Base::Bits, rest),
                ("u", rest) => (Base::Unsigned, rest),
                ("s", rest) => (Base::Signed, rest),
                ("f", rest) => (Base::Float, rest),
                _ => return None,
            },
        };
        let bits = match rest {
            "8" => 8,
            "16" => 16,
            "32" => 32,
            "64" => 64,
            "128" => 128,
            _ => return None,
        };
        (base != Base::Float || (16..128).contains(&bits)).then_some(Type::new(base, bits))
    }

    pub fn bytes(self) -> u32 {
        self.bits.div_ceil(8)
    }

    pub fn is_float(self) -> bool {
        matches!(self.base, Base::Float | Base::Brain)
    }

    pub fn signed(self) -> bool {
        self.base == Base::Signed
    }
}

/// One value of an initialiser.
#[derive(Clone, Debug, PartialEq)]
pub enum Init {
    Bits(u64),
    /// The address of a variable, plus an offset.
    Address(String, i64),
}

/// A variable, or a parameter.
#[derive(Clone, Debug, PartialEq)]
pub struct Var {
    pub name: String,
    pub space: Space,
    pub ty: Type,
    pub align: u32,
    /// Bytes; 0 where the launch decides.
    pub size: u32,
    pub init: Vec<Init>,
    pub line: u32,
}

/// A register.
pub type RegId = u32;

/// An operand.
#[derive(Clone, Debug, PartialEq)]
pub enum Arg {
    Reg(RegId),
    /// A variable of the function, by its number.
    Var(u32),
    /// Something else with a name, as seen from a scope: a label, a function, a variable, a special register.
    Name(String, u32),
    Int(u64),
    Single(u32),
    Double(u64),
    /// `{a, b}`, or the `(a, b)` of a call.
    List(Vec<Arg>),
    /// `[base + offset]`.
    Addr(Box<Arg>, i64),
    /// `a|b`.
    Pair(Box<Arg>, Box<Arg>),
    /// `!a`.
    Not(Box<Arg>),
    /// `_`.
    Discard,
}

/// One instruction.
#[derive(Clone, Debug, PartialEq)]
pub struct Instr {
    /// The predicate, and whether it is negated.
    pub guard: Option<(RegId, bool)>,
    /// The opcode, cut at its dots.
    pub op: Vec<String>,
    pub args: Vec<Arg>,
    pub line: u32,
    /// The place in the source: an index into [`Unit::places`].
    pub place: u32,
}

impl Instr {
    pub fn name(&self) -> &str {
        self.op.first().map_or("", |s| s)
    }

    /// Whether it has a modifier.
    pub fn has(&self, modifier: &str) -> bool {
        self.op.iter().skip(1).any(|m| m == modifier)
    }

    /// The types among its modifiers.
    pub fn types(&self) -> Vec<Type> {
        self.op.iter().skip(1).filter_map(|m| Type::named(m)).collect()
    }
}

#[derive(Clone, Debug, PartialEq)]
pub enum Stmt {
    Instr(Instr),
    /// A label, by name and scope.
    Label(String, u32),
    /// A table of labels that `brx.idx` jumps by.
    Targets(String, Vec<String>, u32),
}

/// A function or an entry point.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Func {
    pub name: String,
    pub entry: bool,
    pub line: u32,
    pub returns: Vec<Var>,
    pub params: Vec<Var>,
    /// None for a declaration.
    pub body: Option<Vec<Stmt>>,
    pub regs: Vec<Type>,
    /// Variables declared in the body.
    pub vars: Vec<Var>,
    /// The scope around each scope; the first is its own.
    pub scopes: Vec<u32>,
    pub reqntid: Option<[u32; 3]>,
    pub maxntid: Option<u32>,
}

/// Where an instruction comes from in the source: `.loc`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Loc {
    pub file: u32,
    pub line: u32,
    pub column: u32,
    /// Where the function it is from was inlined.
    pub inlined: Option<(u32, u32, u32)>,
}

/// A whole PTX text.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Unit {
    pub vars: Vec<Var>,
    pub funcs: Vec<Func>,
    /// The files that `.loc` names, by number.
    pub files: Vec<(u32, String)>,
    pub locs: Vec<Loc>,
}
