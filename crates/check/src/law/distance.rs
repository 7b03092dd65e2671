//! Outcomes that copy others at a distance that nobody would guess: all distances are looked at together, by the halves
//! of the law that outcomes lie in, and those at which most agree, or fewest, are tested.

use ktwin_num::math::log;

use super::pairs::is_low;
use super::sample::Sample;
use super::tested::{Tested, apart, name};

/// Outcomes of a launch that are looked at, and of all launches together.
const LAUNCH: usize = 1 << 16;
const ALL: usize = 1 << 18;
/// Distances that are tested.
const TESTED: usize = 3;
/// Pairs that a distance must have for that.
const ENOUGH: usize = 64;

/// The tests of the distances at which outcomes agree most or least; each counts for all distances that there are.
pub fn tests(sample: &Sample) -> Vec<Tested> {
    let each: usize = sample.axes[1..].iter().map(|(_, size)| size).product();
    let farthest = each.min(LAUNCH).saturating_sub(ENOUGH);
    if farthest < 2 {
        return Vec::new();
    }
    let mut found = striking(sample, each, farthest);
    found.truncate(TESTED);
    let tests = found.into_iter().flat_map(|lag| {
        let what = format!("outcomes of {} that are {lag} elements apart", name(sample));
        apart(sample, each, 1, lag).tested(&what)
    });
    let tests = tests.map(|test| Tested { chance: (test.chance + log(farthest as f64)).min(0.0), ..test });
    tests.collect()
}

/// All distances, the most striking first.
fn striking(sample: &Sample, each: usize, farthest: usize) -> Vec<usize> {
    let len = each.min(LAUNCH);
    let mut differ = vec![0u32; farthest + 1];
    let launches = sample.ranks.chunks_exact(each).take((ALL / len).max(1));
    let count = launches.len();
    for launch in launches {
        let bits = halves(&launch[..len]);
        for (lag, differ) in differ.iter_mut().enumerate().skip(1) {
            *differ += distance(&bits, len, lag);
        }
    }
    let strikes = |lag: usize| {
        let pairs = (count * (len - lag)) as f64;
        (2.0 * f64::from(differ[lag]) - pairs).abs() / pairs.sqrt()
    };
    let mut lags: Vec<usize> = (1..=farthest).collect();
    lags.sort_by(|a, b| strikes(*b).total_cmp(&strikes(*a)));
    lags
}

/// A bit for each rank: whether it lies in the lower half of its law.
fn halves(ranks: &[u8]) -> Vec<u64> {
    let word = |ranks: &[u8]| ranks.iter().rev().fold(0, |word, rank| word << 1 | u64::from(is_low(*rank)));
    ranks.chunks(64).map(word).collect()
}

/// How many of `len` bits differ from those so many further on.
fn distance(bits: &[u64], len: usize, lag: usize) -> u32 {
    let (whole, rest) = (lag / 64, lag % 64);
    let moved = |at: usize| {
        let word = |at: usize| bits.get(at).copied().unwrap_or(0);
        match rest {
            0 => word(at + whole),
            _ => word(at + whole) >> rest | word(at + whole + 1) << (64 - rest),
        }
    };
    let pairs = len - lag;
    let kept = |at: usize| match pairs - 64 * at {
        left @ 0..64 => (1u64 << left) - 1,
        _ => u64::MAX,
    };
    (0..pairs.div_ceil(64)).map(|at| ((bits[at] ^ moved(at)) & kept(at)).count_ones()).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::law::sample::Look;
    use crate::law::tested::RANKS;
    use ktwin_num::Rng;

    fn least(key: impl Fn(usize) -> u64) -> Tested {
        let axes = vec![("launches".to_string(), 4), ("N".to_string(), 9000)];
        let mut sample = Sample::new("y", Look::Element, axes, false);
        sample.ranks = (0..36_000).map(|at| Rng::new(key(at), 3).below(RANKS) as u8).collect();
        tests(&sample).into_iter().min_by(|a, b| a.chance.total_cmp(&b.chance)).unwrap()
    }

    #[test]
    fn copies_at_any_distance_are_named() {
        assert!(least(|at| at as u64).chance > -15.0);
        let found = least(|at| if at % 602 >= 301 { at as u64 - 301 } else { at as u64 });
        assert!(found.chance < -33.0 && found.said.contains("301 elements apart"), "{found:?}");
        let few = least(|at| if at % 9000 > 1002 && at % 7 == 3 { at as u64 - 1002 } else { at as u64 });
        assert!(few.chance < -33.0 && few.said.contains("1002"), "{few:?}");
    }

    #[test]
    fn bits_are_compared_one_by_one() {
        let mut rng = Rng::new(1, 1);
        let ranks: Vec<u8> = (0..300).map(|_| rng.below(RANKS) as u8).collect();
        let low = |at: usize| is_low(ranks[at]);
        for lag in [1, 5, 63, 64, 65, 128, 200, 299] {
            let differ = (0..300 - lag).filter(|at| low(*at) != low(at + lag)).count();
            assert_eq!(distance(&halves(&ranks), 300, lag) as usize, differ, "{lag}");
        }
    }
}
