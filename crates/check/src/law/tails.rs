//! The farthest outcomes of all, on either side: the kernel has as many of them as each of the twin's draws has. Ranks
//! among a few draws tell nothing of what comes once in a thousand times.

use ktwin_num::{Float, Rng};

use super::sample::DRAWN;

/// How many of the farthest are looked at, and how many are kept, to know those that are as far.
const FARTHEST: [usize; 7] = [64, 128, 256, 512, 1024, 2048, 8192];
const KEPT: usize = 12_288;
/// Of all outcomes, they are one in so many at most.
const RARE: u64 = 16;

/// One outcome: how far it lies, a coin between those that lie as far, whether it is the kernel's, and how far it may
/// be off.
type Outcome = (i64, u64, bool, u64);

/// The smallest and the largest outcomes of kernel and twin.
#[derive(Debug)]
pub struct Tails {
    float: Float,
    sides: [Side; 2],
    all: u64,
}

/// The farthest outcomes on one side, and others that are not sorted out yet.
#[derive(Debug)]
struct Side {
    held: Vec<Outcome>,
    /// What is nearer is none of them.
    least: i64,
}

impl Side {
    const NEW: Side = Side { held: Vec::new(), least: i64::MIN };

    fn add(&mut self, outcome: Outcome) {
        self.held.push(outcome);
        // sorted out in batches: some laws give the same number most of the time, and each would displace another
        if self.held.len() == 4 * KEPT {
            self.held.select_nth_unstable_by(KEPT - 1, |a, b| b.cmp(a));
            self.held.truncate(KEPT);
            self.least = self.held[KEPT - 1].0;
        }
    }

    /// The farthest, those first that are farther.
    fn sorted(&self) -> Vec<Outcome> {
        let mut all = self.held.clone();
        all.sort_unstable_by(|a, b| b.cmp(a));
        all.truncate(KEPT);
        all
    }
}

/// The farthest outcomes on one side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Farthest {
    pub side: &'static str,
    pub all: u64,
    /// Those of the kernel: as many as fit best what is due, where roundings decide which ones are the farthest.
    pub own: u64,
}

impl Tails {
    /// None yet, of an output that is stored in this type.
    pub fn new(float: Float) -> Tails {
        Tails { float, sides: [Side::NEW; 2], all: 0 }
    }

    /// Adds what the kernel gave at a place, and what the twin drew for it, with the bars.
    pub fn add(&mut self, own: f64, drawn: impl Iterator<Item = (f64, f64)>, rng: &mut Rng) {
        let mut most: f64 = 0.0;
        for (value, bar) in drawn {
            most = most.max(bar);
            self.one(value, false, bar, rng);
        }
        self.one(own, true, most, rng);
    }

    fn one(&mut self, value: f64, own: bool, bar: f64, rng: &mut Rng) {
        if value.is_nan() {
            return;
        }
        self.all += 1;
        let off = (bar + self.float.ulp(value)).to_bits();
        for (side, value) in self.sides.iter_mut().zip([-value, value]) {
            let key = ordered(value);
            if key >= side.least {
                side.add((key, rng.next_u64(), own, off));
            }
        }
    }

    /// The farthest on the side of the small ones, on the other, and on both.
    pub fn counts(&self) -> Vec<Farthest> {
        let sorted = self.sides.each_ref().map(Side::sorted);
        let mut out = Vec::new();
        for count in FARTHEST.into_iter().filter(|count| self.all >= RARE * *count as u64) {
            let [small, large] = sorted.each_ref().map(|all| best(all, count));
            let sides = [("smallest", small, 1), ("largest", large, 1)];
            let both = small.zip(large).map(|(small, large)| small + large);
            for (side, own, times) in sides.into_iter().chain([("outermost", both, 2)]) {
                out.extend(own.map(|own| Farthest { side, all: times * count as u64, own }));
            }
        }
        out
    }
}

/// Of the farthest, sorted, how many of the first are the kernel's: as near to what is due as roundings allow. None
/// where there may be more that are as far.
fn best(all: &[Outcome], count: usize) -> Option<u64> {
    let (last, end) = (all.get(count - 1)?, all.last()?);
    let as_far = |one: &Outcome| {
        let apart = value(one.0) - value(last.0);
        apart.abs() <= 2.0 * (f64::from_bits(one.3) + f64::from_bits(last.3)) || apart == 0.0
    };
    if as_far(end) {
        return None;
    }
    let of = |sure: bool, own: bool| {
        let counted = |one: &&Outcome| one.2 == own && as_far(one) != sure && (!sure || one.0 > last.0);
        all.iter().filter(counted).count()
    };
    let (own, other) = (of(true, true), of(true, false));
    let open = count.saturating_sub(own + other);
    let least = own + open.saturating_sub(of(false, false));
    let most = own + open.min(of(false, true));
    Some((count as f64 * due()).clamp(least as f64, most.max(least) as f64) as u64)
}

/// The share of them that the kernel is due.
pub fn due() -> f64 {
    1.0 / (f64::from(DRAWN) + 1.0)
}

/// Numbers in the order of f64, both zeros as one; and back.
fn ordered(value: f64) -> i64 {
    let bits = (value + 0.0).to_bits() as i64;
    if bits < 0 { bits ^ i64::MAX } else { bits }
}

fn value(key: i64) -> f64 {
    f64::from_bits(if key < 0 { key ^ i64::MAX } else { key } as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The farthest of a kernel among draws of the same law.
    fn seen(own: impl Fn(&mut Rng) -> f64, drawn: impl Fn(&mut Rng) -> f64) -> Vec<Farthest> {
        let (mut tails, mut rng, mut coins) = (Tails::new(Float::F32), Rng::new(1, 1), Rng::new(2, 2));
        for _ in 0..20_000 {
            let own = own(&mut rng);
            let others: Vec<(f64, f64)> = (0..DRAWN).map(|_| (drawn(&mut rng), 1e-7)).collect();
            tails.add(own, others.into_iter(), &mut coins);
        }
        tails.counts()
    }

    fn twelve(rng: &mut Rng) -> f64 {
        (0..12).map(|_| rng.uniform()).sum::<f64>() - 6.0
    }

    #[test]
    fn one_law_has_one_tail() {
        for far in seen(twelve, twelve) {
            assert!(far.own.abs_diff(far.all / 8) < far.all / 16, "{far:?}");
        }
    }

    #[test]
    fn a_tail_that_is_cut_is_seen() {
        let far = seen(|rng| twelve(rng).clamp(-3.0, 3.0), twelve);
        assert!(far.iter().filter(|far| far.all == 64).all(|far| far.own == 0), "{far:?}");
    }

    #[test]
    fn numbers_that_are_as_far_are_nobodys() {
        // all of the kernel's a rounding below those of the law
        let kept = |rng: &mut Rng, kept: f64| if rng.below(10) == 0 { 0.0 } else { kept };
        let far = seen(|rng| kept(rng, 1.999_999_9), |rng| kept(rng, 2.0));
        assert!(far.is_empty(), "{far:?}");
    }
}
