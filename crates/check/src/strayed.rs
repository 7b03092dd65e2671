//! Whether the right numbers went astray: into a type that does not hold them, or to rows that lie as far apart as
//! those of something else.

use ktwin_num::{DType, Float};

use crate::compare::{Expected, Judgement};
use crate::pattern::What;
use crate::trial::Trial;

/// Types that whole numbers are kept in on the way, the widest first.
const KEPT: [DType; 7] = [
    DType::Float(Float::F32),
    DType::Int { bits: 16, signed: false },
    DType::Int { bits: 16, signed: true },
    DType::Float(Float::F16),
    DType::Float(Float::BF16),
    DType::Int { bits: 8, signed: false },
    DType::Int { bits: 8, signed: true },
];

/// How the right numbers of an output went astray, where that explains every element of it.
pub fn strayed(trial: &Trial, number: usize) -> Option<What> {
    kept(&trial.expected[number], &trial.got[number]).or_else(|| rows_apart(trial, number))
}

/// Whole numbers that were kept in a smaller type on the way.
fn kept(expected: &Expected, got: &[f64]) -> Option<What> {
    if !matches!(expected.dtype, DType::Int { .. }) {
        return None;
    }
    let explains =
        |dtype: &&DType| expected.values.iter().zip(got).all(|(due, got)| through(**dtype, *due) == *got);
    // zero is what many types make of a number
    if expected.values.iter().zip(got).all(|(due, got)| due == got || *got == 0.0) {
        return None;
    }
    let dtype = KEPT.iter().find(explains)?;
    Some(What::KeptIn { dtype: dtype.to_string() })
}

/// A whole number as it comes out of a type: rounded, or with its upper bits cut off.
fn through(dtype: DType, value: f64) -> f64 {
    match dtype {
        DType::Int { bits, signed } => {
            let size = (1u64 << bits) as f64;
            let rest = value.rem_euclid(size);
            if signed && rest >= size / 2.0 { rest - size } else { rest }
        }
        _ => dtype.round(value),
    }
}

/// Rows that are written as far apart as another dimension is long. What two rows would fill has the later one.
fn rows_apart(trial: &Trial, number: usize) -> Option<What> {
    let (expected, got, unwritten) = (&trial.expected[number], &trial.got[number], &trial.unwritten[number]);
    let row = expected.shape.last().copied().filter(|row| *row > 0)?;
    let rows = expected.values.len() / row;
    let explains = |apart: usize| {
        let mut from = vec![None; expected.values.len()];
        for at in 0..rows * row {
            if let Some(place) = from.get_mut(at / row * apart + at % row) {
                *place = Some(at);
            }
        }
        from.iter().enumerate().all(|(at, from)| match from {
            Some(from) => !unwritten[at] && matches!(expected.judge(*from, got[at]), Judgement::Inside(_)),
            None => unwritten[at],
        })
    };
    if expected.shape.len() < 2 || rows < 2 {
        return None;
    }
    let mut others =
        trial.prepared.case.dims.iter().filter_map(|(dim, size)| Some((dim, usize::try_from(*size).ok()?)));
    let (dim, _) = others.find(|(_, size)| *size != row && *size > 0 && explains(*size))?;
    Some(What::RowsApart { dim: dim.clone() })
}
