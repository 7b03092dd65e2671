//! The child's side of a device's roof, whatever the device: how fast kernels of ktwin's own copy, read and multiply.

use ktwin_check::Failure;
use ktwin_check::bench::{Factor, Roof};

/// Bytes below which a loop's own costs would show.
const SMALL: usize = 64 << 10;
/// Nanoseconds that a try takes at least.
const LEAST: f64 = 5e6;
/// How often each is tried: the roof is the best of them.
const TRIES: usize = 7;
/// Turns that a try has at most.
const MOST: f64 = 1e8;
/// Chains of multiply-adds of a lane, which do not wait for each other.
pub const CHAINS: usize = 16;

/// What a kernel does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Work {
    /// It copies half of the bytes to the other half.
    Copy,
    /// It reads all of them.
    Read,
    /// It multiplies and adds in registers.
    Multiply(Factor),
}

impl Work {
    /// The kernel's name.
    pub fn name(self) -> &'static str {
        match self {
            Work::Copy => "copy",
            Work::Read => "gather",
            Work::Multiply(Factor::F64) => "multiply_f64",
            Work::Multiply(Factor::F32) => "multiply_f32",
            Work::Multiply(Factor::F16) => "multiply_f16",
            Work::Multiply(Factor::BF16) => "multiply_bf16",
            Work::Multiply(Factor::I8) => "multiply_i8",
        }
    }
}

/// A device with these kernels.
pub trait Kernels {
    /// Bytes that are in no cache.
    const LARGE: usize;

    /// Nanoseconds of a call that does its work so many times, on so many bytes.
    fn time(&mut self, work: Work, bytes: usize, turns: u32) -> Result<f64, Failure>;

    /// Operations of one turn of multiply-adds; none where the device has no instruction for them.
    fn operations(&self, factor: Factor) -> Option<f64>;
}

/// How many groups of so many lanes do it: no more than have a piece for each lane. Idle groups would cost time, and
/// the roof would be too low.
pub fn groups(work: Work, pieces: usize, lanes: usize, most: usize) -> usize {
    match work {
        Work::Multiply(_) => most,
        _ => pieces.div_ceil(lanes).clamp(1, most),
    }
}

/// Measures the roof for a case of so many bytes and of what its kernel multiplies.
pub fn measure<K: Kernels>(kernels: &mut K, bytes: usize, factor: Factor) -> Result<Roof, Failure> {
    let mut moved = |bytes: usize| -> Result<f64, Failure> {
        let fastest = turn(kernels, Work::Copy, bytes)?.min(turn(kernels, Work::Read, bytes)?);
        Ok(1e9 * bytes as f64 / fastest)
    };
    let (warm, cold) = (moved(bytes.clamp(SMALL, K::LARGE).next_multiple_of(1 << 10))?, moved(K::LARGE)?);
    let most = factor.most(|factor| {
        let Some(operations) = kernels.operations(factor) else { return Ok(None) };
        Ok(Some(1e9 * operations / turn(kernels, Work::Multiply(factor), SMALL)?))
    })?;
    let (flops, factor) = most.ok_or_else(|| Failure::Unsupported("it multiplies nothing".into()))?;
    Ok(Roof { cold, warm, flops, factor })
}

// Nanoseconds of one turn in the fastest of several tries, each of as many turns as a clock can tell apart.
fn turn<K: Kernels>(kernels: &mut K, work: Work, bytes: usize) -> Result<f64, Failure> {
    let (mut turns, mut least) = (1.0f64, f64::INFINITY);
    // drivers compile, and memory is found, in the first call
    kernels.time(work, bytes, 1)?;
    loop {
        let time = kernels.time(work, bytes, turns as u32)?;
        if time >= LEAST || turns >= MOST {
            break;
        }
        turns = (turns * (1.5 * LEAST / time.max(1.0)).clamp(2.0, 64.0)).ceil().min(MOST);
    }
    for _ in 0..TRIES {
        least = least.min(kernels.time(work, bytes, turns as u32)? / turns);
    }
    Ok(least)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A device that takes 1 µs to start, and then moves 8 bytes and does 16 operations in a nanosecond, twice as many
    /// in f16; it copies more slowly, and has no integers.
    struct Steady;

    impl Kernels for Steady {
        const LARGE: usize = 1 << 20;

        fn time(&mut self, work: Work, bytes: usize, turns: u32) -> Result<f64, Failure> {
            let turn = match work {
                Work::Copy => bytes as f64 / 6.0,
                Work::Read => bytes as f64 / 8.0,
                Work::Multiply(Factor::F16) => 640.0 / 32.0,
                Work::Multiply(_) => 640.0 / 16.0,
            };
            Ok(1e3 + f64::from(turns) * turn)
        }

        fn operations(&self, factor: Factor) -> Option<f64> {
            (factor != Factor::I8).then_some(640.0)
        }
    }

    #[test]
    fn what_a_call_costs_does_not_show() {
        for (factor, flops, of) in [
            (Factor::F32, 16e9, Factor::F32),
            (Factor::F16, 32e9, Factor::F16),
            (Factor::I8, 16e9, Factor::F32),
        ] {
            let roof = measure(&mut Steady, 100, factor).unwrap_or_else(|e| panic!("{e}"));
            for (found, true_rate) in [(roof.cold, 8e9), (roof.warm, 8e9), (roof.flops, flops)] {
                assert!((found / true_rate - 1.0).abs() < 1e-3, "{roof:?}");
            }
            assert_eq!(roof.factor, of);
        }
    }
}
