//! The child's side of timing, whatever the device: calls a loaded kernel on several sets of buffers in turn, by the
//! clock that the device has.
//!
//! Before each sample a set lies elsewhere, or where another lay. What a kernel writes is made undone before every call
//! that counts alone and before the last of every batch, so that one which did its work in an earlier call leaves wrong
//! results, which the checksum shows.

use std::io::{self, Read, Seek, SeekFrom};
use std::time::Instant;

use ktwin_check::bench::{Times, Timing, checksum, is_precise, median};
use ktwin_check::{Access, Failure};

use super::wire::{Handed, LaunchOrder};
use super::worker::Copied;

/// Nanoseconds of the batch that the parent process times as well.
const LONG: u128 = 100_000_000;
/// Most samples: all of them fit the message that carries them.
const SAMPLES: usize = 2000;
/// Samples after which the warm-up looks whether times still change, and how often it looks.
const WINDOW: usize = 6;
const WINDOWS: usize = 10;

/// A device that can be asked how long calls take.
pub trait Clock {
    /// A launch's buffers in the device's memory, and all that its kernels are started with.
    type Set;

    /// Nanoseconds that a batch takes at least: many times what the clock can tell apart.
    const BATCH: f64;

    /// A set of fresh memory, with what buffers hold before this launch.
    fn set(&mut self, number: usize) -> Result<Self::Set, Failure>;

    /// Undoes what the kernel wrote.
    fn undo(&mut self, set: &mut Self::Set) -> Result<(), Failure>;

    /// A checksum of what the kernel computed.
    fn sum(&mut self, set: &Self::Set) -> Result<u64, Failure>;

    /// Puts the set out of all caches; false where that cannot be done.
    fn empty_caches(&mut self, set: &Self::Set) -> Result<bool, Failure>;

    /// Nanoseconds of so many calls, one after the other.
    fn calls(&mut self, set: &mut Self::Set, count: usize) -> Result<f64, Failure>;

    /// Nanoseconds of a call that does nothing.
    fn nothing(&mut self) -> Result<f64, Failure>;

    /// Nanoseconds between two times that the clock can tell apart.
    fn step(&mut self) -> Result<f64, Failure>;

    /// A span of time begins.
    fn begin(&mut self) -> Result<(), Failure>;

    /// How many nanoseconds ago it began, when all that was asked for is done.
    fn end(&mut self) -> Result<f64, Failure>;
}

struct Sampler<'a, C: Clock> {
    clock: &'a mut C,
    launches: &'a [LaunchOrder],
    /// The set of the sample before, which keeps the next one from its place.
    last: Option<C::Set>,
    batch: usize,
    at: usize,
    times: Times,
}

/// Times calls on these launches; `mark` tells the parent process that the long batch begins, and that it ends.
pub fn time<C: Clock>(
    clock: &mut C,
    launches: &[LaunchOrder],
    timing: &Timing,
    mark: &mut dyn FnMut(),
) -> Result<Times, Failure> {
    let times = Times { checksums: vec![0; launches.len()], ..Times::default() };
    let mut sampler = Sampler { clock, launches, last: None, batch: 1, at: 0, times };
    sampler.warm_up()?;
    let started = Instant::now();
    loop {
        sampler.sample(true)?;
        let Times { cold, warm, .. } = &sampler.times;
        let enough = warm.len() >= timing.samples.max(launches.len()) && started.elapsed() >= timing.least;
        // sorting thousands of times takes time as well
        let looked = warm.len() < 64 || warm.len() % 16 == 0;
        let precise = |times: &[f64]| times.is_empty() || is_precise(times, timing.precision);
        if enough && looked && precise(warm) && precise(cold) {
            break;
        }
        if warm.len() >= SAMPLES || started.elapsed() >= timing.most {
            break;
        }
    }
    let each = (0..31).map(|_| sampler.clock.nothing()).collect::<Result<Vec<f64>, Failure>>()?;
    sampler.times.overhead = median(&each);
    sampler.times.step = sampler.clock.step()?;
    sampler.long(mark, timing.calls)?;
    Ok(Times { batch: sampler.batch, ..sampler.times })
}

/// Copies of a launch's buffers, as they are before it.
#[cfg(any(feature = "cuda", feature = "opencl", feature = "vulkan"))]
pub fn before(launch: &LaunchOrder) -> Result<Vec<Copied>, Failure> {
    let copied = |handed: &Handed| -> io::Result<Copied> {
        let (mut file, mut bytes) = (handed.memory.again()?, vec![0; handed.len]);
        file.seek(SeekFrom::Start(0))?;
        file.read_exact(&mut bytes)?;
        Ok(Copied { bytes, body: handed.body.clone(), access: handed.access })
    };
    let all = launch.buffers.iter().map(copied).collect::<io::Result<Vec<Copied>>>();
    all.map_err(|e| Failure::Broken(format!("cannot read a buffer: {e}")))
}

/// Calls of a kernel that does nothing which are timed together, where a device has such a kernel.
#[cfg(any(feature = "cuda", feature = "opencl", feature = "vulkan"))]
pub const CALLS: usize = 100;

/// Whether a buffer holds results.
fn is_result(buffer: &Handed) -> bool {
    matches!(buffer.access, Access::Write | Access::ReadWrite)
}

