//! Regimes of numbers that lie far from zero, or close to each other: what they are before domain and type have their
//! say. Pure arithmetic on draws.

use crate::fill::{Fill, largest, signed};
use crate::float::{Float, exponent, pow2};
use crate::math;
use crate::regime::Regime;
use crate::rng::{Elements, scaled, unit};

/// The octaves that `far` reaches, from 2^4 on, in three parts: the highest, the middle, the lowest; and apart from
/// them those past a million, which many take for as good as infinite.
const OCTAVES: [(i32, i32); 4] = [(14, 17), (9, 13), (4, 8), (20, 21)];
/// The standard deviation of `spread`.
pub const DEVIATION: f64 = 64.0;
/// Those of `small`, as powers of two: what is added to keep from dividing by nothing counts; what thresholds of a
/// millionth take for nothing; what even those of 1e-12 do; and what is still a normal number.
const SMALL: [i32; 4] = [-10, -24, -44, -104];
/// How far numbers of every size reach below 1, for each octave above it.
const BELOW: f64 = 1.25;
/// How far above its smallest normal number small numbers of a type lie.
const ABOVE_LEAST: f64 = 4.0;
/// How far an element of `peaks` is above the one before, and a multiple of a power of two above those of the next
/// lower power.
const RISE: f64 = 0.125;
const STEP: f64 = 16.0;
/// One of how many elements is a lone peak, and between what heights.
const LONE: f64 = 41.0;
const HEIGHTS: [f64; 2] = [100.0, 300.0];
/// Numbers of `neighbours`.
const NEIGHBOURS: u64 = 8;
/// The kind of peaks that lie far above all others; how many elements there is one of these in, and how far it lies
/// above the others: so far that e to that power is about what a unit of rounding is to 1. Further down, orders that
/// add the largest first lose all of them, and are honest.
pub const DEEP: u64 = 24;
const FOR_EACH: u64 = 4096;
const DEPTHS: [f64; 2] = [15.25, 16.25];
/// How far above a number of a narrow type others lie: some 700th of a step of bf16, so that a draw of eight bits never
/// takes them up to the next.
const ABOVE: f64 = 1.0 / (350.0 * 128.0);
/// How far from zero the first element of a row lies where the others are normal: so far that what sums lose to it is
/// more than their bars, and so near that it does not swallow the others.
const FIRST: [f64; 2] = [96.0, 320.0];
/// Numbers at the end of a type.
const ENDS: u64 = 16;

/// No further from zero than half of what the type holds.
fn held(float: Float, x: f64) -> f64 {
    let most = 0.5 * float.max_finite();
    x.clamp(-most, most)
}

fn normals(seed: u64, stream: u64, start: u64, out: &mut [f64]) {
    Elements::from(seed, stream, start).fill_normal(out);
}

/// The octaves of numbers of every size: those of types of 16 bits, or in a second kind all whose products just fit,
/// and a few more below, so that some of these are subnormal.
pub fn octaves(fill: &Fill, float: Float) -> (f64, f64) {
    let least = math::log2(float.min_subnormal());
    if fill.kind.is_some_and(|kind| kind % 2 == 1) {
        let top = math::log2(largest(fill, float));
        return (least.max(-BELOW * top), top);
    }
    (least.max(-30.0), math::log2(float.max_finite()).min(17.0))
}

/// Kinds go from the high octaves to the lowest, below zero and above it in turn, and end with those past a million.
pub fn far(fill: &Fill, float: Float, start: u64, out: &mut [f64]) {
    let mut choices = fill.choices();
    let kind = fill.kind.unwrap_or_else(|| choices.below(6));
    let (least, most) = OCTAVES[(kind / 2 % 4) as usize];
    // half of what the type holds, so that the spread has room
    let top = exponent(float.max_finite()) - 1;
    let octave = (f64::from(least) + choices.uniform() * f64::from(most - least)).min(f64::from(top));
    let middle = math::exp2(octave) * if kind.is_multiple_of(2) { -1.0 } else { 1.0 };
    // where the type's numbers are further apart than that, a few of them
    let spread = math::exp2(3.0 * choices.uniform()).max(2.0 * float.ulp(middle));
    normals(fill.seed, fill.stream, start, out);
    out.iter_mut().for_each(|v| *v = held(float, middle + spread * *v));
}

/// The kind of numbers at the end of a type that are all the last one.
pub const LOWEST: u64 = 3;

/// The last few numbers before the end of a type, the last one among them: above what stands for infinity in kernels
/// that have a round number for it, or below its negative. Or the last one throughout.
pub fn ends(fill: &Fill, float: Float, start: u64, out: &mut [f64]) {
    let (last, sign) = (float.max_finite(), if fill.regime == Regime::Below { -1.0 } else { 1.0 });
    if fill.kind == Some(LOWEST) {
        return out.fill(sign * last);
    }
    let count = ENDS.min(1 << (float.precision() - 1));
    let mut elements = Elements::from(fill.seed, fill.stream, start);
    let step = float.ulp(last);
    for (at, v) in (start..).zip(out) {
        let steps = scaled(elements.draws()[0], count);
        // not first in its row: where nothing is found, some answer with the first place
        *v = sign * (last - step * if is_first(fill, at) { 0.0 } else { steps as f64 });
    }
}

/// Normal numbers with this standard deviation.
pub fn spread(fill: &Fill, float: Float, deviation: f64, start: u64, out: &mut [f64]) {
    normals(fill.seed, fill.stream, start, out);
    out.iter_mut().for_each(|v| *v = held(float, deviation * *v));
}

