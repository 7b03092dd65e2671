//! Whether the right numbers went astray: into a type that does not hold them, to rows that lie as far apart as those
//! of something else, or to places that are counted in too few bits.

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

/// Bits that places are counted in.
const BITS: std::ops::RangeInclusive<u32> = 8..=16;

/// Of so many wrong elements one at least is where others belong, and so many of these are looked at.
const EARLY: usize = 3;
const LOOKED_AT: usize = 16;
/// A number that is due in one of so many places at most is rare.
const RARE: usize = 16;

/// How the right numbers of an output went astray, where that explains every element of it.
pub fn strayed(trial: &Trial, number: usize) -> Option<What> {
    let kept = kept(&trial.expected[number], &trial.got[number]);
    kept.or_else(|| rows_apart(trial, number)).or_else(|| wrapped(trial, number))
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

/// Rows that are written as far apart as another dimension is long. What two rows would fill has either.
fn rows_apart(trial: &Trial, number: usize) -> Option<What> {
    let (expected, got, unwritten) = (&trial.expected[number], &trial.got[number], &trial.unwritten[number]);
    let row = expected.shape.last().copied().filter(|row| *row > 0)?;
    let rows = expected.values.len() / row;
    let explains = |apart: usize| {
        let is_row = |at: usize, from: usize| {
            let place = at.checked_sub(from * apart).filter(|place| *place < row);
            place.is_some_and(|place| is_inside(expected, from * row + place, got[at]))
        };
        (0..got.len()).all(|at| {
            let last = (at / apart).min(rows - 1);
            let first = at.saturating_sub(row - 1).div_ceil(apart);
            if first > last {
                unwritten[at]
            } else {
                !unwritten[at] && (first..=last).any(|from| is_row(at, from))
            }
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

/// Numbers that belong so many places further on, along one dimension or in all of the output: where they belong,
/// nothing was written, or something else.
fn wrapped(trial: &Trial, number: usize) -> Option<What> {
    let (expected, got) = (&trial.expected[number], &trial.got[number]);
    let failing = &trial.report.outputs[number].failing;
    let shape = &expected.shape;
    let along = |axis: usize| (shape[axis], shape[axis + 1..].iter().product::<usize>());
    let axes = (0..shape.len()).map(|axis| (Some(axis), along(axis)));
    let mut tried = axes.chain([(None, (got.len(), 1))]).flat_map(|(axis, (size, stride))| {
        // the most that explain it: what is so far on is also twice half as far
        let counts = BITS.rev().map(|bits| 1usize << bits).filter(move |count| *count < size);
        counts.map(move |count| (axis, size, stride, count))
    });
    let (axis, .., count) = tried.find(|&(_, size, stride, count)| {
        let moved = |at: usize, times: usize| is_inside(expected, at + times * count * stride, got[at]);
        let explained = |at: &usize| {
            let index = at / stride % size;
            index >= count || (1..=(size - 1 - index) / count).any(|times| moved(*at, times))
        };
        let mut early = failing.iter().filter(|at| *at / stride % size < count);
        let enough = EARLY * early.clone().count() >= failing.len();
        let rare = early.clone().take(LOOKED_AT).all(|at| is_rare(expected, got[*at]));
        early.next().is_some() && enough && rare && failing.iter().all(explained)
    })?;
    let named = |axis: usize| trial.prepared.kernel.op.outputs[number].axes[axis].to_lowercase();
    Some(What::IndexWraps { index: axis.map(named), count: count as u64 })
}

/// Whether a number is due in few places: one that is due in many is in the place of another by chance.
fn is_rare(expected: &Expected, number: f64) -> bool {
    let same = (0..expected.values.len()).filter(|at| is_inside(expected, *at, number)).count();
    same * RARE <= expected.values.len()
}

/// Whether a number is what is due at some element.
fn is_inside(expected: &Expected, at: usize, got: f64) -> bool {
    matches!(expected.judge(at, got), Judgement::Inside(_))
}