/// The numbers of the buffers that a launch may change.
#[cfg(any(feature = "cuda", feature = "opencl", feature = "vulkan"))]
pub fn changed(launch: &LaunchOrder) -> impl Iterator<Item = usize> {
    let all = launch.buffers.iter().enumerate();
    all.filter(|(_, buffer)| buffer.access != Access::Read).map(|(number, _)| number)
}

/// A checksum of the results of a launch, each of which is read whole, by its number, from the device.
#[cfg(any(feature = "cuda", feature = "opencl", feature = "vulkan"))]
pub fn read_results(
    launch: &LaunchOrder,
    read: impl Fn(usize) -> Result<Vec<u8>, Failure>,
) -> Result<u64, Failure> {
    let all = launch.buffers.iter().enumerate();
    let read = all.map(|(number, buffer)| if is_result(buffer) { read(number) } else { Ok(Vec::new()) });
    let read = read.collect::<Result<Vec<_>, Failure>>()?;
    Ok(of_results(launch, read.iter().map(Vec::as_slice)))
}

/// A checksum of the results of a launch, whose buffers are given whole.
pub fn of_results<'a>(launch: &LaunchOrder, memory: impl IntoIterator<Item = &'a [u8]>) -> u64 {
    let both = memory.into_iter().zip(&launch.buffers);
    let results = both.filter(|(_, buffer)| is_result(buffer));
    checksum(results.map(|(bytes, buffer)| &bytes[buffer.body.clone()]))
}

impl<C: Clock> Sampler<'_, C> {
    fn set(&mut self, number: usize) -> Result<C::Set, Failure> {
        let turn = self.at / self.launches.len() + self.at;
        if turn.is_multiple_of(2) {
            self.last = None;
        }
        self.at += 1;
        self.clock.set(number)
    }

    fn checked(&mut self, number: usize, set: &C::Set) -> Result<(), Failure> {
        let sum = self.clock.sum(set)?;
        let known = &mut self.times.checksums[number];
        match *known {
            0 => *known = sum,
            other if other != sum && self.times.changed.is_none() => {
                self.times.changed = Some(self.times.warm.len());
            }
            _ => {}
        }
        Ok(())
    }

    // One sample of each kind, kept or only looked at. The nanoseconds of a call that is warm.
    fn sample(&mut self, keep: bool) -> Result<f64, Failure> {
        let number = self.at % self.launches.len();
        let mut set = self.set(number)?;
        self.clock.undo(&mut set)?;
        let emptied = self.clock.empty_caches(&set)?;
        let cold = self.clock.calls(&mut set, 1)?;
        self.checked(number, &set)?;
        self.clock.undo(&mut set)?;
        if self.batch > 1 {
            // what was read and undone lies in the caches: after a call the set itself does
            self.clock.calls(&mut set, 1)?;
        }
        let warm = self.clock.calls(&mut set, self.batch)? / self.batch as f64;
        let mut anew = None;
        if self.batch > 1 {
            // a device that waits for work takes longer for one call: this one is checked, and is none of the figures
            self.clock.undo(&mut set)?;
            anew = Some(self.clock.calls(&mut set, 1)?);
        }
        self.checked(number, &set)?;
        if keep {
            self.times.anew.extend(anew);
            self.times.warm.push(warm);
            self.times.cold.extend(emptied.then_some(cold));
        }
        self.last = Some(set);
        Ok(warm)
    }

    // Until the times of a window are those of the window before. Calls whose buffers must be made anew before each of
    // them are not batched.
    fn warm_up(&mut self) -> Result<(), Failure> {
        let again = |access| matches!(access, Access::ReadWrite | Access::Scratch);
        let alone = self.launches.iter().flat_map(|launch| &launch.buffers).any(|b| again(b.access));
        let mut before = f64::NAN;
        for _ in 0..WINDOWS {
            let window = (0..WINDOW).map(|_| self.sample(false)).collect::<Result<Vec<f64>, Failure>>()?;
            let now = median(&window);
            if !alone {
                self.batch = (C::BATCH / now.max(1.0)).ceil().clamp(1.0, 50e3) as usize;
            }
            self.times.stable = (now / before - 1.0).abs() < 0.05;
            if self.times.stable {
                break;
            }
            before = now;
        }
        Ok(())
    }

    // A batch that is long enough for two processes to agree on how long it takes. It goes through all sets, and every
    // call finds outputs undone, so that what is remembered of a call before helps none.
    fn long(&mut self, mark: &mut dyn FnMut(), calls: Option<u32>) -> Result<(), Failure> {
        let mut sets = Vec::new();
        for number in 0..self.launches.len() {
            let mut set = self.set(number)?;
            self.clock.undo(&mut set)?;
            sets.push(set);
        }
        let mut done = 0;
        mark();
        let start = Instant::now();
        self.clock.begin()?;
        while calls.map_or(start.elapsed().as_nanos() < LONG, |calls| done < calls as usize) {
            let number = done % sets.len();
            self.clock.undo(&mut sets[number])?;
            self.clock.calls(&mut sets[number], 1)?;
            self.checked(number, &sets[number])?;
            done += 1;
        }
        self.times.long = self.clock.end()? as u64;
        mark();
        self.times.calls = done;
        Ok(())
    }
}
