//! What the ranks of an output are tested for: that each is uniform, and that none tells of another; and its values,
//! for how often each comes. Each test gives a bound on the probability that a kernel which follows the law is as far
//! off.

use super::chance;
use super::distance;
use super::pairs::{self, Pairs};
use super::sample::{Count, DRAWN, Look, Sample};
use super::tails::{self, Farthest, Tails};

/// Ranks that there are.
pub const RANKS: u64 = DRAWN as u64 + 1;
/// Distances along an axis at which ranks are compared, beside the powers of two.
const NEAR: [usize; 3] = [1, 3, 5];
/// The farthest: generators that count in 16 to 18 bits repeat no farther apart.
const FAR: usize = 1 << 18;
/// By how many places draws under the next seed are looked for: those of an element, of a vector, a warp or a block.
const NEXT: [isize; 12] = [1, 2, 3, 4, 5, 8, 16, 32, 64, 128, 256, 512];
/// Slices of an axis that are compared, each with each.
const SLICES: usize = 64;
/// The name of tests of ranks that should tell nothing of each other.
pub const INDEPENDENCE: &str = "independence";
/// The name of tests of how often a value comes.
const VALUE: &str = "value";
/// The name of tests of the farthest outcomes.
const TAIL: &str = "tail";
/// The name of tests of what comes nowhere else.
const ALONE: &str = "alone";
/// Ranks that slices need to be told apart.
const ENOUGH: usize = 64;

/// One test, and how it came out.
#[derive(Clone, Debug)]
pub struct Tested {
    /// What was tested.
    pub test: &'static str,
    /// What was seen, in words.
    pub said: String,
    /// What was seen.
    pub statistic: f64,
    /// What it is on average of kernels that follow the law.
    pub due: f64,
    /// How much it was seen in.
    pub samples: u64,
    /// The logarithm of a bound on the probability that it is as far off by chance.
    pub chance: f64,
}

impl Tested {
    /// Whether it is one of the few that look at all ranks.
    pub fn is_of_all(&self) -> bool {
        self.test != INDEPENDENCE && self.test != VALUE
    }

    /// The order in which mistakes are told: what comes too often or too seldom, what is wrong of ranks, then of
    /// pairs, those first of which most are wrong.
    pub fn plain(&self) -> (bool, i64) {
        let apart = (self.statistic - self.due).abs() / self.samples.max(1) as f64;
        match self.test {
            INDEPENDENCE => (true, -(10.0 * apart).round() as i64),
            test => (false, i64::from(test != VALUE)),
        }
    }
}

/// Every test of a sample.
pub fn all(sample: &Sample) -> Vec<Tested> {
    if sample.told == 0 {
        return sample.variety.tested(sample).into_iter().collect();
    }
    let mut out = uniform(sample);
    out.extend(values(sample));
    out.extend(alone(sample));
    out.extend(sample.variety.tested(sample));
    out.extend(tails(sample));
    let mut after = sample.ranks.len();
    for axis in 0..sample.axes.len() {
        let size = sample.axes[axis].1;
        after /= size.max(1);
        let lags = (0..).map(|n| 1usize << n).take_while(|lag| *lag <= FAR).chain(NEAR[1..].iter().copied());
        let along = &sample.axes[axis].0;
        let name = name(sample);
        for lag in lags.filter(|lag| *lag < size) {
            let what = match axis {
                0 => format!("outcomes of {name} in launches under other seeds, {lag} apart,"),
                _ => format!("outcomes of {name} at places {lag} apart along {along}"),
            };
            out.extend(apart(sample, size, after, lag).tested(&what));
            out.extend(pairs::zeros(sample, (size, after, lag), &what));
        }
        out.extend(slices(sample, axis, after));
        if axis > 0 && sample.successive {
            let own: usize = sample.axes[1..].iter().map(|(_, size)| size).product();
            // along the last axis, rows follow rows
            let most = if after == 1 { own } else { size };
            let lags = NEXT.into_iter().flat_map(|lag| [lag, -lag]);
            let lags = lags.filter(|lag| lag.unsigned_abs() < most);
            out.extend(lags.flat_map(|lag| shifted(sample, axis, after, lag)));
        }
    }
    out.extend(wrapped(sample));
    out.extend(distance::tests(sample));
    out
}

