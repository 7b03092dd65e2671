//! The random numbers of inputs: a linear congruential generator of 64 bits that can jump ahead, so that
//! any part of a huge tensor can be made alone. One seed, one sequence, on every platform.

use crate::math::{self, cos_turns};
use pulp::{Arch, NullaryFnOnce};

const MULTIPLIER: u64 = 6_364_136_223_846_793_005;
const INCREMENT: u64 = 1_442_695_040_888_963_407;

/// Draws set aside for each element, whatever it uses: element i of a stream begins at draw 4 i.
pub const DRAWS: u64 = 4;

/// A state of s = s * 6364136223846793005 + 1442695040888963407.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Rng {
    state: u64,
}

/// s -> factor * s + offset: some number of steps at once.
#[derive(Copy, Clone)]
struct Jump {
    factor: u64,
    offset: u64,
}

impl Jump {
    /// `n` steps, in about log2 n squarings.
    const fn of(mut n: u64) -> Jump {
        let (mut step, mut all) =
            (Jump { factor: MULTIPLIER, offset: INCREMENT }, Jump { factor: 1, offset: 0 });
        while n > 0 {
            if n & 1 == 1 {
                all = all.then(step);
            }
            step = step.then(step);
            n >>= 1;
        }
        all
    }

    const fn then(self, next: Jump) -> Jump {
        let offset = next.factor.wrapping_mul(self.offset).wrapping_add(next.offset);
        Jump { factor: self.factor.wrapping_mul(next.factor), offset }
    }

    #[inline(always)]
    fn apply(self, state: u64) -> u64 {
        state.wrapping_mul(self.factor).wrapping_add(self.offset)
    }
}

// Spreads a number over all 64 bits, so that neighbouring seeds and streams start far apart.
fn scatter(x: u64) -> u64 {
    let x = (x ^ x >> 31).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let x = (x ^ x >> 29).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x ^ x >> 32
}

impl Rng {
    /// The start of a stream: one for each pair of a seed and a number.
    pub fn new(seed: u64, stream: u64) -> Rng {
        Rng { state: scatter(scatter(seed ^ 0x6b74_7769_6e00_0000).wrapping_add(stream)) }
    }

    /// The generator with just this state.
    pub fn from_state(state: u64) -> Rng {
        Rng { state }
    }

    /// Skips `n` draws.
    pub fn jump(&mut self, n: u64) {
        self.state = Jump::of(n).apply(self.state);
    }

    /// The next state. Its low bits repeat soon: use the high ones.
    #[inline(always)]
    pub fn next_u64(&mut self) -> u64 {
        self.state = self.state.wrapping_mul(MULTIPLIER).wrapping_add(INCREMENT);
        self.state
    }

    /// A number in 0..1, a multiple of 2^-52.
    #[inline(always)]
    pub fn uniform(&mut self) -> f64 {
        unit(self.next_u64())
    }

    /// A whole number in 0..n; 0 where n is 0.
    #[inline(always)]
    pub fn below(&mut self, n: u64) -> u64 {
        scaled(self.next_u64(), n)
    }

    /// A normal number of mean 0 and variance 1, from two draws.
    pub fn normal(&mut self) -> f64 {
        let (a, b) = (self.next_u64(), self.next_u64());
        normal(a, b)
    }
}

/// A draw as a number in 0..1.
#[inline(always)]
pub fn unit(draw: u64) -> f64 {
    // Through a double's own bits: no conversion of 64-bit integers, which few vector units have.
    f64::from_bits(0x3ff0_0000_0000_0000 | draw >> 12) - 1.0
}

/// A draw as a whole number in 0..n.
#[inline(always)]
pub fn scaled(draw: u64, n: u64) -> u64 {
    ((u128::from(draw) * u128::from(n)) >> 64) as u64
}

/// Two draws as a normal number: Box and Muller's cosine.
#[inline(always)]
pub fn normal(a: u64, b: u64) -> f64 {
    // 1 - u is never 0.
    (-2.0 * math::log(1.0 - unit(a))).sqrt() * cos_turns(unit(b))
}

// A struct, not a closure: the compiler leaves large closures out of line, without the wider vectors.
struct Normals<'a> {
    a: &'a [u64],
    b: &'a [u64],
    out: &'a mut [f64],
}

