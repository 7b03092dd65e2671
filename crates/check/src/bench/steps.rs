//! One case, measured: run and judged, then measured, then judged again on the very buffers that were measured. What is
//! wrong is not measured, and what was measured wrong has no figures.

use std::fmt;
use std::time::{Duration, Instant};

use crate::again;
use crate::altered;
use crate::bench::stats::{LEAST, PROCESSES};
use crate::bench::{Answer, Measured, Times, Timing, checksum, median};
use crate::case::Case;
use crate::check::case_seed;
use crate::device::{Access, Device, Failure, Launch, Ran};
use crate::kernel::Kernel;
use crate::programs::Programs;
use crate::trial::{self, Begun};
use crate::verdict::{CaseReport, Verdict};

/// Sets of inputs that take turns, as many as memory is well used for. Each has two launches, which differ in what
/// outputs hold beforehand.
const SETS: usize = 3;
/// Bytes of a launch from which one set is enough: no cache keeps what was computed of so many.
const LARGE: usize = 8 << 20;
/// How far the clock beside the kernel may be from that of the parent process: a share, and what pipes take.
const CLOCKS: (f64, f64) = (0.10, 10e6);
/// How many times as long a call on outputs that were undone may take as one on outputs that are there already, beside
/// so many nanoseconds; and those of a call that does nothing where devices answer at once.
const ANEW: (f64, f64, f64) = (3.0, 2e3, 1e3);
/// Nanoseconds of a batch that ranks.
const BATCH: f64 = 50e6;
/// The least time that is worth a process of its own.
const SHARE: Duration = Duration::from_millis(200);
/// How often a case is measured while its times disagree.
const TRIES: usize = 3;

/// Why a case has no figures.
#[derive(Clone, Debug)]
pub enum Refusal {
    /// The kernel is wrong, or could not be shown to be right.
    Wrong(Box<CaseReport>),
    /// What was measured cannot be believed.
    Odd(String),
    /// The device could not do it.
    Device(Failure),
}

impl Refusal {
    /// Whether the kernel is to blame.
    pub fn is_bad(&self) -> bool {
        self.verdict().is_none_or(Verdict::is_bad)
    }

    /// What the kernel turned out to be, where it came to a verdict.
    pub fn verdict(&self) -> Option<Verdict> {
        match self {
            Refusal::Wrong(report) => Some(report.verdict),
            Refusal::Odd(_) => None,
            Refusal::Device(failure) => Some(trial::verdict_of(failure)),
        }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Refusal::Odd(why) => f.write_str(why),
            Refusal::Device(failure) => write!(f, "{failure}"),
            Refusal::Wrong(report) => {
                let first = report.errors().next().map(|finding| finding.message.as_str());
                let why = first.unwrap_or(&report.reason);
                write!(f, "not timed, since its verdict is {}: {why}", report.verdict.name())
            }
        }
    }
}

/// A kernel on a device, to be measured.
pub struct Bench<'a> {
    kernel: &'a Kernel,
    device: &'a dyn Device,
    programs: Programs<'a>,
    seed: u64,
}

/// A case that was shown to be right and can be measured.
pub struct Ready<'a> {
    bench: &'a Bench<'a>,
    program: usize,
    begun: Vec<Begun<'a>>,
    launches: Vec<Launch>,
    /// Checksums of the results that were judged.
    judged: Vec<u64>,
}