/// Outcomes as far apart as the numbers of elements wrap around that are counted in 8 bits, and up to 16, whatever row
/// they are in.
fn wrapped(sample: &Sample) -> Vec<Tested> {
    let [_, own @ ..] = &sample.axes[..] else { return Vec::new() };
    let size = own.iter().map(|(_, size)| size).product();
    let lags = (8..=18).map(|bits| 1 << bits).filter(|lag| own.len() > 1 && *lag < size);
    let what = |lag| format!("outcomes of {} with {lag} elements from one to the other", name(sample));
    lags.flat_map(|lag| apart(sample, size, 1, lag).tested(&what(lag))).collect()
}

pub fn name(sample: &Sample) -> String {
    match sample.look {
        Look::Element => sample.output.clone(),
        Look::Sum => format!("elements of {} that share draws, summed up,", sample.output),
    }
}

/// Ranks are uniform: their mean, and how many lie below each.
fn uniform(sample: &Sample) -> Vec<Tested> {
    let (n, name) = (sample.ranks.len() as u64, name(sample));
    let mut counts = [0u64; RANKS as usize];
    sample.ranks.iter().for_each(|rank| counts[usize::from(*rank)] += 1);
    let sum: u64 = (0..).zip(counts).map(|(rank, count)| rank * count).sum();
    let (mean, due) = (sum as f64 / n.max(1) as f64, f64::from(DRAWN) / 2.0);
    let side = if mean < due { "small" } else { "large" };
    let mut out = vec![Tested {
        test: "mean",
        said: format!(
            "{name} comes out too {side}: its mean rank among {DRAWN} draws of the law is {mean:.4} in {n} \
             outcomes, {due} due"
        ),
        statistic: mean,
        due,
        samples: n,
        chance: if n == 0 { 0.0 } else { chance::mean(mean, n, DRAWN) },
    }];
    let mut below = 0;
    for rank in 1..RANKS {
        below += counts[rank as usize - 1];
        let due = rank as f64 / RANKS as f64;
        let share = below as f64 / n.max(1) as f64;
        out.push(Tested {
            test: "distribution",
            said: format!(
                "the lowest {rank}/{RANKS} of the law of {name} has {share:.4} of {n} outcomes, {due} due"
            ),
            statistic: share,
            due,
            samples: n,
            chance: chance::count(below, n, due),
        });
    }
    out
}

/// Each whole number comes out as often as it does of the law.
fn values(sample: &Sample) -> Vec<Tested> {
    let one = |(value, count): (&i64, &Count)| {
        let due = count.all as f64 / RANKS as f64;
        let often = often(count.kernel, due);
        let what = match (sample.integer, value) {
            (true, value) => format!("= {value} {often} comes out"),
            (false, 0) => format!("is {often} zero"),
            (false, 1..) => format!("is {often} above zero"),
            (false, _) => format!("is {often} below zero"),
        };
        Tested {
            test: VALUE,
            said: format!(
                "{} {what}: {} times in {}, about {due:.0} due",
                sample.output,
                count.kernel,
                sample.ranks.len()
            ),
            statistic: count.kernel as f64,
            due,
            samples: count.all,
            chance: chance::count(count.kernel, count.all, 1.0 / RANKS as f64),
        }
    };
    sample.values.iter().flatten().map(one).collect()
}

fn often(times: u64, due: f64) -> &'static str {
    match times {
        0 => "never",
        times if (times as f64) < due => "too seldom",
        _ => "too often",
    }
}

/// What comes in one place of the outputs to nobody else comes to the kernel as often as to each draw of the law.
fn alone(sample: &Sample) -> Option<Tested> {
    let Count { kernel, all } = sample.alone;
    let due = all as f64 / RANKS as f64;
    // a draw that rounding might turn into the kernel's value counts as that value, so that the kernel may well be
    // alone less often than is due: only more often says something
    (kernel as f64 > due).then(|| Tested {
        test: ALONE,
        said: format!(
            "of {all} outcomes of {} that come nowhere else under all seeds, {kernel} are the kernel's, {due:.0} due: \
             some of them may be none that the law has",
            sample.output
        ),
        statistic: kernel as f64,
        due,
        samples: all,
        chance: chance::count(kernel, all, 1.0 / RANKS as f64),
    })
}

