//! Times functions of the host in the child, by the monotonic clock.
#![cfg_attr(target_arch = "x86_64", expect(unsafe_code, reason = "emptying caches takes an instruction"))]

use std::time::{Duration, Instant};

use ktwin_check::bench::{Times, Timing};
use ktwin_check::{Access, Failure};

use super::call::{Functions, Ready};
use super::fence::Fenced;
use crate::child::sampler::{self, Clock, of_results};
use crate::child::wire::LaunchOrder;

/// Bytes of a line of the caches.
const LINE: usize = 64;
/// Calls of a function that does nothing, and times that are read to see how far apart they are.
const NOTHING: usize = 10_000;

/// What buffers that a kernel writes hold before a call.
type Image = Vec<Option<Vec<u8>>>;

struct Timer<'a> {
    functions: &'a Functions,
    launches: &'a [LaunchOrder],
    images: Vec<Image>,
    began: Instant,
}

struct Set {
    number: usize,
    memory: Vec<Fenced>,
    ready: Ready,
}

/// Times calls on these launches; `mark` tells the parent process that the long batch begins, and that it ends.
pub fn time(
    functions: &Functions,
    launches: &[LaunchOrder],
    timing: &Timing,
    mark: &mut dyn FnMut(),
) -> Result<Times, Failure> {
    let images = launches.iter().map(image).collect::<Result<Vec<Image>, Failure>>()?;
    let mut timer = Timer { functions, launches, images, began: Instant::now() };
    let times = sampler::time(&mut timer, launches, timing, mark)?;
    timer.leave_as_new()?;
    Ok(times)
}

fn image(launch: &LaunchOrder) -> Result<Image, Failure> {
    let each = launch.buffers.iter().map(|buffer| match buffer.access {
        Access::Read => Ok(None),
        _ => Fenced::again(buffer).map(|mut fenced| Some(fenced.all(buffer.len).to_vec())),
    });
    each.collect()
}

impl Clock for Timer<'_> {
    type Set = Set;

    // a hundred times what looking at the clock costs
    const BATCH: f64 = 50e3;

    fn set(&mut self, number: usize) -> Result<Set, Failure> {
        let launch = &self.launches[number];
        let mut memory = launch.buffers.iter().map(Fenced::again).collect::<Result<Vec<_>, _>>()?;
        let ready = self.functions.ready(&launch.steps, &mut memory)?;
        Ok(Set { number, memory, ready })
    }

    // It leaves the inputs as the last that was read.
    fn undo(&mut self, set: &mut Set) -> Result<(), Failure> {
        let launch = &self.launches[set.number];
        let buffers = set.memory.iter_mut().zip(&launch.buffers).zip(&self.images[set.number]);
        let mut sum = 0u64;
        for ((fenced, buffer), image) in buffers {
            match image {
                Some(image) => fenced.all(buffer.len).copy_from_slice(image),
                None => {
                    let bytes = fenced.seen(buffer.len).iter().step_by(LINE);
                    sum = bytes.fold(sum, |sum, byte| sum.wrapping_add(u64::from(*byte)));
                }
            }
        }
        std::hint::black_box(sum);
        Ok(())
    }

    fn sum(&mut self, set: &Set) -> Result<u64, Failure> {
        let launch = &self.launches[set.number];
        let all = set.memory.iter().zip(&launch.buffers).map(|(fenced, buffer)| fenced.seen(buffer.len));
        Ok(of_results(launch, all))
    }

    fn empty_caches(&mut self, set: &Set) -> Result<bool, Failure> {
        Ok(empty_caches(&set.memory, &self.launches[set.number]))
    }

    fn calls(&mut self, set: &mut Set, count: usize) -> Result<f64, Failure> {
        Ok(timed(&mut set.ready, count))
    }

    fn nothing(&mut self) -> Result<f64, Failure> {
        Ok(timed(&mut Ready::nothing(), NOTHING) / NOTHING as f64)
    }

    fn step(&mut self) -> Result<f64, Failure> {
        let times: Vec<Instant> = (0..NOTHING).map(|_| Instant::now()).collect();
        let steps = times.windows(2).map(|two| nanoseconds(two[1] - two[0]));
        Ok(steps.filter(|step| *step > 0.0).fold(f64::INFINITY, f64::min).min(1e9))
    }

    fn begin(&mut self) -> Result<(), Failure> {
        self.began = Instant::now();
        Ok(())
    }

    fn end(&mut self) -> Result<f64, Failure> {
        Ok(nanoseconds(self.began.elapsed()))
    }
}

impl Timer<'_> {
    fn leave_as_new(&mut self) -> Result<(), Failure> {
        for number in 0..self.launches.len() {
            let mut set = self.set(number)?;
            self.undo(&mut set)?;
            set.memory.into_iter().try_for_each(|fenced| fenced.finish(false))?;
        }
        Ok(())
    }
}

fn timed(ready: &mut Ready, calls: usize) -> f64 {
    let start = Instant::now();
    for _ in 0..calls {
        ready.call();
    }
    nanoseconds(start.elapsed())
}

fn nanoseconds(time: Duration) -> f64 {
    time.as_nanos() as f64
}

/// Puts a launch's memory out of all caches; false where the processor has no instruction for it.
#[cfg(target_arch = "x86_64")]
fn empty_caches(memory: &[Fenced], launch: &LaunchOrder) -> bool {
    use std::arch::x86_64::{_mm_clflush, _mm_mfence};
    for (fenced, buffer) in memory.iter().zip(&launch.buffers) {
        for line in fenced.seen(buffer.len).chunks(LINE) {
            // SAFETY: the address is that of a slice, and the instruction changes nothing that a program can see
            unsafe { _mm_clflush(line.as_ptr()) };
        }
    }
    // SAFETY: it only waits for what came before
    unsafe { _mm_mfence() };
    true
}

#[cfg(not(target_arch = "x86_64"))]
fn empty_caches(_memory: &[Fenced], _launch: &LaunchOrder) -> bool {
    false
}
