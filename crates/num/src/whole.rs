//! Regimes of whole numbers: integer types and integer domains. Both ends of a domain are always among three or more.

use crate::dtype::DType;
use crate::fill::Fill;
use crate::float::pow2;
use crate::regime::Regime;
use crate::rng::{Elements, scaled};

/// Where a type or a domain sets no bound: a hundred either way.
const USUAL: f64 = 100.0;
/// A range below this is met by chance, its ends too.
const FEW: f64 = 256.0;
/// How many numbers 16 bits count.
const SHORT: f64 = 65_536.0;

/// The smallest and the largest number allowed; no wider than f64 can count.
fn bounds(fill: &Fill, dtype: DType) -> (f64, f64) {
    let d = fill.domain;
    let lo = if d.lo_open { d.lo.floor() + 1.0 } else { d.lo.ceil() };
    let hi = if d.hi_open { d.hi.ceil() - 1.0 } else { d.hi.floor() };
    let (least, most) = match (dtype.integer_range(), dtype.float()) {
        (Some((a, b)), _) => (a as f64, b as f64),
        (_, Some(f)) => {
            (-whole_limit(f.precision(), f.max_finite()), whole_limit(f.precision(), f.max_finite()))
        }
        _ => (-pow2(24), pow2(24)),
    };
    let (least, most) = (least.max(-pow2(53)), most.min(pow2(53)));
    (lo.max(least), hi.min(most).max(lo.max(least)))
}

// All whole numbers up to here are numbers of the format.
fn whole_limit(precision: u32, max: f64) -> f64 {
    pow2(precision as i32).min(max.floor())
}

// The usual range within the bounds: near zero where zero is allowed, else near the end that is nearest to
// it.
fn usual(fill: &Fill, lo: f64, hi: f64) -> (f64, f64) {
    let a = if fill.domain.lo.is_finite() { lo } else { (-USUAL).min(hi - USUAL).max(lo) };
    let b = if fill.domain.hi.is_finite() { hi } else { USUAL.max(a + USUAL).min(hi) };
    (a.min(b), b)
}

/// The elements from `start` on of a tensor of `total` elements.
pub fn fill_range(fill: &Fill, dtype: DType, start: u64, total: u64, out: &mut [f64]) {
    let (lo, hi) = bounds(fill, dtype);
    let (a, b) = usual(fill, lo, hi);
    let toward = |x: f64| x.clamp(lo, hi);
    let unbound = dtype.integer_range().is_some() && (a, b) != (lo, hi);
    let ends = fill.kind.filter(|kind| fill.regime == Regime::Large && !kind.is_multiple_of(2));
    let mut elements = Elements::from(fill.seed, fill.stream, start);
    match fill.regime {
        Regime::Zeros => out.fill(toward(0.0)),
        Regime::Ones => out.fill(toward(1.0)),
        Regime::Constant => out.fill(between(fill.choices().next_u64(), a, b)),
        Regime::Mixed => {
            let ends = |i: u64| if i.is_multiple_of(2) { b } else { a };
            out.iter_mut().zip(start..).for_each(|(o, i)| *o = ends(i));
        }
        _ if ends.is_some() => at_ends(fill, dtype, &mut elements, out),
        Regime::Wide | Regime::Spread if unbound => of_all_lengths((lo, hi), &mut elements, out),
        Regime::Normal if unbound && fill.kind.is_some_and(|kind| !kind.is_multiple_of(2)) => {
            of_all_lengths((lo, hi), &mut elements, out);
        }
        regime => {
            // twins have the same numbers in every input
            if regime == Regime::Twins {
                elements = Elements::from(fill.seed, 0, start);
            }
            let (from, to) = match regime {
                // a third of them the very last: sums of a few products of such as overflow a finer type
                Regime::Large => {
                    let part = ((hi - lo) / 16.0).floor();
                    let beyond = (part / 2.0).ceil();
                    match lo < 0.0 && fill.choices().below(2) == 1 {
                        true => (lo - beyond, lo + part),
                        false => (hi - part, hi + beyond),
                    }
                }
                Regime::Tiny => (toward(0.0), toward(3.0)),
                Regime::Far if (a, b) != (lo, hi) => far(fill, (lo, hi)),
                Regime::Neighbours => run(fill, (a, b), 7.0),
                Regime::Ties => (0.0, 4.0),
                _ => (a, b),
            };
            // where a domain reaches a little past what 16 bits count, every fourth number lies past it
            let beyond = fill.domain.is_bounded() && from >= 0.0 && to > SHORT && to < 1.25 * SHORT;
            out.iter_mut().for_each(|o| {
                let [draw, choice, ..] = elements.draws();
                let least = if beyond && choice >> 62 == 0 { SHORT } else { from };
                *o = toward(between(draw, least, to));
            });
            match regime {
                // five numbers, both ends among them
                Regime::Ties => out.iter_mut().for_each(|o| *o = a + ((b - a) / 4.0 * *o).floor()),
                Regime::Large | Regime::Tiny | Regime::Far | Regime::Neighbours => {}
                _ => put_ends(fill, start, total, (a, b), out),
            }
        }
    }
}

