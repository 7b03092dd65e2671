//! The operations of the language: their names, what they take and what they give. Parser, checker and evaluator share
//! them.

use ktwin_num::Float;

use crate::bits::{self, Bit};
use crate::function::ROWS;
use crate::node::Ty;

/// An operation on numbers or truth values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Func {
    Add,
    Sub,
    Mul,
    Div,
    IntDiv,
    Mod,
    Pow,
    Neg,
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
    And,
    Or,
    Not,
    ToReal,
    ToInt,
    Exp,
    Exp2,
    Expm1,
    Log,
    Log2,
    Log10,
    Log1p,
    Sqrt,
    Rsqrt,
    Cbrt,
    Sin,
    Cos,
    Tan,
    Asin,
    Acos,
    Atan,
    Atan2,
    Sinh,
    Cosh,
    Tanh,
    Asinh,
    Acosh,
    Atanh,
    Erf,
    Sigmoid,
    Floor,
    Ceil,
    Trunc,
    Round,
    Abs,
    Sign,
    Min,
    Max,
    /// A function of integers' bits.
    Bit(Bit),
    /// An integer modulo a power of two.
    Wrap {
        bits: u8,
        signed: bool,
    },
    /// The bits of a real in a format, as an integer.
    BitsOf(Float),
    /// The real that an integer's bits are in a format.
    OfBits(Float),
}

/// What a function takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Takes {
    /// Reals, and gives a real.
    Reals,
    /// Integers or reals, and gives the same.
    Same,
    /// Integers alone.
    Integers,
}

/// A function that is called by name.
pub struct Named {
    pub name: &'static str,
    pub func: Func,
    pub arity: usize,
    pub takes: Takes,
}

const fn real(name: &'static str, func: Func, arity: usize) -> Named {
    Named { name, func, arity, takes: Takes::Reals }
}

const fn same(name: &'static str, func: Func, arity: usize) -> Named {
    Named { name, func, arity, takes: Takes::Same }
}

/// The functions called by name that `function::ROWS` does not have. `min` and `max` take two or more; `clamp`, `int`
/// and `real` are made of others.
const OTHERS: &[Named] = &[
    same("abs", Func::Abs, 1),
    real("atan2", Func::Atan2, 2),
    real("ceil", Func::Ceil, 1),
    real("floor", Func::Floor, 1),
    same("max", Func::Max, 2),
    same("min", Func::Min, 2),
    real("pow", Func::Pow, 2),
    real("round", Func::Round, 1),
    same("sign", Func::Sign, 1),
    real("trunc", Func::Trunc, 1),
];

impl Func {
    /// Every function that is called by name.
    pub fn all() -> impl Iterator<Item = &'static Named> {
        ROWS.iter().map(|row| &row.named).chain(OTHERS).chain(bits::NAMED)
    }

    /// The function of this name.
    pub fn named(name: &str) -> Option<&'static Named> {
        Func::all().find(|n| n.name == name)
    }

    /// The name that it is called by, if it is called by one.
    pub fn name(self) -> Option<&'static str> {
        Func::all().find(|n| n.func == self).map(|n| n.name)
    }

    /// The operation that a sign between two operands stands for.
    pub fn of_sign(sign: &str) -> Option<Func> {
        Some(match sign {
            "+" => Func::Add,
            "-" => Func::Sub,
            "*" => Func::Mul,
            "/" => Func::Div,
            "//" => Func::IntDiv,
            "%" => Func::Mod,
            "^" => Func::Pow,
            "==" => Func::Eq,
            "!=" => Func::Ne,
            "<" => Func::Lt,
            "<=" => Func::Le,
            ">" => Func::Gt,
            ">=" => Func::Ge,
            "and" => Func::And,
            "or" => Func::Or,
            _ => return None,
        })
    }

    /// The sign of an operation that is written between its operands.
    pub fn sign(self) -> Option<&'static str> {
        const SIGNS: &[&str] =
            &["+", "-", "*", "/", "//", "%", "^", "==", "!=", "<", "<=", ">", ">=", "and", "or"];
        SIGNS.iter().copied().find(|s| Func::of_sign(s) == Some(self))
    }

    /// Whether it compares two numbers.
    pub fn compares(self) -> bool {
        matches!(self, Func::Eq | Func::Ne | Func::Lt | Func::Le | Func::Gt | Func::Ge)
    }

    /// Whether its result is rounded: it is more than one of its arguments, a sign or a whole number.
    pub fn rounds(self) -> bool {
        use Func::*;
        !matches!(self, Neg | Abs | Sign | Min | Max | Floor | Ceil | Trunc | Round | ToReal | OfBits(_))
    }

    /// Its result's type, given its arguments'.
    pub fn result(self, args: &[Ty]) -> Ty {
        match self {
            Func::And | Func::Or | Func::Not => Ty::Bool,
            f if f.compares() => Ty::Bool,
            Func::ToInt | Func::IntDiv | Func::Mod => Ty::Int,
            Func::Bit(_) | Func::Wrap { .. } | Func::BitsOf(_) => Ty::Int,
            Func::ToReal | Func::Div | Func::OfBits(_) => Ty::Real,
            _ => args[0],
        }
    }
}