impl NullaryFnOnce for Normals<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        for ((o, a), b) in self.out.iter_mut().zip(self.a).zip(self.b) {
            *o = normal(*a, *b);
        }
    }
}

/// The draws of a run of elements of one stream, `DRAWS` each.
#[derive(Copy, Clone)]
pub struct Elements {
    state: u64,
}

impl Elements {
    /// From element `start` of a stream on.
    pub fn from(seed: u64, stream: u64, start: u64) -> Elements {
        let mut rng = Rng::new(seed, stream);
        rng.jump(start.wrapping_mul(DRAWS));
        Elements { state: rng.state }
    }

    /// The draws of the next element; those that are not looked at cost nothing.
    #[inline(always)]
    pub fn draws(&mut self) -> [u64; DRAWS as usize] {
        const JUMPS: [Jump; 4] = [Jump::of(1), Jump::of(2), Jump::of(3), Jump::of(4)];
        let draws = JUMPS.map(|j| j.apply(self.state));
        self.state = draws[3];
        draws
    }

    /// Normal numbers for the next `out.len()` elements.
    pub fn fill_normal(&mut self, out: &mut [f64]) {
        const CHUNK: usize = 256;
        let (mut a, mut b) = ([0; CHUNK], [0; CHUNK]);
        for part in out.chunks_mut(CHUNK) {
            for (a, b) in a.iter_mut().zip(&mut b).take(part.len()) {
                let draws = self.draws();
                (*a, *b) = (draws[0], draws[1]);
            }
            Arch::new().dispatch(Normals { a: &a, b: &b, out: part });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sequence_is_the_published_one() {
        // By hand: 0 -> c; c -> c a + c.
        let mut rng = Rng::from_state(0);
        assert_eq!(rng.next_u64(), 1_442_695_040_888_963_407);
        assert_eq!(rng.next_u64(), 1_876_011_003_808_476_466);
        assert_eq!(rng.next_u64(), 11_166_244_414_315_200_793);
    }

    #[test]
    fn jumping_is_stepping() {
        for n in [0, 1, 2, 3, 63, 1000, 4097] {
            let (mut a, mut b) = (Rng::new(7, 3), Rng::new(7, 3));
            a.jump(n);
            (0..n).for_each(|_| {
                b.next_u64();
            });
            assert_eq!(a, b, "{n}");
        }
        let (mut a, mut b) = (Rng::new(1, 2), Rng::new(1, 2));
        a.jump(u64::MAX);
        a.jump(1);
        assert_eq!(a, b, "the period is 2^64");
        b.jump(1 << 63);
        assert_ne!(a, b);
    }

    #[test]
    fn elements_take_the_draws_in_order() {
        let mut rng = Rng::new(5, 9);
        rng.jump(3 * DRAWS);
        let mut elements = Elements::from(5, 9, 3);
        for _ in 0..5 {
            let draws = elements.draws();
            assert_eq!(draws, std::array::from_fn(|_| rng.next_u64()));
        }
    }

    #[test]
    fn moments() {
        let n = 200_000;
        let mut z = vec![0.0; n];
        Elements::from(1, 0, 0).fill_normal(&mut z);
        let moment = |p: i32| z.iter().map(|v| v.powi(p)).sum::<f64>() / n as f64;
        for (p, expected, room) in [(1, 0.0, 0.01), (2, 1.0, 0.02), (3, 0.0, 0.04), (4, 3.0, 0.1)] {
            assert!((moment(p) - expected).abs() < room, "moment {p}: {}", moment(p));
        }
        assert!(z.iter().any(|v| v.abs() > 4.0) && z.iter().all(|v| v.abs() < 9.0));
        let u: Vec<f64> = (0..n as u64).map(|i| Rng::new(i, 0).uniform()).collect();
        assert!((u.iter().sum::<f64>() / n as f64 - 0.5).abs() < 0.005, "first draws of neighbouring seeds");
        assert!(u.iter().all(|v| (0.0..1.0).contains(v)));
    }

    #[test]
    fn whole_numbers_reach_all() {
        let mut rng = Rng::new(2, 2);
        let mut seen = [0; 7];
        (0..7000).for_each(|_| seen[rng.below(7) as usize] += 1);
        assert!(seen.iter().all(|n| (800..1200).contains(n)), "{seen:?}");
    }
}
