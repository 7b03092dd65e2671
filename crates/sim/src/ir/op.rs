//! What one instruction can do: operations, their types, and what the passes must know of each.

use super::scalar::{Arith, Num, Scalar};
use super::warp::Warp;
use crate::api::counts::OpKind;

/// The type of a value in a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(test, derive(serde::Serialize, serde::Deserialize))]
pub enum Ty {
    Bool,
    I16,
    U16,
    I32,
    U32,
    F16,
    F32,
    I64,
    U64,
    F64,
}

impl Ty {
    /// Whether it lives in the file of 64-bit registers.
    pub fn wide(self) -> bool {
        matches!(self, Ty::I64 | Ty::U64 | Ty::F64)
    }

    pub fn is_float(self) -> bool {
        matches!(self, Ty::F16 | Ty::F32 | Ty::F64)
    }

    /// Width in bits, for shifts.
    pub fn bits(self) -> u32 {
        match self {
            Ty::Bool => 1,
            Ty::I16 | Ty::U16 | Ty::F16 => 16,
            Ty::I32 | Ty::U32 | Ty::F32 => 32,
            Ty::I64 | Ty::U64 | Ty::F64 => 64,
        }
    }
}

/// Operations of two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(test, derive(serde::Serialize, serde::Deserialize))]
pub enum Bin {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
    Min,
    Max,
    And,
    Or,
    Xor,
    Shl,
    Shr,
    /// OpenCL's `mul24`: a product of operands of 24 bits.
    Mul24,
    /// Shifts by a constant that is known to be in range.
    ShlFixed,
    ShrFixed,
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
    Pow,
    Atan2,
    Ldexp,
    DotI8,
    DotU8,
    PackHalf,
}

/// Operations of one operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(test, derive(serde::Serialize, serde::Deserialize))]
pub enum Un {
    Neg,
    Not,
    Abs,
    Sign,
    Floor,
    Ceil,
    Round,
    Trunc,
    Fract,
    Sqrt,
    Rsqrt,
    Exp,
    Exp2,
    Log,
    Log2,
    Sin,
    Cos,
    Tan,
    Asin,
    Acos,
    Atan,
    Sinh,
    Cosh,
    Tanh,
    Asinh,
    Acosh,
    Atanh,
    Cbrt,
    Erf,
    Exp10,
    Expm1,
    Log10,
    Log1p,
    FrexpFract,
    FrexpExp,
    Quantize,
    IsNan,
    IsInf,
    CountOnes,
    LeadingZeros,
    TrailingZeros,
    Reverse,
    FirstLeading,
    FirstTrailing,
    UnpackHalfLo,
    UnpackHalfHi,
}

/// How a value lies in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(test, derive(serde::Serialize, serde::Deserialize))]
pub enum Fmt {
    /// 32 bits as they are.
    Word,
    /// 64 bits as they are.
    Wide,
    /// An f16, held in registers as the f32 of the same value.
    Half,
    /// 16 bits, sign-extended.
    Short,
    /// 16 bits, zero-extended.
    UShort,
    /// 8 bits, zero-extended.
    Byte,
}

impl Fmt {
    pub fn bytes(self) -> u32 {
        match self {
            Fmt::Word => 4,
            Fmt::Wide => 8,
            Fmt::Half | Fmt::Short | Fmt::UShort => 2,
            Fmt::Byte => 1,
        }
    }

    pub fn of(ty: Ty) -> Fmt {
        match ty {
            Ty::I64 | Ty::U64 | Ty::F64 => Fmt::Wide,
            Ty::F16 => Fmt::Half,
            Ty::I16 => Fmt::Short,
            Ty::U16 => Fmt::UShort,
            Ty::Bool => Fmt::Byte,
            _ => Fmt::Word,
        }
    }
}

/// Atomic operations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(test, derive(serde::Serialize, serde::Deserialize))]
pub enum AtomicFun {
    Load,
    Store,
    Add,
    Sub,
    And,
    Or,
    Xor,
    Min,
    Max,
    Exchange,
    CompareExchange,
    /// Up to the operand, then back to 0; down from it.
    Increment,
    Decrement,
    /// Counts arrivals at an mbarrier; the last one of a phase begins the next.
    Arrive,
    /// Both halves of a word, or one, as f16 or bf16.
    AddPair(Num),
    AddHalf(Num),
}