impl<'a> Bench<'a> {
    /// Nothing is compiled yet. The seed is that of all inputs.
    pub fn new(kernel: &'a Kernel, device: &'a dyn Device, seed: u64) -> Bench<'a> {
        Bench { kernel, device, programs: Programs::new(kernel, device), seed }
    }

    /// Compiles for these cases, before any inputs are made.
    pub fn compile(&mut self, cases: &[Case]) -> Result<(), Refusal> {
        self.programs.compile(cases).map_err(Refusal::Device)
    }

    /// Makes the inputs of a case that was compiled for, runs it and judges it.
    pub fn ready(&'a self, case: &Case) -> Result<Ready<'a>, Refusal> {
        let program = self.programs.known_number(case);
        let program = program.ok_or_else(|| Refusal::Odd(format!("{case} was not compiled")))?;
        let functions = self.device.functions(self.kernel.rules());
        let (mut begun, mut launches) = (Vec::new(), Vec::new());
        for set in 0..SETS {
            let case = Case { seed: case_seed(self.seed, set as u64), ..case.clone() };
            let (one, two) = trial::begin(self.kernel, &case, functions).map_err(Refusal::Wrong)?;
            begun.push(one);
            launches.extend(two);
            if launches[0].buffers.iter().map(|b| b.bytes.len()).sum::<usize>() > LARGE {
                break;
            }
        }
        let ran = self.programs.run(program, launches.clone());
        let mut ready = Ready { bench: self, program, begun, launches, judged: Vec::new() };
        ready.judged = ready.judge(ran)?;
        self.remembers(case, program, &ready)?;
        Ok(ready)
    }

    /// Refuses a kernel that gives what it remembers where one inner element of an input has changed.
    fn remembers(&self, case: &Case, program: usize, ready: &Ready<'_>) -> Result<(), Refusal> {
        let case = Case { seed: case_seed(self.seed, 0), ..case.clone() };
        let functions = self.device.functions(self.kernel.rules());
        let mut changes =
            altered::with_one_changed(self.kernel, &case, functions).map_err(Refusal::Device)?;
        if changes.is_empty() {
            return Ok(());
        }
        let (said, prepared) = changes.swap_remove((self.seed % changes.len() as u64) as usize);
        let (begun, changed) = trial::begin_with(prepared).map_err(Refusal::Wrong)?;
        let launches = ready.launches.iter().take(2).cloned().zip(changed);
        let ran = self.programs.run(program, launches.flat_map(|(one, other)| [one, other]).collect());
        let report = begun.finish(ran.into_iter().skip(1).step_by(2).collect(), false).map(|t| t.report);
        again::bad(report, &format!("on the same buffers, with {said}"))
            .map_or(Ok(()), |report| Err(Refusal::Wrong(report)))
    }
}

