//! Types as a module declares them.

use super::decode::Inst;
use spirv::{Op, StorageClass};

/// A type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Type {
    Void,
    Bool,
    Int {
        width: u32,
        signed: bool,
    },
    Float {
        width: u32,
    },
    Vector {
        elem: u32,
        len: u32,
    },
    Matrix {
        column: u32,
        len: u32,
    },
    /// `len` is the id of a constant.
    Array {
        elem: u32,
        len: u32,
    },
    Open {
        elem: u32,
    },
    Struct {
        members: Vec<u32>,
    },
    Pointer {
        class: StorageClass,
        to: u32,
    },
    Function,
    /// One that the simulator does not have.
    Other(Op),
}

/// The type that an instruction declares; nothing for one that no module may have.
pub fn kind(inst: &Inst) -> Option<Type> {
    Some(match inst.op {
        Op::TypeVoid => Type::Void,
        Op::TypeBool => Type::Bool,
        Op::TypeInt if matches!(inst.arg(0), 8 | 16 | 32 | 64) => {
            Type::Int { width: inst.arg(0), signed: inst.arg(1) != 0 }
        }
        // a third operand names another encoding, such as bfloat16
        Op::TypeFloat if matches!(inst.arg(0), 16 | 32 | 64) && inst.args.len() == 1 => {
            Type::Float { width: inst.arg(0) }
        }
        Op::TypeVector if (2..=16).contains(&inst.arg(1)) => {
            Type::Vector { elem: inst.arg(0), len: inst.arg(1) }
        }
        Op::TypeMatrix if (2..=4).contains(&inst.arg(1)) => {
            Type::Matrix { column: inst.arg(0), len: inst.arg(1) }
        }
        Op::TypeArray => Type::Array { elem: inst.arg(0), len: inst.arg(1) },
        Op::TypeRuntimeArray => Type::Open { elem: inst.arg(0) },
        Op::TypeStruct => Type::Struct { members: inst.args.clone() },
        Op::TypePointer => Type::Pointer { class: StorageClass::from_u32(inst.arg(0))?, to: inst.arg(1) },
        Op::TypeFunction => Type::Function,
        op => Type::Other(op),
    })
}