/// Values that the machine gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(test, derive(serde::Serialize, serde::Deserialize))]
pub enum Special {
    LocalId(u8),
    GlobalId(u8),
    LocalIndex,
    WorkgroupId(u8),
    NumWorkgroups(u8),
    WorkgroupSize(u8),
    SubgroupSize,
    SubgroupLane,
    SubgroupId,
    NumSubgroups,
}

impl Special {
    /// Whether all lanes of a workgroup see the same.
    pub fn uniform(self) -> bool {
        use Special::{NumSubgroups, NumWorkgroups, SubgroupSize, WorkgroupId, WorkgroupSize};
        matches!(self, WorkgroupId(_) | NumWorkgroups(_) | WorkgroupSize(_) | SubgroupSize | NumSubgroups)
    }
}

/// Reductions and scans over the active lanes of a subgroup.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(test, derive(serde::Serialize, serde::Deserialize))]
pub enum Scan {
    Reduce,
    Inclusive,
    Exclusive,
}

/// How a lane finds the lane that it reads from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(test, derive(serde::Serialize, serde::Deserialize))]
pub enum Gather {
    First,
    Broadcast,
    Shuffle,
    Up,
    Down,
    Xor,
    QuadBroadcast,
    QuadX,
    QuadY,
    QuadDiagonal,
}

/// What an instruction does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(test, derive(serde::Serialize, serde::Deserialize))]
pub enum Op {
    Bin(Bin, Ty),
    Un(Un, Ty),
    /// `src0 * src1 + src2`, rounded once.
    Fma(Ty),
    /// `src0 * src1 + src2`, rounded twice.
    MulAdd(Ty),
    /// `src0 ? src1 : src2`; the flag says that the values are wide.
    Select(bool),
    Move(bool),
    /// Copies a value that is the same for all lanes to every lane.
    Splat(bool),
    Convert(Ty, Ty),
    /// Same bits; between f16 and 16-bit integers.
    Bitcast(Ty, Ty),
    /// Byte address `src0 + src1 * imm`, where `src1 < imm2`; beyond that an address outside everything.
    Index,
    Special(Special),
    /// `dst[..] = mem[src0 + imm ..]`, consecutive elements.
    Load(Fmt),
    /// `mem[src0 + imm ..] = src[1..]`.
    Store(Fmt),
    /// `dst0 = mem[src0 + imm]`, combined with `src1`; compare in `src2`, success in `dst1`.
    Atomic(AtomicFun, Ty),
    /// Bytes bound to a buffer, less `imm`, in elements of `imm2` bytes.
    ArrayLength,
    /// Reports when `src0` differs among the lanes.
    AssertUniform,
    /// Reports when `src0` is not below `imm2`.
    CheckIndex,
    /// Over the lanes of a warp, or of clusters of `imm` of them.
    SubgroupScan(Scan, Bin, Ty),
    SubgroupAll,
    SubgroupAny,
    /// Four words: the mask of the lanes whose `src0` is true.
    SubgroupBallot,
    SubgroupGather(Gather, bool),
    /// A function of one lane's values.
    Scalar(Scalar),
    Warp(Warp),
}

impl Op {
    /// Whether it only computes: no memory, no report, the same result whenever it is run.
    pub fn pure(self) -> bool {
        match self {
            Op::Bin(op, ty) => match op {
                Bin::Div | Bin::Rem => ty.is_float(),
                Bin::Shl | Bin::Shr | Bin::Mul24 => false,
                _ => true,
            },
            Op::Un(..) | Op::Fma(_) | Op::MulAdd(_) | Op::Select(_) | Op::Move(_) | Op::Splat(_) => true,
            Op::Convert(..) | Op::Bitcast(..) | Op::Index | Op::Special(_) | Op::ArrayLength => true,
            Op::Scalar(_) => true,
            _ => false,
        }
    }

