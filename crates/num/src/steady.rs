//! The regime of what recurrences keep: numbers near 1, or small ones. Which input is to have which, whoever plans
//! finds out.

use crate::fill::{Fill, centred};
use crate::float::{Float, pow2};
use crate::math;
use crate::remote;
use crate::rng::{Elements, unit};

/// The kind of numbers near 1; those that are no kind of these are normal.
pub const NEAR_ONE: u64 = 1;
/// The kind of small numbers.
pub const SLIGHT: u64 = 2;
/// The kind of small ones that are near 1 on the diagonal, which is put there by whoever knows the shape.
pub const NEAR_IDENTITY: u64 = 3;

/// How far small numbers are from 0, and those near 1 from it.
const DEVIATION: i32 = -8;
/// The octaves by which numbers are below the end of a domain.
const OCTAVES: (f64, f64) = (6.0, 12.0);

/// The numbers, each in its domain as far as that is bounded.
pub fn fill(fill: &Fill, float: Float, start: u64, out: &mut [f64]) {
    let domain = fill.domain;
    match fill.kind {
        Some(NEAR_ONE) if domain.is_bounded() => {
            let mut elements = Elements::from(fill.seed, fill.stream, start);
            let (least, most) = OCTAVES;
            out.iter_mut().for_each(|v| {
                let octaves = least + (most - least) * unit(elements.draws()[0]);
                *v = domain.hi - (domain.hi - domain.lo) * math::exp2(-octaves);
            });
        }
        Some(NEAR_ONE) => {
            remote::spread(fill, float, pow2(DEVIATION), start, out);
            let mut elements = Elements::from(fill.seed ^ u64::from(u32::MAX), fill.stream, start);
            out.iter_mut()
                .for_each(|v| *v = (1.0 + *v) * if elements.draws()[0] >> 63 == 0 { 1.0 } else { -1.0 });
        }
        Some(SLIGHT | NEAR_IDENTITY) => remote::spread(fill, float, pow2(DEVIATION), start, out),
        _ => {
            remote::spread(fill, float, 1.0, start, out);
            centred(domain, out);
        }
    }
}