/// Of the farthest outcomes, the kernel's are as many as those of each draw.
fn tails(sample: &Sample) -> Vec<Tested> {
    let one = |Farthest { side, all, own }: Farthest| {
        let due = tails::due() * all as f64;
        let weight = if (own as f64) < due { "thin" } else { "heavy" };
        let tails = match side {
            "smallest" => "lower tail",
            "largest" => "upper tail",
            _ => "tails",
        };
        Tested {
            test: TAIL,
            said: format!(
                "too {weight} {tails} of {}: of the {all} {side} among its outcomes and {DRAWN} times as many drawn \
                 by the law, {own} are the kernel's, about {due:.0} due",
                sample.output
            ),
            statistic: own as f64,
            due,
            samples: all,
            chance: chance::count(own, all, tails::due()),
        }
    };
    sample.tails.iter().flat_map(Tails::counts).map(one).collect()
}

/// Pairs of outcomes so far apart along an axis of this size, with elements that are so far apart in turn.
pub fn apart(sample: &Sample, size: usize, stride: usize, lag: usize) -> Pairs {
    let mut pairs = Pairs::default();
    pairs::apart(&sample.ranks, (size, stride, lag), |one, other| pairs.add(one, other));
    pairs
}

/// Outcomes of one seed and those of the next one, so many places further along an axis: a generator that adds its seed
/// to the number of the element draws the same numbers again, moved.
fn shifted(sample: &Sample, axis: usize, stride: usize, lag: isize) -> [Tested; 3] {
    let each: usize = sample.axes[1..].iter().map(|(_, size)| size).product();
    let mut pairs = Pairs::default();
    for launches in sample.ranks.chunks_exact(2 * each.max(1)) {
        let (first, next) = launches.split_at(each);
        for (at, rank) in first.iter().enumerate() {
            let other = at.checked_add_signed(lag * stride as isize).and_then(|other| next.get(other));
            other.into_iter().for_each(|other| pairs.add(*rank, *other));
        }
    }
    let (name, along) = (name(sample), &sample.axes[axis].0);
    pairs.tested(&format!(
        "outcomes of {name} under one seed and those under the next, moved by {lag} along {along},"
    ))
}

