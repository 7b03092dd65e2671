//! Measuring kernels that are right: what a device is asked and what it answers, the order of the steps, the
//! statistics. Plain data in and out; only devices look at clocks.

mod ratio;
mod roof;
mod runs;
mod stats;
mod steps;
#[cfg(test)]
mod torch;

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::device::{Failure, Ran};

pub use ratio::{Comparison, Doubt, Outcome, compare};
pub use roof::{Bound, Factor, Rates, Roof};
pub use runs::{compare_counts, compare_runs};
pub use stats::{Summary, is_precise, median, summary};
pub use steps::{Bench, Ready, Refusal};

/// How long and how precisely to measure.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Timing {
    /// Fewest samples.
    pub samples: usize,
    /// The width of the median's interval, relative to the median, on either side, at which there are enough.
    pub precision: f64,
    /// Least time to go on for.
    pub least: Duration,
    /// Most time to go on for.
    pub most: Duration,
    /// Calls of the long batch, where it is not for the device to choose.
    pub calls: Option<u32>,
}

impl Default for Timing {
    fn default() -> Timing {
        let (least, most) = (Duration::from_secs(1), Duration::from_secs(5));
        Timing { samples: 30, precision: 0.01, least, most, calls: None }
    }
}

/// What a clock beside the kernel showed.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Times {
    /// Nanoseconds of single calls whose data was in no cache; none where the caches cannot be emptied.
    pub cold: Vec<f64>,
    /// Nanoseconds of a call whose data had just been used: the mean of each batch.
    pub warm: Vec<f64>,
    /// Nanoseconds of single calls right after what a warm batch wrote was undone; none where calls are not batched.
    pub anew: Vec<f64>,
    /// Calls of a warm batch.
    pub batch: usize,
    /// Nanoseconds that a call of a function that does nothing takes by the same clock.
    pub overhead: f64,
    /// Nanoseconds between two times that the clock can tell apart.
    pub step: f64,
    /// How many samples each process took, one process after the other; none where there was one.
    pub processes: Vec<usize>,
    /// Processes that are left out, since their clocks disagreed.
    pub left_out: usize,
    /// Whether the warm-up ended because times no longer changed.
    pub stable: bool,
    /// Calls of the long batch, which goes through all sets; outputs are made undone before each and checked after it.
    pub calls: usize,
    /// Nanoseconds of that batch by the clock beside the kernel.
    pub long: u64,
    /// The same batch by the clock of the parent process, which the kernel cannot reach.
    pub wall: u64,
    /// A checksum of the first results of each launch.
    pub checksums: Vec<u64>,
    /// The first sample that left other results on the same inputs, if any did.
    pub changed: Option<usize>,
}

impl Times {
    /// Of calls whose data was in no cache, and of those whose data had just been used.
    pub fn summaries(&self) -> [Option<Summary>; 2] {
        let warm_step = self.step / self.batch.max(1) as f64;
        [summary(&self.cold, &self.processes, self.step), summary(&self.warm, &self.processes, warm_step)]
    }

    /// Adds what another process measured.
    fn join(&mut self, other: Times) {
        self.processes.push(other.warm.len());
        self.cold.extend(other.cold);
        self.warm.extend(other.warm);
        self.anew.extend(other.anew);
        self.stable &= other.stable;
        self.overhead = self.overhead.min(other.overhead);
        self.step = self.step.max(other.step);
        self.calls += other.calls;
        self.long += other.long;
        self.wall += other.wall;
    }
}

/// What a device measured.
#[derive(Clone, Debug, PartialEq)]
pub enum Measured {
    /// Times.
    Times(Times),
    /// Counts, which are the same on every run, each with its name.
    Counts(Vec<(&'static str, f64)>),
}

/// What a device measured, and what the last call on each launch's buffers left.
pub type Answer = (Measured, Vec<Result<Ran, Failure>>);

/// A checksum of results: FNV-1a over 64-bit words.
pub fn checksum<'a>(parts: impl IntoIterator<Item = &'a [u8]>) -> u64 {
    let mix = |sum: u64, word: u64| (sum ^ word).wrapping_mul(0x0100_0000_01b3).rotate_left(23);
    let mut sum = 0xcbf2_9ce4_8422_2325;
    for part in parts {
        let (words, rest) = part.as_chunks::<8>();
        sum = words.iter().fold(sum, |sum, word| mix(sum, u64::from_le_bytes(*word)));
        sum = rest.iter().fold(mix(sum, part.len() as u64), |sum, byte| mix(sum, u64::from(*byte)));
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checksums_see_every_byte_and_its_place() {
        let bytes = [7u8; 21];
        let plain = checksum([&bytes[..]]);
        for at in 0..bytes.len() {
            let mut other = bytes;
            other[at] = 8;
            assert_ne!(checksum([&other[..]]), plain, "byte {at}");
        }
        assert_ne!(checksum([&bytes[..20]]), plain);
        assert_ne!(checksum([&bytes[..8], &bytes[8..]]), plain);
    }
}
