//! What is not finite: where it stands among ordinary numbers, and which NaN or infinity it is.

use crate::fill::Fill;
use crate::float::Float;
use crate::regime::Regime;

/// Infinities are below zero in every second group of so many kinds.
pub const INF_BELOW: u64 = 4;
/// What is not finite stands at the first place, an inner one and the last in the first of four groups of so many
/// kinds; in the others only at one of these.
pub const PLACES: u64 = 8;
/// The kind with one at the first place of a row other than the first: what reads past the end of a row finds it there,
/// whatever it multiplies it by.
pub const ROW_BEGINS: u64 = 4 * PLACES;
/// The kind of infinities with another number that is not finite after it in its row, and in its column: a NaN.
pub const THEN_NAN: u64 = 5 * PLACES;
/// The same: an infinity of the other sign.
pub const THEN_OPPOSITE: u64 = 6 * PLACES;
/// The kind of NaN with a zero before it in its row, and in its column.
pub const ZERO_BEFORE: u64 = 7 * PLACES;
/// Of fewer elements than this only one is not finite.
const MANY: u64 = 8;

/// Puts a NaN or an infinity into its places, where the regime has them.
pub(crate) fn put(fill: &Fill, float: Float, start: u64, total: u64, out: &mut [f64]) {
    let special = match fill.regime {
        // all bits set, as some devices make it, or one
        Regime::Nan if !fill.is_second() => whole_nan(float),
        Regime::Nan => f64::NAN,
        // a format without infinities makes NaN of it
        Regime::Inf => {
            let below =
                fill.kind.map_or_else(|| fill.choices().below(2) == 1, |kind| kind / INF_BELOW % 2 == 1);
            float.round(if fill.domain.lo < 0.0 && below { -f64::INFINITY } else { f64::INFINITY })
        }
        _ => return,
    };
    let mut put = |place: u64, value: f64| {
        let at = place.wrapping_sub(start);
        if let Some(v) = out.get_mut(usize::try_from(at).unwrap_or(usize::MAX)) {
            *v = value;
        }
    };
    let pair = match (fill.regime, fill.kind) {
        _ if total < MANY => None,
        (Regime::Inf, Some(THEN_NAN)) => Some([special, f64::NAN]),
        (Regime::Inf, Some(THEN_OPPOSITE)) if fill.domain.lo < 0.0 => Some([special, -special]),
        (Regime::Nan, Some(ZERO_BEFORE)) if fill.domain.contains(0.0) => Some([0.0, special]),
        _ => None,
    };
    match pair {
        Some([first, then]) => {
            let [place, later @ ..] = two_of_a_row(fill, total);
            put(place, first);
            later.iter().for_each(|place| put(*place, then));
        }
        None => places(fill, total).into_iter().for_each(|place| put(place, special)),
    }
}

/// A place, one after it in its row, and one after it in its column, where there are several rows.
fn two_of_a_row(fill: &Fill, total: u64) -> [u64; 3] {
    let mut choices = fill.choices();
    choices.jump(8);
    let length = if (3..total).contains(&fill.row) { fill.row } else { total };
    let rows = total / length;
    let row = choices.below((rows - 1).max(1));
    let at = choices.below(length - 1);
    let after = at + 1 + choices.below(length - 1 - at);
    let below = if rows > 1 { row + 1 + choices.below(rows - 1 - row) } else { row };
    let column = if rows > 1 { at } else { after };
    [row * length + at, row * length + after, below * length + column]
}

// One place of the seed's choosing where there are few elements, or no kind is asked for; so it is in every second
// kind, which callers move elsewhere.
fn places(fill: &Fill, total: u64) -> Vec<u64> {
    let mut choices = fill.choices();
    choices.jump(8);
    let Some(kind) = fill.kind.filter(|_| total >= MANY && !fill.is_second()) else {
        // at either end half of the time: there lies what padding and unrolled loops get wrong
        return vec![match choices.below(4) {
            0 => 0,
            1 => total - 1,
            _ => choices.below(total),
        }];
    };
    // inside a row, where it has an inside
    let row = if (3..total).contains(&fill.row) { fill.row } else { total };
    let inner = choices.below(total / row) * row + 1 + choices.below(row - 2);
    if kind == ROW_BEGINS && total / row > 1 {
        return vec![row * (1 + choices.below(total / row - 1))];
    }
    match kind / PLACES % 4 {
        0 => vec![0, inner, total - 1],
        1 => vec![0],
        2 => vec![inner],
        _ => vec![total - 1],
    }
}

// The NaN of which all bits are set, of formats that keep which one it is.
fn whole_nan(float: Float) -> f64 {
    if ![Float::F64, Float::F32, Float::F16, Float::BF16].contains(&float) {
        return f64::NAN;
    }
    let held = float.precision() - 1;
    f64::from_bits(f64::INFINITY.to_bits() | ((1 << held) - 1) << (52 - held))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dtype::DType;
    use crate::fill::fill_range;

    /// The places of what is not finite.
    fn found(how: &Fill, total: usize) -> Vec<usize> {
        let mut out = vec![0.0; total];
        fill_range(how, DType::F32, 0, total as u64, &mut out);
        (0..total).filter(|at| !out[*at].is_finite()).collect()
    }

    #[test]
    fn what_is_not_finite_is_at_both_ends_and_inside_with_every_seed() {
        for seed in 0..40 {
            for regime in [Regime::Nan, Regime::Inf] {
                let all = Fill { kind: Some(0), row: 7, ..Fill::new(regime, seed) };
                let places = found(&all, 91);
                assert!(matches!(places[..], [0, inner, 90] if (1..6).contains(&(inner % 7))), "{places:?}");
                let one = |group: u64| found(&Fill { kind: Some(group * PLACES), ..all }, 91);
                assert_eq!((one(1), one(3)), (vec![0], vec![90]));
                assert!(matches!(one(2)[..], [inner] if (1..6).contains(&(inner % 7))));
                let begins = found(&Fill { kind: Some(ROW_BEGINS), ..all }, 91);
                assert!(matches!(begins[..], [at] if at > 0 && at % 7 == 0), "{begins:?}");
                assert_eq!(found(&Fill { kind: Some(1), ..all }, 91).len(), 1);
                if regime == Regime::Inf {
                    let pair = found(&Fill { kind: Some(THEN_NAN), ..all }, 91);
                    let [first, after, below] = pair[..] else { unreachable!("{pair:?}") };
                    assert!(first / 7 == after / 7 && first % 7 == below % 7, "{pair:?}");
                    assert_eq!(found(&Fill { kind: Some(THEN_OPPOSITE), row: 91, ..all }, 91).len(), 2);
                } else {
                    let after = found(&Fill { kind: Some(ZERO_BEFORE), ..all }, 91);
                    assert!(after.len() == 2 && !after[0].is_multiple_of(7), "{after:?}");
                }
                assert_eq!(found(&all, 7).len(), 1);
            }
        }
    }
}