/// Whole slices of an axis, each with each: two rows, two launches.
fn slices(sample: &Sample, axis: usize, stride: usize) -> Vec<Tested> {
    let (along, size) = (&sample.axes[axis].0, sample.axes[axis].1);
    if size < 2 || sample.ranks.len() / size < ENOUGH {
        return Vec::new();
    }
    // the first ones, and others from all over
    let more = size.saturating_sub(SLICES / 2).max(1);
    let chosen =
        |n: usize| if n < SLICES / 2 { n } else { SLICES / 2 + (n - SLICES / 2) * more / (SLICES / 2) };
    let some: Vec<usize> = match size <= SLICES {
        true => (0..size).collect(),
        false => (0..SLICES).map(chosen).filter(|index| *index < size).collect(),
    };
    let slice = |index: usize| {
        let starts = (0..sample.ranks.len() / (size * stride)).map(move |n| (n * size + index) * stride);
        starts.flat_map(|from| &sample.ranks[from..from + stride])
    };
    let slices: Vec<Vec<u8>> = some.iter().map(|index| slice(*index).copied().collect()).collect();
    let mut out = Vec::new();
    for (a, first) in slices.iter().enumerate() {
        for (b, second) in slices.iter().enumerate().skip(a + 1) {
            let mut pairs = Pairs::default();
            first.iter().zip(second).for_each(|(x, y)| pairs.add(*x, *y));
            let (name, a, b) = (name(sample), some[a], some[b]);
            let which = match axis {
                0 => format!("outcomes of {name} in launches {a} and {b}, under other seeds,"),
                _ => format!("outcomes of {name} at {along} = {a} and {b}"),
            };
            let [same, ..] = pairs.tested(&which);
            out.push(same);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use ktwin_num::Rng;

    fn sample(axes: &[(&str, usize)], rank: impl Fn(usize, &mut Rng) -> u8) -> Sample {
        let axes: Vec<(String, usize)> = axes.iter().map(|(n, s)| (n.to_string(), *s)).collect();
        let count = axes.iter().map(|(_, n)| n).product();
        let mut rng = Rng::new(7, 0);
        let mut sample = Sample::new("y", Look::Element, axes, false);
        (sample.successive, sample.told) = (true, 1);
        sample.ranks = (0..count).map(|at| rank(at, &mut rng)).collect();
        sample
    }

    fn worst(sample: &Sample) -> Tested {
        all(sample).into_iter().min_by(|a, b| a.chance.total_cmp(&b.chance)).unwrap()
    }

    fn fair(_: usize, rng: &mut Rng) -> u8 {
        rng.below(RANKS) as u8
    }

    #[test]
    fn what_follows_the_law_is_likely() {
        let sample = sample(&[("launches", 8), ("R", 40), ("D", 256)], fair);
        let tested = all(&sample);
        assert!(tested.len() > 2000 && worst(&sample).chance > -20.0, "{:?}", worst(&sample));
    }

    #[test]
    fn what_does_not_is_named() {
        let axes = [("launches", 4), ("R", 16), ("D", 512)];
        let often = worst(&sample(&axes, |at, rng| if rng.below(20) == 0 { 7 } else { fair(at, rng) }));
        assert!(often.chance < -33.0 && ["mean", "distribution"].contains(&often.test), "{often:?}");
        let of = |key: fn(usize) -> usize| {
            let sample = sample(&axes, |at, _| Rng::new(key(at) as u64, 3).below(RANKS) as u8);
            worst(&sample)
        };
        for (key, wanted) in [
            ((|at| at % (16 * 512)) as fn(usize) -> usize, "launches under other seeds"),
            (|at| if at / 512 % 16 == 9 { at - 2 * 512 } else { at }, "R = 7 and 9"),
            (|at| at / 2, "1 apart along D"),
            (|at| at / 512 * 512 + at % 256, "256 apart along D"),
            (|at| at / 8192 % 2 + at % 8192 + ((at / 16384) << 20), "moved by -1 along D"),
            (
                |at| (at / 8192 % 2 + at / 512 % 16) * 512 + at % 512 + ((at / 16384) << 20),
                "moved by -1 along R",
            ),
        ] {
            let found = of(key);
            assert!(found.chance < -33.0 && found.said.contains(wanted), "{found:?}");
        }
    }

    #[test]
    fn a_value_that_never_comes_is_named() {
        let mut sample = Sample { integer: true, ..sample(&[("launches", 1), ("R", 1000)], fair) };
        let often = [(3, Count { kernel: 0, all: 400 }), (4, Count { kernel: 60, all: 400 })];
        sample.values = Some(often.into_iter().collect());
        let found = worst(&sample);
        assert!(found.said.starts_with("y = 3 never comes out: 0 times in 1000, about 50 due"), "{found:?}");
    }

    #[test]
    fn what_the_law_does_not_have_comes_to_the_kernel_alone() {
        let found = |wrong: &dyn Fn(i64) -> bool| {
            let mut sample =
                Sample { integer: true, fine: true, ..sample(&[("launches", 24), ("R", 256)], fair) };
            let mut rng = Rng::new(5, 1);
            for at in 0..24 * 256i64 {
                let mut outcome = [0; 8].map(|_: i64| rng.below(3) as i64 + at % 256);
                outcome[0] += if wrong(at) { 3 } else { 0 };
                sample.outcomes.push(outcome);
                sample.open.push(0);
            }
            sample.settle(256, &mut rng);
            sample.values = None;
            alone(&sample).map_or(0.0, |tested| tested.chance)
        };
        assert!(found(&|_| false) > -10.0);
        assert!(found(&|at| at % 97 == 0) < -33.0);
    }
}
