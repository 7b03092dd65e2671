//! Whether a kernel is faster than it was in another run, of which only figures were kept.

use super::ratio::farthest;
use super::{Comparison, Doubt, Outcome, Summary};

/// How far medians of the same kernel may be apart from one run to another without anything that shows within a run:
/// the machine has become another in the meantime.
const BETWEEN: f64 = 0.06;
/// The same where a run has too few processes to show how far these differ.
const ALONE: f64 = 0.25;
/// How far the interval of two runs that are the same reaches.
const SAME: f64 = 0.10;

/// Compares a run with one that was kept. Runs differ where what all processes of one took is more than what all those
/// of the other did, beyond what their clocks can tell apart.
pub fn compare_runs(now: &Summary, then: &Summary) -> Comparison {
    let (now_range, then_range) = (now.range(), then.range());
    let ratio = now.median / then.median;
    let of_processes = now.is_of_processes() && then.is_of_processes();
    let between = 1.0 + if of_processes { BETWEEN } else { ALONE };
    let (low, high) = (now_range.0 / then_range.1 / between, now_range.1 / then_range.0 * between);
    let bounded = now.is_bounded() && then.is_bounded();
    let outcome = match () {
        _ if !bounded => Outcome::CannotTell,
        _ if high < 1.0 => Outcome::Faster,
        _ if low > 1.0 => Outcome::Slower,
        _ if low >= 1.0 - SAME && high <= 1.0 + SAME => Outcome::Same,
        _ => Outcome::CannotTell,
    };
    let noise = |s: &Summary| (s.high - s.low - s.step) / s.median;
    let noise = noise(now).max(noise(then));
    let step = (now.step / now.median).max(then.step / then.median);
    let doubt = (outcome == Outcome::CannotTell).then_some(match () {
        _ if !bounded => Doubt::FewSamples(now.samples.min(then.samples)),
        _ if !of_processes => Doubt::FewProcesses(now.processes.min(then.processes)),
        _ if noise.max(step) <= SAME / 4.0 => Doubt::Limit(farthest(low, high)),
        _ if step > noise => Doubt::Clock(step),
        _ => Doubt::Noise(noise),
    });
    Comparison { ratio, low, high, outcome, doubt }
}

