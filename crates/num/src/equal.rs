//! Numbers many of which are equal, or all but equal.

use crate::fill::{Fill, NEAR_HALVES, each, signed};
use crate::float::{Float, pow2};
use crate::rng::{Elements, scaled};

/// Zeros; in every second kind of either sign, from the one or the other on: equal, but not their bits.
pub(crate) fn zeros(fill: &Fill, start: u64, out: &mut [f64]) {
    let Some(kind) = fill.kind.filter(|kind| !kind.is_multiple_of(2)) else { return out.fill(0.0) };
    each(&mut Elements::from(fill.seed, fill.stream, start), out, |d| signed(d[0], 0.0));
    if let (0, Some(first)) = (start, out.first_mut()) {
        *first = if kind % 4 == 1 { -0.0 } else { 0.0 };
    }
}

/// A few numbers around zero, some halfway between neighbours of f16, bf16 and e4m3, where conversions tie; in every
/// second kind three, of which the largest is a zero with a minus sign; in the third what lies around the largest f16,
/// and becomes that or an infinity; in NEAR_HALVES those halfway are off by one unit, so that the other neighbour is
/// nearer, but not to who rounds to a type between the two first.
pub(crate) fn ties(fill: &Fill, float: Float, draw: u64) -> f64 {
    if fill.kind == Some(2) {
        const EDGES: [f64; 6] = [65488.0, 65504.0, 65505.0, 65519.0, 65520.0, 65536.0];
        return signed(draw.rotate_left(32), EDGES[scaled(draw, EDGES.len() as u64) as usize]);
    }
    if fill.is_second() {
        return -0.5 * scaled(draw, 3) as f64;
    }
    const HALFWAY: [i32; 3] = [-11, -8, -4];
    let which = scaled(draw, 11);
    match which {
        0..5 => 0.5 * which as f64 - 1.0,
        // below an even neighbour and above one
        _ => {
            let (up, half) = (which % 2 == 1, pow2(HALFWAY[(which as usize - 5) / 2]));
            let unit = if fill.kind == Some(NEAR_HALVES) { float.ulp(1.0) } else { 0.0 };
            1.0 + if up { 3.0 * half - unit } else { half + unit }
        }
    }
}