// Both ends of the type or domain side by side, whose differences and sums wrap around; or one of them alone.
fn at_ends(fill: &Fill, dtype: DType, elements: &mut Elements, out: &mut [f64]) {
    let (mut lo, mut hi) = bounds(fill, dtype);
    // of 64 bits the last ones that are numbers of f64
    let inside = |end: i128| {
        let x = end as f64;
        if end.unsigned_abs() < 1 << 53 { x } else { x - x.signum() * pow2(11) }
    };
    if let (false, Some((least, most))) = (fill.domain.is_bounded(), dtype.integer_range()) {
        (lo, hi) = (lo.min(inside(least)), hi.max(inside(most)));
    }
    out.iter_mut().for_each(|o| {
        *o = match fill.kind.unwrap_or(0) % 6 {
            1 if elements.draws()[0] >> 63 == 0 => lo,
            3 => lo,
            _ => hi,
        }
    });
}

// Half of them anywhere in the type, half with as many bits as chance gives them: every bit tells some of them apart.
fn of_all_lengths((lo, hi): (f64, f64), elements: &mut Elements, out: &mut [f64]) {
    let longest = u64::from(64 - (hi as u64).leading_zeros()).max(1);
    out.iter_mut().for_each(|o| {
        let [draw, length, kind, ..] = elements.draws();
        let bits = 1 + scaled(length, longest);
        let size = (draw >> (64 - bits)) as f64;
        *o = match (kind >> 63 == 0, kind >> 62 & 1 == 0) {
            (true, _) => between(draw, lo, hi),
            (_, true) if lo < 0.0 => (0.0 - size).max(lo),
            _ => size.clamp(lo, hi),
        };
    });
}

// Numbers in a row, from one of the seed's choosing on.
fn run(fill: &Fill, (a, b): (f64, f64), most: f64) -> (f64, f64) {
    let wide = most.min(b - a);
    let from = between(fill.choices().next_u64(), a, b - wide);
    (from, from + wide)
}

// A few numbers around one that is far from zero, on either side of it where the type has both.
fn far(fill: &Fill, (lo, hi): (f64, f64)) -> (f64, f64) {
    let mut choices = fill.choices();
    let kind = fill.kind.unwrap_or_else(|| choices.below(6));
    // of wide types also such as f32 does not hold, nor f64 the sums of many, which the type does
    let top = match kind % 4 {
        2 | 3 => 17,
        _ if hi >= pow2(48) => 48,
        _ if hi >= pow2(30) => 27,
        _ => 17,
    };
    let size = pow2(top - 5 * (kind / 2 % 3) as i32 - choices.below(4) as i32);
    let middle = if kind.is_multiple_of(2) { -size } else { size };
    // as many as no narrower float tells apart
    let reach = if top == 48 { pow2(10) } else { 8.0 };
    let from = (middle - reach).max(lo).min(hi - (hi - lo).min(2.0 * reach));
    (from, (from + 2.0 * reach).min(hi))
}

fn between(draw: u64, lo: f64, hi: f64) -> f64 {
    lo + scaled(draw, (hi - lo) as u64 + 1) as f64
}

// The largest at a place of the seed's choosing, the smallest at another.
fn put_ends(fill: &Fill, start: u64, total: u64, ends: (f64, f64), out: &mut [f64]) {
    let mut choices = fill.choices();
    choices.jump(16);
    let top = choices.below(total);
    let bottom = (top + 1 + choices.below(total.saturating_sub(1))) % total.max(1);
    for (at, value) in [(bottom, ends.0), (top, ends.1)] {
        // one or two numbers are not always the ends of so few
        if total < 3 && ends.1 - ends.0 < FEW && choices.below(2) == 0 {
            continue;
        }
        let i = usize::try_from(at.wrapping_sub(start)).unwrap_or(usize::MAX);
        if let Some(v) = out.get_mut(i) {
            *v = value;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_bit_of_an_unbounded_type_is_set_here_and_not_there() {
        let int = |signed, bits| DType::Int { signed, bits };
        for (dtype, bits, lo) in
            [(int(false, 32), 32, 0.0), (int(true, 32), 31, -pow2(31)), (int(true, 8), 7, -128.0)]
        {
            let fill = Fill::new(Regime::Wide, 5);
            let mut out = vec![0.0; 300];
            fill_range(&fill, dtype, 0, 300, &mut out);
            assert!(out.iter().all(|v| (lo..pow2(bits)).contains(v)), "{dtype:?}");
            for bit in 0..bits {
                let set = out.iter().filter(|v| (v.abs() as u64) >> bit & 1 == 1).count();
                assert!((20..280).contains(&set), "{dtype:?}: bit {bit} is set in {set}");
            }
            let short = out.iter().filter(|v| v.abs() < pow2(bits / 2)).count();
            assert!(short > 40, "{dtype:?}: {short}");
        }
    }
}
