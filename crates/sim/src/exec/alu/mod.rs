//! Arithmetic: how each operation of one, two or three operands runs over rows of lanes.

pub mod bits;
pub mod checked;
pub mod convert;
pub mod float;
pub mod functions;
pub mod kinds;
pub mod lift;
pub mod pick;
pub mod reals;

use super::step::Pair;
use crate::ir::{Bin, Ty, Un};

/// How an operation of two operands is done.
pub fn binary(bin: Bin, ty: Ty) -> Option<Pair> {
    if bin == Bin::PackHalf {
        return Some(convert::pack());
    }
    float::bin(bin, ty)
        .or_else(|| checked::bin(bin, ty))
        .or_else(|| bits::bin(bin, ty))
        .or_else(|| functions::bin(bin, ty))
}

/// How an operation of one operand is done.
pub fn unary(un: Un, ty: Ty) -> Option<Pair> {
    float::un(un, ty)
        .or_else(|| convert::un(un))
        .or_else(|| bits::un(un, ty))
        .or_else(|| functions::un(un, ty))
}