    /// The type of the result when it is a float that arithmetic made.
    pub fn float_result(self) -> Option<Ty> {
        match self {
            Op::Bin(Bin::Eq | Bin::Ne | Bin::Lt | Bin::Le | Bin::Gt | Bin::Ge, _) => None,
            Op::Un(Un::IsNan | Un::IsInf | Un::FrexpExp | Un::Neg | Un::Abs, _) => None,
            // bits are no operand that could be finite
            Op::Un(Un::UnpackHalfLo | Un::UnpackHalfHi, _) => None,
            Op::Bin(_, ty) | Op::Un(_, ty) | Op::Fma(ty) | Op::MulAdd(ty) | Op::Convert(_, ty) => {
                ty.is_float().then_some(ty)
            }
            _ => None,
        }
    }

    /// How it is counted.
    pub fn kind(self) -> OpKind {
        match self {
            Op::Bin(Bin::Div | Bin::Rem | Bin::Pow | Bin::Atan2, ty) if ty.is_float() => OpKind::Special,
            Op::Bin(Bin::PackHalf, _) => OpKind::Convert,
            Op::Bin(_, ty) | Op::Fma(ty) | Op::MulAdd(ty) if ty.is_float() => OpKind::Float,
            Op::Bin(..)
            | Op::Fma(_)
            | Op::MulAdd(_)
            | Op::Index
            | Op::ArrayLength
            | Op::AssertUniform
            | Op::CheckIndex => OpKind::Integer,
            Op::Un(op, ty) => op.kind(ty),
            Op::Select(_) | Op::Move(_) | Op::Splat(_) | Op::Special(_) => OpKind::Move,
            Op::Convert(..) | Op::Bitcast(..) => OpKind::Convert,
            Op::Load(_) | Op::Store(_) => OpKind::Memory,
            Op::Atomic(..) => OpKind::Atomic,
            Op::SubgroupScan(..)
            | Op::SubgroupAll
            | Op::SubgroupAny
            | Op::SubgroupBallot
            | Op::SubgroupGather(..) => OpKind::Subgroup,
            Op::Scalar(scalar) => scalar_kind(scalar),
            Op::Warp(_) => OpKind::Subgroup,
        }
    }

    /// Floating-point operations of one lane.
    pub fn flops(self) -> u64 {
        match (self, self.kind()) {
            (Op::Fma(ty) | Op::MulAdd(ty), _) if ty.is_float() => 2,
            (Op::Scalar(Scalar::Arith(Arith::Fma, ..)), _) => 2,
            (Op::Scalar(Scalar::Pair(op, ..)), _) => 2 + 2 * u64::from(op == Arith::Fma),
            (_, OpKind::Float | OpKind::Special) => 1,
            _ => 0,
        }
    }

    /// How many instructions of a real machine it counts as.
    pub fn weight(self) -> u64 {
        match self {
            Op::MulAdd(_) => 2,
            Op::Splat(_) => 0,
            // addresses are only looked up; real instructions put nothing down
            Op::Scalar(Scalar::Resolve | Scalar::Near | Scalar::Within) => 0,
            Op::Warp(Warp::PutDown | Warp::TakeUp) => 0,
            _ => 1,
        }
    }
}

fn scalar_kind(scalar: Scalar) -> OpKind {
    match scalar {
        Scalar::Arith(Arith::Div | Arith::Sqrt | Arith::Rcp, ..) => OpKind::Special,
        Scalar::Arith(..) | Scalar::Pair(..) => OpKind::Float,
        Scalar::Compare(_, num, _) if num.is_float() => OpKind::Float,
        Scalar::Approx(..) | Scalar::ApproxHalf(..) | Scalar::ApproxPair(..) => OpKind::Special,
        Scalar::Convert(..) | Scalar::ConvertPair(..) | Scalar::ConvertHalves(..) => OpKind::Convert,
        Scalar::Sext(_) | Scalar::Zext(_) => OpKind::Convert,
        Scalar::Join | Scalar::Low | Scalar::High => OpKind::Move,
        _ => OpKind::Integer,
    }
}

impl Un {
    fn kind(self, ty: Ty) -> OpKind {
        match self {
            Un::UnpackHalfLo | Un::UnpackHalfHi | Un::Quantize => OpKind::Convert,
            Un::Neg | Un::Abs | Un::Sign | Un::Floor | Un::Ceil | Un::Round | Un::Trunc | Un::Fract
                if ty.is_float() =>
            {
                OpKind::Float
            }
            Un::IsNan | Un::IsInf => OpKind::Float,
            _ if ty.is_float() => OpKind::Special,
            _ => OpKind::Integer,
        }
    }
}
