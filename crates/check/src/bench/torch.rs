//! The method of `torch.utils.benchmark` (`Timer.blocked_autorange`), written anew to be held against ours on the same
//! calls: both agree on steady ones; where a call now and then takes much longer, and in how sure they are, they do
//! not.

use super::{Summary, median, summary};
use ktwin_num::Rng;

/// Nanoseconds that a run takes at least.
const RUN: f64 = 0.2e9;
/// Nanoseconds of our batches on the host.
const BATCH: f64 = 50e3;

/// What that method says.
struct Torch {
    number: usize,
    median: f64,
    /// Half the width of its interval of 90 %.
    half: f64,
    /// Whether it warns that a quarter of the times is far from the middle.
    warns: bool,
}

/// The calls of a kernel: a steady time, jitter, and pauses.
struct Calls {
    rng: Rng,
    time: f64,
    jitter: f64,
    /// How often a call takes so much longer.
    pause: (f64, f64),
}

impl Calls {
    fn new(seed: u64, time: f64, jitter: f64, pause: (f64, f64)) -> Calls {
        Calls { rng: Rng::new(seed, 9), time, jitter, pause }
    }

    fn one(&mut self) -> f64 {
        let pause = if self.rng.uniform() < self.pause.0 { self.pause.1 } else { 0.0 };
        self.time * (1.0 + self.jitter * (2.0 * self.rng.uniform() - 1.0)) + pause
    }

    fn block(&mut self, number: usize) -> f64 {
        (0..number).map(|_| self.one()).sum()
    }
}

/// `_estimate_block_size`, whose `_timeit(0)` is what looking at the clock costs, and `_threaded_measurement_loop`.
fn torch(calls: &mut Calls, looking: f64) -> Torch {
    let mut number = 1;
    loop {
        let taken = calls.block(number) + looking;
        if looking / taken <= 1e-4 && taken >= RUN / 1000.0 || taken > RUN {
            break;
        }
        number *= 10;
    }
    let (mut times, mut total) = (Vec::new(), 0.0);
    while total < RUN {
        let taken = calls.block(number) + looking;
        times.push(taken / number as f64);
        total += taken;
    }
    measurement(number, times)
}

/// `Measurement`: the median, and an interval from the spread of the middle half.
fn measurement(number: usize, mut times: Vec<f64>) -> Torch {
    times.sort_by(f64::total_cmp);
    let count = times.len();
    let inner = &times[count / 4..(3 * count).div_ceil(4)];
    let mean = inner.iter().sum::<f64>() / inner.len() as f64;
    let variance = inner.iter().map(|t| (t - mean) * (t - mean)).sum::<f64>() / inner.len() as f64;
    let at = |share: f64| {
        let place = share * (count - 1) as f64;
        let below = place.floor() as usize;
        let next = times[(below + 1).min(count - 1)];
        times[below] + (place - below as f64) * (next - times[below])
    };
    let middle = at(0.5);
    let half = 1.645 * (variance / inner.len() as f64).sqrt();
    Torch { number, median: middle, half, warns: (at(0.75) - at(0.25)) / middle > 0.1 }
}

/// As the sampler does it: the means of batches of 50 µs or more.
fn ours(calls: &mut Calls, samples: usize) -> Summary {
    let batch = (BATCH / calls.time).ceil().max(1.0) as usize;
    let times: Vec<f64> = (0..samples).map(|_| calls.block(batch) / batch as f64).collect();
    summary(&times, &[], 0.0).unwrap()
}

#[test]
fn both_agree_on_calls_that_are_steady() {
    for time in [300.0, 5e3, 2e6] {
        let calls = || Calls::new(1, time, 0.05, (0.0, 0.0));
        let (torch, ours) = (torch(&mut calls(), 20.0), ours(&mut calls(), 200));
        assert!((torch.median / ours.median - 1.0).abs() < 0.005, "{time}: {} {}", torch.median, ours.median);
        assert!(!torch.warns, "{time}");
    }
}

#[test]
fn a_long_block_is_a_mean_where_ours_is_a_median() {
    // one call in 500 waits for 100 µs: a fifth of the time of a call of 1 µs
    let calls = || Calls::new(2, 1e3, 0.05, (1.0 / 500.0, 100e3));
    let (torch, ours) = (torch(&mut calls(), 20.0), ours(&mut calls(), 1000));
    assert!(torch.number >= 1000, "{}", torch.number);
    // it is what a call costs with all that it waits for; ours is what a call takes when it waits for nothing
    assert!((torch.median / 1200.0 - 1.0).abs() < 0.05, "{}", torch.median);
    assert!((ours.median / 1000.0 - 1.0).abs() < 0.01, "{}", ours.median);
    assert!(ours.outliers > 50, "those that waited are told of: {}", ours.outliers);
    // in calls that are blocks of their own, neither sees what is rare
    let calls = || Calls::new(2, 3e5, 0.05, (1.0 / 500.0, 1e8));
    assert!((torch_of(&mut calls()) / ours_of(&mut calls()) - 1.0).abs() < 0.01);
}

fn torch_of(calls: &mut Calls) -> f64 {
    torch(calls, 20.0).median
}

fn ours_of(calls: &mut Calls) -> f64 {
    ours(calls, 300).median
}

#[test]
fn its_interval_of_90_percent_holds_the_median_half_of_the_time() {
    let (mut theirs, mut own) = (0, 0);
    let mut rng = Rng::new(3, 9);
    for _ in 0..1000 {
        let times: Vec<f64> = (0..100).map(|_| 1e3 * (1.0 + 0.1 * normal(&mut rng))).collect();
        let (torch, ours) = (measurement(1, times.clone()), summary(&times, &[], 0.0).unwrap());
        assert!((torch.median - median(&times)).abs() < 1e-9);
        theirs += usize::from((torch.median - 1e3).abs() <= torch.half);
        own += usize::from((ours.low..=ours.high).contains(&1e3));
    }
    // the middle half spreads over a third of what all do, and a median is less sure than a mean
    assert!((400..650).contains(&theirs), "{theirs} of 1000");
    assert!(own >= 940, "{own} of 1000");
}

fn normal(rng: &mut Rng) -> f64 {
    (0..12).map(|_| rng.uniform()).sum::<f64>() - 6.0
}