/// Normal numbers with a small standard deviation, each kind smaller than the one before.
pub fn small(fill: &Fill, float: Float, start: u64, out: &mut [f64]) {
    let kind = fill.kind.unwrap_or(0) as usize % SMALL.len();
    let deviation = pow2(SMALL[kind]).max(ABOVE_LEAST * float.min_normal());
    spread(fill, float, deviation, start, out);
}

/// Kinds: rising, multiples of powers of two the higher the larger the power, the elements before those, falling; the
/// same below zero; from 8 on, few elements anywhere so high above all others that nothing else counts beside them; and
/// from 16 on, all of those as high; from 24 on, peaks that all others together count beside.
pub fn peaks(fill: &Fill, float: Float, start: u64, out: &mut [f64]) {
    let kind = fill.kind.unwrap_or_else(|| fill.choices().below(8));
    let sign = if (kind / 4).is_multiple_of(2) { 1.0 } else { -1.0 };
    if kind >= DEEP {
        return deep(fill, float, start, out);
    }
    if kind >= 8 {
        return lone(fill, float, (sign, kind >= 16), start, out);
    }
    let level = |at: u64| if at == 0 { 0.0 } else { STEP * f64::from(at.trailing_zeros()) };
    normals(fill.seed, fill.stream, start, out);
    for (at, v) in (start..).zip(out) {
        let height = match kind % 4 {
            0 => RISE * (at + 1) as f64,
            1 => level(at) + *v,
            2 => level(at + 1) + *v,
            _ => -RISE * (at + 1) as f64,
        };
        *v = held(float, sign * height);
    }
}

/// Lone peaks, all as high, and so many numbers below each that all together count beside it, though one does not.
fn deep(fill: &Fill, float: Float, start: u64, out: &mut [f64]) {
    let [least, most] = DEPTHS;
    let mut choices = fill.choices();
    let height = least + (most - least) * choices.uniform();
    let peak = choices.below(FOR_EACH);
    normals(fill.seed, fill.stream, start, out);
    for (at, v) in (start..).zip(out) {
        *v = held(float, if at % FOR_EACH == peak { height } else { *v / 4.0 });
    }
}

/// Normal numbers with lone peaks among them; where not all are as high, the last of every other row is above them all.
fn lone(fill: &Fill, float: Float, (sign, equal): (f64, bool), start: u64, out: &mut [f64]) {
    normals(fill.seed, fill.stream, start, out);
    let mut elements = Elements::from(fill.seed ^ u64::from(u32::MAX), fill.stream, start);
    let is_last =
        |at: u64| fill.row > 1 && (at + 1).is_multiple_of(fill.row) && (at / fill.row).is_multiple_of(2);
    for (at, v) in (start..).zip(out) {
        let draws = elements.draws();
        let [least, most] = HEIGHTS;
        if !equal && is_last(at) {
            *v = held(float, sign * (least + most));
        } else if unit(draws[0]) * LONE < 1.0 {
            let above = if equal { 0.0 } else { unit(draws[1]) * (most - least) };
            *v = held(float, sign * (least + above));
        }
    }
}

/// Normal numbers, but the first of each row is far away: what sums are shifted by that start from it.
pub fn first_of_rows(fill: &Fill, float: Float, start: u64, out: &mut [f64]) {
    let [least, most] = FIRST.map(|height| height.min(largest(fill, float) / STEP));
    normals(fill.seed, fill.stream, start, out);
    for (at, v) in (start..).zip(out).filter(|(at, _)| is_first(fill, *at)) {
        let draws = Elements::from(fill.seed ^ u64::from(u32::MAX), fill.stream, at).draws();
        *v = signed(draws[1], least + (most - least) * unit(draws[0]));
    }
}

/// Whether an element is the first of its row.
fn is_first(fill: &Fill, at: u64) -> bool {
    at == 0 || fill.row > 1 && at.is_multiple_of(fill.row)
}

/// A few numbers in a row of the type's own, around one of the seed's choosing; in the second kind some that lie just
/// above one that narrow types have.
pub fn neighbours(fill: &Fill, float: Float, start: u64, out: &mut [f64]) {
    let mut choices = fill.choices();
    let sign = if choices.below(2) == 0 { 1.0 } else { -1.0 };
    let near = 1.0 + 0.5 * choices.uniform();
    let mut elements = Elements::from(fill.seed, fill.stream, start);
    let step = float.ulp(1.0);
    let (least, count) = match fill.is_second() {
        true => (Float::E4M3.round(near), ABOVE.max(step) / step),
        false => (float.round(near), NEIGHBOURS as f64),
    };
    let above = |draw| scaled(draw, count as u64) as f64;
    out.iter_mut().for_each(|v| *v = sign * (least + step * above(elements.draws()[0])));
}

/// The same normal numbers in every stream; how far streams differ from them is of the seed's choosing.
pub fn twins(fill: &Fill, float: Float, start: u64, out: &mut [f64]) {
    let shared = Fill { stream: 0, ..*fill };
    let finest = float.precision() as i32;
    // near enough that squares of differences are lost among rounding errors of squares
    let near = -((finest / 2 - 1).max(1) + shared.choices().below((finest / 2).max(1) as u64) as i32);
    normals(fill.seed, 0, start, out);
    let mut own = vec![0.0; out.len()];
    normals(fill.seed, fill.stream + 1, start, &mut own);
    out.iter_mut().zip(own).for_each(|(v, own)| *v *= 1.0 + pow2(near) * own);
}
