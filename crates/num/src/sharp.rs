//! The `exact` regime: numbers whose sums are exact in the promised accumulator whatever the order, and whose
//! last bits get lost in anything coarser. Pure arithmetic on draws.

use crate::float::{Float, pow2};
use crate::regime::{Domain, Role, Sharp};
use crate::rng::{scaled, unit};

/// The bits that an accumulator leaves to each of so many terms; negative where not even one is left. One
/// bit is kept free, for a bias or a factor of 2.
fn room(accumulate: Float, length: u64) -> i32 {
    let terms = length.max(1).next_power_of_two().trailing_zeros();
    accumulate.precision() as i32 - 1 - terms as i32
}

/// The share of terms that are not zero, where one bit for each is too much already. Half the accumulator is
/// filled, less where it is so small that chance might overfill it.
fn share(accumulate: Float, length: u64, magnitude: f64) -> f64 {
    let precision = accumulate.precision() as i32;
    let filled = pow2(if precision >= 8 { precision - 1 } else { precision - 3 });
    (filled / (magnitude * length.max(1) as f64)).min(1.0)
}

/// How one input's numbers are built: odd whole numbers of `odd` bits, shifted left by up to `spread`, then
/// scaled so that the largest lie in 1..2.
///
/// An accumulator often has room for more bits than the storage type has. Shifting spreads the terms over
/// all of it: sums that keep the last bit of the smallest term and the first of the largest need every bit
/// promised.
#[derive(Copy, Clone, Debug)]
pub struct Wide {
    odd: u32,
    spread: u32,
    share: f64,
}

impl Wide {
    /// The plan for a storage type.
    pub fn new(sharp: Sharp, storage: Float) -> Wide {
        let room = room(sharp.accumulate, sharp.length);
        let odd = room.clamp(1, storage.precision() as i32);
        // No lower than the storage type's normal numbers.
        let spread = (room - odd).clamp(0, -storage.emin());
        let share = if room >= 1 { 1.0 } else { share(sharp.accumulate, sharp.length, 1.0) };
        Wide { odd: odd as u32, spread: spread as u32, share }
    }

    /// The number that an element's draws make. Most are positive, so that sums grow as far as they may.
    pub fn number(self, draws: [u64; 4]) -> f64 {
        if unit(draws[3]) >= self.share {
            return 0.0;
        }
        // Odd, with the leading bit set.
        let odd = if self.odd == 1 {
            1
        } else {
            (1 << (self.odd - 1)) | (2 * scaled(draws[0], 1 << (self.odd - 2)) + 1)
        };
        let shift = scaled(draws[1], u64::from(self.spread) + 1);
        let size = (odd << shift) as f64 * pow2(1 - (self.odd + self.spread) as i32);
        if mostly(draws[2]) { size } else { -size }
    }
}

// True seven times of eight.
fn mostly(draw: u64) -> bool {
    scaled(draw, 8) > 0
}

/// 1 or -1; 1 or 2 where the domain has no -1.
fn sign(draws: [u64; 4], domain: Domain) -> f64 {
    match (mostly(draws[0]), domain.contains(-1.0)) {
        (true, _) => 1.0,
        (false, true) => -1.0,
        (false, false) => 2.0,
    }
}

/// One number of the `exact` regime; without a target, small whole numbers.
pub fn number(sharp: Option<(Sharp, Wide)>, domain: Domain, draws: [u64; 4]) -> f64 {
    let x = match sharp {
        None => scaled(draws[0], 17) as f64 - 8.0,
        Some((Sharp { role: Role::Signs, .. }, _)) => sign(draws, domain),
        Some((_, wide)) => wide.number(draws),
    };
    // Halving keeps bits and exactness: the first that the domain holds.
    let halves = (0..8).map(|k| x * pow2(-k));
    let tried = halves.flat_map(|v| [v, v.abs()]).find(|v| domain.contains(*v));
    tried.unwrap_or_else(|| domain.fold(x))
}

/// The share of blocks that are not zero, for block formats whose numbers are whole and at most `magnitude`.
pub fn block_share(sharp: Sharp, magnitude: f64) -> f64 {
    let length = sharp.length.max(1) as f64;
    if magnitude * length <= pow2(sharp.accumulate.precision() as i32) {
        return 1.0;
    }
    0.5 * share(sharp.accumulate, sharp.length, magnitude)
}
