//! The numbers that an expression adds up: what they are multiples of, how large they are together, and so whether a
//! rung holds every sum of them exactly.

use crate::eval::rung::Rung;

/// The numbers that an expression adds up: all of them multiples of a power of two, their magnitudes together
/// at most so large.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Span {
    pub most: f64,
    pub quantum: f64,
    /// Whether anything is added.
    pub sum: bool,
    /// What whole numbers in it were cut from.
    pub cut: Cut,
    /// Whether it is read at a place that may be another.
    pub placed: bool,
}

/// The numbers that are cut to whole ones: the hardest of all that must be exact there.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cut {
    most: f64,
    quantum: f64,
    /// The largest over its own quantum.
    pub ratio: f64,
}

impl Cut {
    const NOTHING: Cut = Cut { most: 0.0, quantum: f64::INFINITY, ratio: 0.0 };

    fn and(self, other: Cut) -> Cut {
        Cut {
            most: self.most.max(other.most),
            quantum: self.quantum.min(other.quantum),
            ratio: self.ratio.max(other.ratio),
        }
    }

    fn is_exact(self, rung: &Rung) -> bool {
        self.ratio * rung.unit <= 1.0 && self.most <= rung.max && self.quantum >= rung.tiny
    }
}

impl Span {
    /// Numbers of which nothing is known.
    pub const ANY: Span =
        Span { most: f64::INFINITY, quantum: 0.0, sum: false, cut: Cut::NOTHING, placed: false };

    pub fn number(x: f64) -> Span {
        Span { most: x.abs(), quantum: quantum(x), ..Span::ANY }
    }

    /// Cut to whole numbers.
    pub fn whole(self) -> Span {
        let own = Cut { most: self.most, quantum: self.quantum, ratio: self.most / self.quantum };
        Span { most: self.most + 1.0, quantum: 1.0, sum: false, cut: self.cut.and(own), ..self }
    }

    pub fn or(self, other: Span) -> Span {
        Span {
            most: self.most.max(other.most),
            quantum: self.quantum.min(other.quantum),
            sum: self.sum || other.sum,
            cut: self.cut.and(other.cut),
            placed: self.placed || other.placed,
        }
    }

    pub fn plus(self, other: Span) -> Span {
        Span { most: self.most + other.most, sum: true, ..self.or(other) }
    }

    pub fn times(self, other: Span) -> Span {
        Span {
            most: self.most * other.most,
            quantum: self.quantum * other.quantum,
            sum: self.sum || other.sum,
            cut: self.cut.and(other.cut),
            placed: self.placed || other.placed,
        }
    }

    pub fn is_exact(self, rung: &Rung) -> bool {
        let fits = self.most * rung.unit <= self.quantum && self.most <= rung.max;
        // no partial sum of multiples of `quantum` is smaller than it: where that is normal, nothing is flushed
        self.cut.is_exact(rung) && (self.most == 0.0 || (fits && self.quantum >= rung.tiny))
    }
}

/// The largest power of two that a value is a multiple of; infinite for zero, zero where there is none.
pub(crate) fn quantum(x: f64) -> f64 {
    if x == 0.0 {
        return f64::INFINITY;
    }
    let exponent = ((x.to_bits() >> 52) & 0x7ff) as i32;
    if exponent == 0 || exponent == 0x7ff {
        return 0.0;
    }
    let fraction = x.to_bits() & ((1 << 52) - 1);
    let zeros = if fraction == 0 { 52 } else { fraction.trailing_zeros() as i32 };
    ktwin_num::pow2(exponent - 1023 - 52 + zeros)
}