impl Ready<'_> {
    /// Measures it in several processes, one after the other, as far as each has enough time: where one has its code
    /// and its data changes how long calls take. Of those after the first, one whose clocks disagree is left out, and
    /// counted: a kernel that changes its clock does so in the first as well.
    pub fn measure(&self, timing: &Timing) -> Result<Measured, Refusal> {
        let began = Instant::now();
        let processes = (timing.most.as_nanos() / SHARE.as_nanos()).clamp(1, PROCESSES as u128) as u32;
        // so precise that all of them together are as precise as wanted
        let precision = timing.precision * f64::from(processes).sqrt();
        let (least, most) = (timing.least / processes, timing.most / processes);
        let samples = timing.samples.div_ceil(processes as usize).max(LEAST);
        let part = Timing { samples, precision, least, most, ..*timing };
        let mut all = match self.measure_once(&part)? {
            Measured::Times(times) => times,
            counts => return Ok(counts),
        };
        all.processes = vec![all.warm.len()];
        let enough = 3 * timing.most;
        while all.processes.len() < processes as usize && began.elapsed() < enough {
            match self.once(&part)? {
                Measured::Times(times) if steady(&times).is_ok() => all.join(times),
                _ => all.left_out += 1,
            }
        }
        Ok(Measured::Times(all))
    }

    /// Measures it in one process, and judges what is left on the buffers. Where the clocks disagree, or calls on
    /// undone outputs take longer, it is measured again: a busy machine makes them do so now and then, a kernel that
    /// cheats always.
    pub fn measure_once(&self, timing: &Timing) -> Result<Measured, Refusal> {
        let mut measured = self.once(timing)?;
        for _ in 1..TRIES {
            match &measured {
                Measured::Times(times) if steady(times).is_err() => measured = self.once(timing)?,
                _ => break,
            }
        }
        if let Measured::Times(times) = &measured {
            steady(times).map_err(Refusal::Odd)?;
        }
        Ok(measured)
    }

    /// What ranks kernels of others: nanoseconds of a call by the clock of the parent process alone, over so many calls
    /// as the parent says, each on outputs that were undone and checked after it, which is part of the time. One number
    /// for each of several processes; or what a device counts.
    pub fn race(&self, rounds: usize) -> Result<Measured, Refusal> {
        let (least, most) = (Duration::ZERO, Duration::ZERO);
        let timing = Timing { samples: 1, precision: f64::INFINITY, least, most, calls: None };
        let first = match self.once(&timing)? {
            Measured::Times(first) => first,
            counts => return Ok(counts),
        };
        let call = (first.wall as f64 / first.calls.max(1) as f64).max(1.0);
        let calls = (BATCH / call).ceil().clamp(1.0, 1e6) as u32;
        let mut warm = Vec::new();
        for _ in 0..rounds {
            if let Measured::Times(times) = self.once(&Timing { calls: Some(calls), ..timing })? {
                warm.push(times.wall as f64 / f64::from(calls));
            }
        }
        Ok(Measured::Times(Times { warm, ..first }))
    }

    fn once(&self, timing: &Timing) -> Result<Measured, Refusal> {
        let answer = self.bench.programs.measure(self.program, self.launches.clone(), timing);
        let (measured, ran): Answer = answer.map_err(Refusal::Device)?;
        let sums = self.judge(ran)?;
        if let Measured::Times(times) = &measured {
            self.believable(times, &sums).map_err(Refusal::Odd)?;
        }
        Ok(measured)
    }

    fn is_deterministic(&self) -> bool {
        self.bench.kernel.contract.promises.deterministic
    }

    // The checksums of results that are right. Those that were judged before are not judged again.
    fn judge(&self, ran: Vec<Result<Ran, Failure>>) -> Result<Vec<u64>, Refusal> {
        let results = ran.iter().zip(&self.launches).map(|(ran, launch)| match ran {
            Ok(ran) => Ok(of_results(launch, ran)),
            Err(failure) => Err(Refusal::Device(failure.clone())),
        });
        let sums = results.collect::<Result<Vec<u64>, Refusal>>()?;
        let silent = ran.iter().flatten().all(|ran| ran.findings.is_empty());
        if self.is_deterministic() && silent && self.judged == sums {
            return Ok(sums);
        }
        let mut ran = ran.into_iter();
        for begun in &self.begun {
            let two = ran.by_ref().take(2).collect();
            let trial = begun.clone().finish(two, false).map_err(Refusal::Wrong)?;
            if trial.report.verdict != Verdict::Pass {
                return Err(Refusal::Wrong(Box::new(trial.report)));
            }
        }
        Ok(sums)
    }

    // Whether results stayed what they are.
    fn believable(&self, times: &Times, sums: &[u64]) -> Result<(), String> {
        if times.warm.is_empty() {
            return Err("no call was timed".into());
        }
        if self.is_deterministic() {
            if let Some(sample) = times.changed {
                return Err(format!(
                    "results changed while it was timed (sample {}): it does not do its work in every call, or goes \
                     on after it has returned",
                    sample + 1
                ));
            }
            if times.checksums != sums {
                return Err(
                    "the results of timed calls are not those that were judged: it does not do its work in \
                            every call, or goes on after it has returned"
                        .into(),
                );
            }
        }
        Ok(())
    }
}

// Whether both clocks agree, and calls take as long where their results were undone.
fn steady(times: &Times) -> Result<(), String> {
    let (anew, warm) = (median(&times.anew), median(&times.warm));
    if times.overhead < ANEW.2 && anew > ANEW.0 * warm + ANEW.1 {
        return Err(format!(
            "a call takes {warm:.0} ns where its results are there already, and {anew:.0} ns where they were \
             undone: it does not do its work in every call"
        ));
    }
    clocks(times)
}

// Whether both clocks agree.
fn clocks(times: &Times) -> Result<(), String> {
    let (own, wall) = (times.long as f64, times.wall as f64);
    if (own - wall).abs() > CLOCKS.0 * wall + CLOCKS.1 {
        return Err(format!(
            "the clock beside the kernel says {:.1} ms, that of ktwin's own process {:.1} ms: the kernel changes \
             its clock, or the machine is too busy to measure on",
            own / 1e6,
            wall / 1e6
        ));
    }
    Ok(())
}

// What a launch computed, canaries and inputs left out.
fn of_results(launch: &Launch, ran: &Ran) -> u64 {
    let both = launch.buffers.iter().zip(&ran.buffers);
    let results = both.filter(|(buffer, _)| matches!(buffer.access, Access::Write | Access::ReadWrite));
    checksum(results.map(|(buffer, bytes)| &bytes[buffer.body.clone()]))
}
