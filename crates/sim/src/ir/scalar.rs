//! What PTX computes lane by lane beyond the common operations: functions of up to three operands, each a
//! value of one lane. Plain data; `exec/scalar` evaluates them.

/// A format of numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(test, derive(serde::Serialize, serde::Deserialize))]
pub enum Num {
    U8,
    S8,
    U16,
    S16,
    U32,
    S32,
    U64,
    S64,
    F16,
    Bf16,
    Tf32,
    F32,
    F64,
    E4m3,
    E5m2,
}

impl Num {
    pub fn is_float(self) -> bool {
        matches!(self, Num::F16 | Num::Bf16 | Num::Tf32 | Num::F32 | Num::F64 | Num::E4m3 | Num::E5m2)
    }

    pub fn signed(self) -> bool {
        matches!(self, Num::S8 | Num::S16 | Num::S32 | Num::S64)
    }

    pub fn bits(self) -> u32 {
        match self {
            Num::U8 | Num::S8 | Num::E4m3 | Num::E5m2 => 8,
            Num::U16 | Num::S16 | Num::F16 | Num::Bf16 => 16,
            Num::U32 | Num::S32 | Num::F32 | Num::Tf32 => 32,
            Num::U64 | Num::S64 | Num::F64 => 64,
        }
    }
}

/// Which way a result is rounded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(test, derive(serde::Serialize, serde::Deserialize))]
pub enum Round {
    /// To nearest, ties to even.
    #[default]
    Near,
    /// To nearest, ties away from zero.
    Away,
    Zero,
    Down,
    Up,
}

/// How a float operation treats its operands and its result.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(test, derive(serde::Serialize, serde::Deserialize))]
pub struct How {
    pub round: Round,
    /// Subnormal operands and results are zero.
    pub flush: bool,
    /// The result is clamped to 0 ..= 1, or to the range of an integer.
    pub sat: bool,
    /// Negative results and NaN become zero (NaN stays NaN).
    pub relu: bool,
    /// What is too large becomes the largest finite number.
    pub finite: bool,
    /// The result is a whole number.
    pub whole: bool,
}

/// Float operations with a rounding of their own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(test, derive(serde::Serialize, serde::Deserialize))]
pub enum Arith {
    Add,
    Sub,
    Mul,
    Fma,
    Div,
    Sqrt,
    Rcp,
    Neg,
    Abs,
    /// NaN where either is, if the flag is set; else the other operand.
    Min(bool),
    Max(bool),
}

/// Functions that PTX gives an approximation of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(test, derive(serde::Serialize, serde::Deserialize))]
pub enum Approx {
    Ex2,
    Lg2,
    Sin,
    Cos,
    Rcp,
    Rsqrt,
    Sqrt,
    Tanh,
    Div,
    DivFull,
}

/// Comparisons; the unordered ones are also true where either operand is NaN.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(test, derive(serde::Serialize, serde::Deserialize))]
pub enum Cmp {
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
    Equ,
    Neu,
    Ltu,
    Leu,
    Gtu,
    Geu,
    /// Both are numbers.
    Num,
    /// Either is NaN.
    Nan,
}

/// How `prmt` chooses bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(test, derive(serde::Serialize, serde::Deserialize))]
pub enum Permute {
    Index,
    F4e,
    B4e,
    Rc8,
    Ecl,
    Ecr,
    Rc16,
}

/// A function of the values of one lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(test, derive(serde::Serialize, serde::Deserialize))]
pub enum Scalar {
    MulHi(Num),
    /// The whole product of two numbers of half the width.
    MulWide(Num),
    /// Shifts; an amount past the width shifts everything out.
    Shl(u8),
    Shr(Num),
    Sext(u8),
    Zext(u8),
    Bfe(Num),
    /// The field of `a` put into `b` at `c & 255`, `c >> 8` bits long.
    Bfi(bool),
    Permute(Permute),
    Lop3(u8),
    /// The upper or the lower half of a shifted pair `b:a`.
    Funnel {
        right: bool,
        clamp: bool,
    },
    Dot4 {
        a: bool,
        b: bool,
    },
    Dot2 {
        a: bool,
        b: bool,
        high: bool,
    },
    Sad(Num),
    Ones,
    LeadingZeros(u8),
    /// The highest bit that differs from the sign, or the shift that brings it to the top.
    Find(Num, bool),
    Reverse(u8),
    /// What a sum of three carries out of so many bits.
    Carry(u8),
    Borrow(u8),
    /// The byte of an object that a 64-bit address `a` means; `b` is where the object begins.
    Resolve,
    /// Whether address `a` is nearest to the object that begins at `b`, which is far from all others.
    Near,
    /// Whether address `a` lies in the `c` bytes from `b`.
    Within,
    /// Two words make a wide one; the halves of a wide one.
    Join,
    Low,
    High,
    /// A subnormal f32 as a zero.
    Flush,
    Arith(Arith, Num, How),
    /// The same for both halves of a word.
    Pair(Arith, Num, How),
    Compare(Cmp, Num, bool),
    Convert(Num, Num, How),
    /// `a` to the upper half, `b` to the lower.
    ConvertPair(Num, Num, How),
    /// Both halves of `a`, each converted.
    ConvertHalves(Num, Num, How),
    Approx(Approx, bool),
    ApproxHalf(Approx, Num),
    ApproxPair(Approx, Num),
    CopySign(Num),
    Class(Class),
}

/// What `testp` asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(test, derive(serde::Serialize, serde::Deserialize))]
pub enum Class {
    Finite(Num),
    Infinite(Num),
    Number(Num),
    NotANumber(Num),
    Normal(Num),
    Subnormal(Num),
}