/// The same of counts, which do not vary: how many more there are now.
pub fn compare_counts(now: f64, then: f64) -> (f64, Outcome) {
    let ratio = if now == then { 1.0 } else { now / then };
    let outcome = match now.total_cmp(&then) {
        std::cmp::Ordering::Less => Outcome::Faster,
        std::cmp::Ordering::Equal => Outcome::Same,
        std::cmp::Ordering::Greater => Outcome::Slower,
    };
    (ratio, outcome)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::stats::PROCESSES;
    use crate::bench::summary;
    use ktwin_num::Rng;

    // Six processes whose medians are so far around a time.
    fn around(time: f64, width: f64) -> Summary {
        let level = |process: u32| time * (1.0 + width * (f64::from(process) - 2.5) / 2.5);
        let times: Vec<f64> = (0..60).map(|n| level(n / 10)).collect();
        summary(&times, &[10; PROCESSES], 0.0).unwrap()
    }

    #[test]
    fn runs_are_the_same_other_or_too_noisy() {
        let then = around(1000.0, 0.01);
        for (time, width, outcome) in [
            (1000.0, 0.01, Outcome::Same),
            (1015.0, 0.01, Outcome::Same),
            (1300.0, 0.01, Outcome::Slower),
            (700.0, 0.01, Outcome::Faster),
            (1030.0, 0.5, Outcome::CannotTell),
        ] {
            assert_eq!(compare_runs(&around(time, width), &then).outcome, outcome, "{time} ± {width}");
        }
    }

    #[test]
    fn who_cannot_tell_says_why() {
        let then = around(1000.0, 0.01);
        let doubt = |now: &Summary| compare_runs(now, &then).doubt.map(|why| why.to_string());
        let coarse = Summary { step: 200.0, ..then };
        let few = summary(&[1000.0; 5], &[5], 0.0).unwrap();
        let alone = summary(&[1080.0; 40], &[40], 0.0).unwrap();
        for (now, says) in [
            (around(1030.0, 0.5), "noise: times of the same kernel differ by"),
            (around(1050.0, 0.01), "the interval spans the limit: it may be equal, or differ by 1"),
            (coarse, "a step of the clock is 20.0 % of the time"),
            (few, "too few samples: 5 give no interval"),
            (alone, "too few processes: a run had 1"),
        ] {
            let why = doubt(&now).unwrap_or_default();
            assert!(why.starts_with(says), "{why}");
        }
        assert_eq!(doubt(&then), None);
    }

    /// What a run on a busy machine shows: a level of its own, one that drifts, pauses, and a clock with steps.
    struct Machine {
        /// How often a process has its code or data where every call takes a fifth longer.
        misplaced: f64,
        /// How far the level of a run may be from that of another.
        other: f64,
        /// How far the level walks within a run.
        drift: f64,
        jitter: f64,
        /// How often something else runs, and a call takes twice as long.
        pauses: f64,
        step: f64,
    }

    const QUIET: Machine =
        Machine { misplaced: 0.0, other: 0.005, drift: 0.005, jitter: 0.02, pauses: 0.01, step: 0.0 };
    const MACHINES: [(&str, Machine); 6] = [
        ("quiet", QUIET),
        // calls of 400 ns, as they were seen: a fifth of all processes are slower, by a clock that steps by 10
        ("placing", Machine { misplaced: 0.2, jitter: 0.2, pauses: 0.1, step: 5.0, ..QUIET }),
        ("busy", Machine { misplaced: 0.1, other: 0.01, drift: 0.15, jitter: 0.3, pauses: 0.2, step: 1.0 }),
        ("drifting", Machine { other: 0.02, drift: 0.3, jitter: 0.05, pauses: 0.05, ..QUIET }),
        ("coarse", Machine { other: 0.02, drift: 0.02, jitter: 0.1, pauses: 0.05, step: 10.0, ..QUIET }),
        ("coarser", Machine { other: 0.02, step: 25.0, ..QUIET }),
    ];

    fn run(rng: &mut Rng, machine: &Machine, time: f64) -> Summary {
        let around = |rng: &mut Rng, by: f64| 1.0 + by * (2.0 * rng.uniform() - 1.0);
        let run = time * around(rng, machine.other);
        let (each, turn, turns) = (40, rng.uniform(), 1.0 + 3.0 * rng.uniform());
        let mut times = Vec::new();
        for process in 0..PROCESSES {
            let level = if rng.uniform() < machine.misplaced { 1.2 * run } else { run };
            for n in 0..each {
                let gone = (process * each + n) as f64 / (PROCESSES * each) as f64;
                let wave = (std::f64::consts::TAU * (turn + turns * gone)).sin();
                let pause = if rng.uniform() < machine.pauses { 2.0 } else { 1.0 };
                let one = level * (1.0 + machine.drift * wave) * around(rng, machine.jitter) * pause;
                times.push(if machine.step > 0.0 {
                    (one / machine.step).round() * machine.step
                } else {
                    one
                });
            }
        }
        summary(&times, &[each; PROCESSES], machine.step).unwrap()
    }

    fn outcomes(machine: &Machine, slower: f64) -> [usize; 4] {
        let (mut rng, mut seen) = (Rng::new(5, 7), [0; 4]);
        for _ in 0..1000 {
            let then = run(&mut rng, machine, 200.0);
            let now = run(&mut rng, machine, 200.0 * slower);
            seen[compare_runs(&now, &then).outcome as usize] += 1;
        }
        seen
    }

    #[test]
    fn the_same_kernel_is_hardly_ever_called_another() {
        for (name, machine) in &MACHINES {
            let [faster, slower, same, _] = outcomes(machine, 1.0);
            assert!(faster + slower <= 10, "{name}: {faster} faster and {slower} slower of 1000");
            assert!(*name != "quiet" || same >= 950, "{name}: {same} same of 1000");
        }
    }

    #[test]
    fn a_slowdown_of_a_tenth_is_found_or_said_to_be_too_small() {
        for (name, machine) in &MACHINES {
            let [faster, slower, same, _] = outcomes(machine, 1.10);
            assert!(faster == 0 && same <= 10, "{name}: {faster} faster and {same} same of 1000");
            assert!(*name != "quiet" || slower >= 950, "{name}: {slower} slower of 1000");
            let [faster, slower, ..] = outcomes(machine, 0.5);
            assert!(slower == 0 && faster >= 950, "{name}: {faster} faster of 1000");
        }
    }

    #[test]
    fn counts_differ_or_they_do_not() {
        assert_eq!(compare_counts(0.0, 0.0), (1.0, Outcome::Same));
        assert_eq!(compare_counts(11.0, 10.0), (1.1, Outcome::Slower));
        assert_eq!(compare_counts(9.0, 10.0).1, Outcome::Faster);
    }
}
