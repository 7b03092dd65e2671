//! Ways of rounding that storing does not promise.

use std::fmt;

use ktwin_num::{DType, Float};
use serde::{Deserialize, Serialize};

/// Which neighbour of a number is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Direction {
    /// The one nearer to zero.
    TowardZero,
    /// The lower one.
    Down,
    /// The upper one.
    Up,
    /// The one farther from zero.
    Away,
    /// The nearest; of two that are equally far, the one farther from zero.
    TiesAway,
    /// The nearest; of two that are equally far, the upper one.
    TiesUp,
    /// The nearest; of two that are equally far, the one nearer to zero.
    TiesTowardZero,
    /// The nearest; of two that are equally far, the even one.
    Nearest,
}

impl Direction {
    /// Each of them; where two explain the same numbers, the first is told.
    pub const ALL: [Direction; 8] = [
        Direction::TowardZero,
        Direction::Down,
        Direction::Up,
        Direction::Away,
        Direction::TiesAway,
        Direction::TiesUp,
        Direction::TiesTowardZero,
        Direction::Nearest,
    ];

    /// A number as it is stored so.
    pub fn round(self, dtype: DType, x: f64) -> f64 {
        let (low, high) = match dtype {
            DType::Float(float) => neighbours(float, x),
            _ => (x.floor(), x.ceil()),
        };
        let (inner, outer) = if x < 0.0 { (high, low) } else { (low, high) };
        let (below, above) = (x - low, high - x);
        let near = |tie: f64| match below.total_cmp(&above) {
            std::cmp::Ordering::Less => low,
            std::cmp::Ordering::Greater => high,
            std::cmp::Ordering::Equal => tie,
        };
        match self {
            Direction::TowardZero => inner,
            Direction::Down => low,
            Direction::Up => high,
            Direction::Away => outer,
            Direction::TiesAway => near(outer),
            Direction::TiesUp => near(high),
            Direction::TiesTowardZero => near(inner),
            Direction::Nearest => match dtype {
                DType::Float(float) => float.round(x),
                _ => x.round_ties_even(),
            },
        }
    }

    /// What it does, and what is due.
    pub(super) fn say(self, f: &mut fmt::Formatter<'_>, dtype: &str, part: bool) -> fmt::Result {
        let does = match self {
            Direction::TowardZero => "toward zero (truncated)",
            Direction::Down => "down (toward -inf)",
            Direction::Up => "up (toward +inf)",
            Direction::Away => "away from zero",
            Direction::TiesAway => "to the nearest, ties away from zero",
            Direction::TiesUp => "to the nearest, ties up",
            Direction::TiesTowardZero => "to the nearest, ties toward zero",
            Direction::Nearest => "to the nearest",
        };
        let real = DType::parse(dtype).is_ok_and(|dtype| dtype.float().is_some());
        let due = if real { "to the nearest, ties to even" } else { "toward zero" };
        let which = if part { "every wrong element" } else { "every element" };
        write!(f, "{which} is the right one rounded {does}, where storing in {dtype} rounds {due}")
    }
}

/// The numbers of a type on either side of another; the same one twice where it is one of them.
fn neighbours(float: Float, x: f64) -> (f64, f64) {
    let near = float.round(x);
    let step = float.ulp(x);
    match near.total_cmp(&x) {
        std::cmp::Ordering::Equal => (near, near),
        std::cmp::Ordering::Less => (near, float.round(near + step)),
        std::cmp::Ordering::Greater => (float.round(near - step), near),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_direction_takes_its_neighbour() {
        let half = DType::Float(Float::F16);
        let (low, high) = (1.0 + 2f64.powi(-10), 1.0 + 2f64.powi(-9));
        let (middle, above) = (1.0 + 1.5 * 2f64.powi(-10), 1.0 + 1.75 * 2f64.powi(-10));
        for (direction, tie, other, negative) in [
            (Direction::TowardZero, low, low, -low),
            (Direction::Down, low, low, -high),
            (Direction::Up, high, high, -low),
            (Direction::Away, high, high, -high),
            (Direction::TiesAway, high, high, -high),
            (Direction::TiesUp, high, high, -low),
            (Direction::TiesTowardZero, low, high, -low),
            (Direction::Nearest, high, high, -high),
        ] {
            assert_eq!(direction.round(half, middle), tie, "{direction:?}");
            assert_eq!(direction.round(half, above), other, "{direction:?}");
            assert_eq!(direction.round(half, -middle), negative, "{direction:?}");
            assert_eq!(direction.round(half, low), low, "{direction:?}");
        }
        // just below a power of two the step is that of the numbers below it
        assert_eq!(Direction::Down.round(half, 2.0 - 2f64.powi(-13)), 2.0 - 2f64.powi(-10));
        let whole = DType::Int { bits: 32, signed: true };
        assert_eq!(Direction::Down.round(whole, -1.5), -2.0);
        assert_eq!(Direction::Nearest.round(whole, 2.5), 2.0);
    }
}
