//! The roof: what the device could do at most, measured in the same run, and how near a kernel comes to it.

use std::fmt;

use ktwin_lang::Cost;
use serde::{Deserialize, Serialize};

/// What a device did when it did nothing else.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Roof {
    /// Bytes a second, read or copied, whichever was faster, where the data is in no cache.
    pub cold: f64,
    /// The same of data as large as the case's, used again and again.
    pub warm: f64,
    /// Operations of multiply-add in f32 a second, two each.
    pub flops: f64,
}

/// What keeps a kernel from being faster.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bound {
    /// The bytes that must move.
    Memory,
    /// The operations.
    Arithmetic,
    /// What it takes to call it.
    Launch,
}

impl fmt::Display for Bound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Bound::Memory => "memory",
            Bound::Arithmetic => "arithmetic",
            Bound::Launch => "launch",
        })
    }
}

/// What a time means, given what the op costs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rates {
    /// Operations a nanosecond: GFLOP/s.
    pub flops: f64,
    /// Bytes a nanosecond: GB/s.
    pub bytes: f64,
    /// Operations a byte.
    pub intensity: f64,
    /// The share of the roof that applies, from 0 to 1; none without a roof.
    pub share: Option<f64>,
    /// Which that is.
    pub bound: Option<Bound>,
}

/// Roofs are measured too: what lies above one by less than this is its noise.
const NOISE: f64 = 1.10;

impl Rates {
    /// The rates of a call that takes so many nanoseconds, `overhead` of them for the call itself. The error names the
    /// likely reason why they cannot be.
    pub fn of(cost: &Cost, time: f64, overhead: f64, roof: Option<(&Roof, bool)>) -> Result<Rates, String> {
        if !time.is_finite() || time <= 0.0 {
            return Err(format!("a call took {time} ns: the clock is too coarse, or the kernel reached it"));
        }
        let (flops, bytes) = (cost.flops / time, cost.bytes() / time);
        let intensity = cost.flops / cost.bytes().max(1.0);
        let mut rates = Rates { flops, bytes, intensity, share: None, bound: None };
        let Some((roof, is_cold)) = roof else { return Ok(rates) };
        let (memory, arithmetic) =
            (1e9 * bytes / if is_cold { roof.cold } else { roof.warm }, 1e9 * flops / roof.flops);
        let (share, bound) =
            if memory >= arithmetic { (memory, Bound::Memory) } else { (arithmetic, Bound::Arithmetic) };
        if share > NOISE && !cost.at_most {
            let percent = 100.0 * share;
            let reason = match bound {
                Bound::Memory => "it does not read all of its inputs, or they were in a cache",
                _ => "it does less than the op says, or in another precision than f32",
            };
            return Err(format!("{percent:.0} % of the {bound} roof cannot be: most likely {reason}"));
        }
        (rates.share, rates.bound) = (Some(share), Some(bound));
        if overhead > 0.5 * time {
            rates.bound = Some(Bound::Launch);
        }
        Ok(rates)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROOF: Roof = Roof { cold: 10e9, warm: 100e9, flops: 50e9 };

    fn cost(flops: f64, bytes: f64) -> Cost {
        Cost { flops, read: bytes, ..Cost::default() }
    }

    fn rates(flops: f64, bytes: f64, time: f64, is_cold: bool) -> Result<Rates, String> {
        Rates::of(&cost(flops, bytes), time, 2.0, Some((&ROOF, is_cold)))
    }

    #[test]
    fn the_nearer_roof_applies() {
        let copy = rates(0.0, 5000.0, 1000.0, true).unwrap();
        assert_eq!((copy.bytes, copy.share, copy.bound), (5.0, Some(0.5), Some(Bound::Memory)));
        let warm = rates(20_000.0, 5000.0, 1000.0, false).unwrap();
        assert_eq!((warm.flops, warm.share, warm.bound), (20.0, Some(0.4), Some(Bound::Arithmetic)));
        assert_eq!(rates(1.0, 4.0, 3.0, false).map(|r| r.bound), Ok(Some(Bound::Launch)));
        assert_eq!(warm.intensity, 4.0);
    }

    #[test]
    fn what_cannot_be_is_an_error_with_its_reason() {
        let above = rates(0.0, 20_000.0, 1000.0, true).unwrap_err();
        assert!(above.starts_with("200 % of the memory roof") && above.contains("cache"), "{above}");
        assert!(rates(1e6, 8.0, 1000.0, true).unwrap_err().contains("does less than the op says"));
        for time in [0.0, -1.0, f64::INFINITY, f64::NAN] {
            assert!(rates(1.0, 1.0, time, true).unwrap_err().contains("the clock is too coarse"));
        }
        // the roof's own noise is no error
        assert!(rates(0.0, 10_500.0, 1000.0, true).is_ok());
    }
}
