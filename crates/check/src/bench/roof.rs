//! The roof: what the device could do at most, measured in the same run, and how near a kernel comes to it.

use std::fmt;

use ktwin_lang::Cost;
use ktwin_num::{DType, Float};
use serde::{Deserialize, Serialize};

use crate::kernel::Kernel;

/// What multiply-adds multiply: devices do more of them a second where factors are narrow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Factor {
    /// 64-bit floats.
    F64,
    /// 32-bit floats.
    F32,
    /// 16-bit floats.
    F16,
    /// bfloat16, summed in f32.
    BF16,
    /// Integers of 8 bits, summed in i32.
    I8,
}

impl Factor {
    /// Every one.
    pub const ALL: [Factor; 5] = [Factor::F64, Factor::F32, Factor::F16, Factor::BF16, Factor::I8];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Factor::F64 => "f64",
            Factor::F32 => "f32",
            Factor::F16 => "f16",
            Factor::BF16 => "bf16",
            Factor::I8 => "i8",
        }
    }

    /// What a kernel multiplies, by its promise: its compute rung, or whole numbers where two inputs are stored as
    /// such, or are rounded to them.
    pub fn of(kernel: &Kernel) -> Factor {
        let contract = &kernel.contract;
        let narrow =
            |dtype: DType| matches!(dtype, DType::Block(_) | DType::Int { bits: 8, .. } | DType::Bool);
        let rounded = |name: &str| contract.round.iter().any(|(own, dtype)| **own == *name && narrow(*dtype));
        let whole = kernel.op.inputs.iter().filter(|i| narrow(kernel.dtype(&i.name)) || rounded(&i.name));
        match contract.compute {
            Float::F64 => Factor::F64,
            _ if whole.count() >= 2 => Factor::I8,
            Float::F16 => Factor::F16,
            Float::BF16 => Factor::BF16,
            _ => Factor::F32,
        }
    }

    /// The most that a device does of what computes this, given what it does of each (none where it has no such
    /// instruction): a kernel may compute whatever is narrower than f32 in f32.
    pub fn most<E>(
        self,
        mut rate: impl FnMut(Factor) -> Result<Option<f64>, E>,
    ) -> Result<Option<(f64, Factor)>, E> {
        let own = rate(self)?.map(|own| (own, self));
        if self == Factor::F32 || self == Factor::F64 && own.is_some() {
            return Ok(own);
        }
        let wide = rate(Factor::F32)?.map(|wide| (wide, Factor::F32));
        Ok(own.into_iter().chain(wide).max_by(|a, b| a.0.total_cmp(&b.0)))
    }
}

/// What a device did when it did nothing else.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Roof {
    /// Bytes a second, read or copied, whichever was faster, where the data is in no cache.
    pub cold: f64,
    /// The same of data as large as the case's, used again and again.
    pub warm: f64,
    /// Operations of multiply-add a second, two each.
    pub flops: f64,
    /// What they multiply.
    pub factor: Factor,
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
    /// None of these: it is far from what the device could do.
    Far,
}

impl fmt::Display for Bound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Bound::Memory => "memory",
            Bound::Arithmetic => "arithmetic",
            Bound::Launch => "launch",
            Bound::Far => "far from every roof: latency, or few lanes",
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

/// The share of every roof below which none of them keeps a kernel from being faster.
const FAR: f64 = 0.10;
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
                Bound::Memory => "it does not read all of its inputs, or they were in a cache".to_owned(),
                _ => format!(
                    "it does less than the op says, multiplies in a narrower type than {}, or on a matrix unit, \
                     which is not measured",
                    roof.factor.name()
                ),
            };
            return Err(format!("{percent:.0} % of the {bound} roof cannot be: most likely {reason}"));
        }
        (rates.share, rates.bound) = (Some(share), Some(bound));
        match () {
            _ if overhead > 0.5 * time => rates.bound = Some(Bound::Launch),
            _ if share < FAR => rates.bound = Some(Bound::Far),
            _ => {}
        }
        Ok(rates)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROOF: Roof = Roof { cold: 10e9, warm: 100e9, flops: 50e9, factor: Factor::F32 };

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
        let far = rates(100.0, 5000.0, 10_000.0, true).unwrap();
        assert_eq!((far.share, far.bound), (Some(0.05), Some(Bound::Far)));
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

    #[test]
    fn a_kernel_is_held_against_what_it_may_multiply_in() {
        let rates = |has: &'static [(Factor, f64)]| {
            move |factor: Factor| -> Result<Option<f64>, ()> {
                Ok(has.iter().find(|(own, _)| *own == factor).map(|(_, rate)| *rate))
            }
        };
        let has = &[(Factor::F64, 1.0), (Factor::F32, 2.0), (Factor::F16, 4.0), (Factor::I8, 1.5)];
        for (factor, most) in [
            (Factor::F64, (1.0, Factor::F64)),
            (Factor::F32, (2.0, Factor::F32)),
            (Factor::F16, (4.0, Factor::F16)),
            // there is none, and whoever finds it slower takes f32
            (Factor::BF16, (2.0, Factor::F32)),
            (Factor::I8, (2.0, Factor::F32)),
        ] {
            assert_eq!(factor.most(rates(has)), Ok(Some(most)), "{factor:?}");
        }
        assert_eq!(Factor::F64.most(rates(&[(Factor::F32, 2.0)])), Ok(Some((2.0, Factor::F32))));
        assert_eq!(Factor::F32.most(rates(&[(Factor::F16, 2.0)])), Ok(None));
    }

    #[test]
    fn factors_are_read_from_the_contract() {
        for (more, factor) in [
            ("", Factor::F32),
            ("compute = 'f16'", Factor::F16),
            ("compute = 'bf16'", Factor::BF16),
            ("compute = 'f64'", Factor::F64),
            ("types = { w = 'q8_0' }", Factor::F32),
            ("types = { w = 'q8_0' }\nround = { x = 'q8_0' }", Factor::I8),
            ("types = { w = 'q8_0', x = 'q8_1' }\ncompute = 'f32'", Factor::I8),
        ] {
            let contract = format!("op = 'gemv'\nargs = ['w', 'x', 'y', {{ N = 'u32', K = 'u32' }}]\n{more}");
            let ops = &[("gemv", include_str!("../../../../ops/gemv.op"))];
            let kernel = Kernel::of_contract("k", &contract, ops).unwrap_or_else(|e| panic!("{more}: {e}"));
            assert_eq!(Factor::of(&kernel), factor, "{more}");
        }
    }
}
