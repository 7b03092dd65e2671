//! Instructions on constants: what they give, as registers hold it.

use super::types::Scalar;
use ktwin_num::Float;
use spirv::Op;

fn sign(width: u32, bits: u64) -> i64 {
    let up = 64 - width.clamp(1, 64);
    (bits << up) as i64 >> up
}

fn cut(width: u32, bits: u64) -> u64 {
    if width >= 64 { bits } else { bits & ((1 << width) - 1) }
}

/// What an instruction gives for operands that are constant; nothing where it has no defined result or is not one
/// of those that are computed ahead.
pub fn fold(op: Op, to: Scalar, args: &[(Scalar, u64)]) -> Option<u64> {
    let width = to.width();
    match (op, args) {
        (Op::Select, [(_, condition), (_, yes), (_, no)]) => Some(if *condition != 0 { *yes } else { *no }),
        (Op::LogicalNot, [(_, a)]) => Some(u64::from(*a == 0)),
        (Op::UConvert, [(Scalar::Int { .. }, a)]) => Some(cut(width, *a)),
        (Op::SConvert, [(from @ Scalar::Int { .. }, a)]) => Some(cut(width, sign(from.width(), *a) as u64)),
        (Op::FConvert, [(from, a)]) => real(*from, *a).and_then(|v| bits(to, v)),
        (Op::SNegate, [(Scalar::Int { .. }, a)]) => Some(cut(width, a.wrapping_neg())),
        (Op::Not, [(Scalar::Int { .. }, a)]) => Some(cut(width, !a)),
        (_, [(a, x), (b, y)]) => two(op, to, (*a, *x), (*b, *y)),
        _ => None,
    }
}

fn real(from: Scalar, bits: u64) -> Option<f64> {
    match from {
        Scalar::Float { width: 64 } => Some(f64::from_bits(bits)),
        Scalar::Float { .. } => Some(f64::from(f32::from_bits(bits as u32))),
        _ => None,
    }
}

fn bits(to: Scalar, value: f64) -> Option<u64> {
    match to {
        Scalar::Float { width: 64 } => Some(value.to_bits()),
        Scalar::Float { width: 32 } => Some(u64::from((value as f32).to_bits())),
        Scalar::Float { width: 16 } => Some(u64::from((Float::F16.round(value) as f32).to_bits())),
        _ => None,
    }
}

fn two(op: Op, to: Scalar, (a, x): (Scalar, u64), (b, y): (Scalar, u64)) -> Option<u64> {
    let of = a.width();
    match op {
        Op::LogicalAnd => return Some(x & y),
        Op::LogicalOr => return Some(x | y),
        Op::LogicalEqual => return Some(u64::from(x == y)),
        Op::LogicalNotEqual => return Some(u64::from(x != y)),
        _ => {}
    }
    let (Scalar::Int { .. }, Scalar::Int { .. }) = (a, b) else { return None };
    let (s, t) = (sign(of, x), sign(b.width(), y));
    let compared = match op {
        Op::IEqual => x == y,
        Op::INotEqual => x != y,
        Op::ULessThan => x < y,
        Op::ULessThanEqual => x <= y,
        Op::UGreaterThan => x > y,
        Op::UGreaterThanEqual => x >= y,
        Op::SLessThan => s < t,
        Op::SLessThanEqual => s <= t,
        Op::SGreaterThan => s > t,
        Op::SGreaterThanEqual => s >= t,
        _ => return whole(op, to.width(), (x, s), (y, t)),
    };
    Some(u64::from(compared))
}

fn whole(op: Op, width: u32, (x, s): (u64, i64), (y, t): (u64, i64)) -> Option<u64> {
    let shift = u32::try_from(y).ok().filter(|&by| by < width);
    let out = match op {
        Op::IAdd => x.wrapping_add(y),
        Op::ISub => x.wrapping_sub(y),
        Op::IMul => x.wrapping_mul(y),
        Op::UDiv => x.checked_div(y)?,
        Op::UMod => x.checked_rem(y)?,
        Op::SDiv => s.checked_div(t)? as u64,
        Op::SRem => s.checked_rem(t)? as u64,
        Op::SMod => {
            let rest = s.checked_rem(t)?;
            (if rest != 0 && (rest < 0) != (t < 0) { rest + t } else { rest }) as u64
        }
        Op::BitwiseAnd => x & y,
        Op::BitwiseOr => x | y,
        Op::BitwiseXor => x ^ y,
        Op::ShiftLeftLogical => x << shift?,
        Op::ShiftRightLogical => x >> shift?,
        Op::ShiftRightArithmetic => (s >> shift?) as u64,
        _ => return None,
    };
    Some(cut(width, out))
}

#[cfg(test)]
mod tests {
    use super::*;

    const INT: Scalar = Scalar::Int { width: 32, signed: true };
    const BYTE: Scalar = Scalar::Int { width: 8, signed: true };

    fn on(op: Op, to: Scalar, of: Scalar, x: i64, y: i64) -> Option<i64> {
        let arg = |v: i64| (of, cut(of.width(), v as u64));
        fold(op, to, &[arg(x), arg(y)]).map(|bits| sign(to.width(), bits))
    }

    #[test]
    fn integers_wrap_and_divide_as_their_signs_say() {
        assert_eq!(on(Op::IAdd, INT, INT, i64::from(i32::MAX), 1), Some(i64::from(i32::MIN)));
        assert_eq!(on(Op::IMul, BYTE, BYTE, 100, 3), Some(44));
        assert_eq!(on(Op::SDiv, INT, INT, -7, 2), Some(-3));
        assert_eq!((on(Op::SRem, INT, INT, -7, 3), on(Op::SMod, INT, INT, -7, 3)), (Some(-1), Some(2)));
        assert_eq!(on(Op::UDiv, INT, INT, 7, 0), None);
        assert_eq!(on(Op::ShiftRightArithmetic, BYTE, BYTE, -8, 1), Some(-4));
        assert_eq!(on(Op::ShiftLeftLogical, INT, INT, 1, 32), None);
        assert_eq!(fold(Op::SLessThan, Scalar::Bool, &[(BYTE, 0xff), (BYTE, 1)]), Some(1));
        let (double, half) = (Scalar::Float { width: 64 }, Scalar::Float { width: 16 });
        let narrow = fold(Op::FConvert, half, &[(double, 0.1f64.to_bits())]);
        assert_eq!(narrow, Some(u64::from(0.099_975_586f32.to_bits())));
        assert_eq!(fold(Op::SConvert, INT, &[(BYTE, 0xff)]), Some(0xffff_ffff));
    }
}
