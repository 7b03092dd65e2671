//! The child's side of timing: calls a loaded kernel on several sets of buffers in turn, and looks at the clock.
//!
//! Before each sample a set is mapped anew, now at other addresses, now at those that another set had. What the kernel
//! writes is made undone before every call that counts alone and before the last of every batch, so that a kernel
//! which did its work in an earlier call leaves wrong results, which the checksum shows.
#![cfg_attr(target_arch = "x86_64", expect(unsafe_code, reason = "emptying caches takes an instruction"))]

use std::time::{Duration, Instant};

use ktwin_check::bench::{Times, Timing, checksum, is_precise, median};
use ktwin_check::{Access, Failure};

use super::call::{Functions, Ready};
use super::fence::Fenced;
use crate::child::wire::LaunchOrder;

/// Nanoseconds that a batch takes at least: a hundred times what looking at the clock costs.
const BATCH: f64 = 50e3;
/// Nanoseconds of the batch that the parent process times as well.
const LONG: f64 = 100e6;
/// Most samples: all of them fit the message that carries them.
const SAMPLES: usize = 2000;
/// Samples after which the warm-up looks whether times still change, and how often it looks.
const WINDOW: usize = 6;
const WINDOWS: usize = 10;
/// Bytes of a line of the caches.
const LINE: usize = 64;

/// What buffers that a kernel writes hold before a call.
type Image = Vec<Option<Vec<u8>>>;

struct Timer<'a> {
    functions: &'a Functions,
    launches: &'a [LaunchOrder],
    images: Vec<Image>,
    /// The memory of the sample before, which keeps the next one from its addresses.
    last: Vec<Fenced>,
    batch: usize,
    at: usize,
    times: Times,
}

/// Times calls on these launches; `mark` tells the parent process that the long batch begins, and that it ends.
pub fn time(
    functions: &Functions,
    launches: &[LaunchOrder],
    timing: &Timing,
    mark: &mut dyn FnMut(),
) -> Result<Times, Failure> {
    let images = launches.iter().map(image).collect::<Result<Vec<Image>, Failure>>()?;
    let times = Times { checksums: vec![0; launches.len()], ..Times::default() };
    let mut timer = Timer { functions, launches, images, last: Vec::new(), batch: 1, at: 0, times };
    timer.warm_up()?;
    let started = Instant::now();
    loop {
        timer.sample(true)?;
        let Times { cold, warm, .. } = &timer.times;
        let enough = warm.len() >= timing.samples.max(launches.len()) && started.elapsed() >= timing.least;
        // sorting thousands of times takes time as well
        let precise = |times: &[f64]| times.is_empty() || is_precise(times, timing.precision);
        if enough && (warm.len() < 64 || warm.len() % 16 == 0) && precise(warm) && precise(cold) {
            break;
        }
        if warm.len() >= SAMPLES || started.elapsed() >= timing.most {
            break;
        }
    }
    timer.times.overhead = overhead();
    timer.long(mark, timing.calls)?;
    timer.leave_as_new()?;
    Ok(Times { batch: timer.batch, ..timer.times })
}

fn image(launch: &LaunchOrder) -> Result<Image, Failure> {
    let each = launch.buffers.iter().map(|buffer| match buffer.access {
        Access::Read => Ok(None),
        _ => Fenced::again(buffer).map(|mut fenced| Some(fenced.all(buffer.len).to_vec())),
    });
    each.collect()
}

impl Timer<'_> {
    fn map(&mut self, number: usize) -> Result<Vec<Fenced>, Failure> {
        let turn = self.at / self.launches.len() + self.at;
        if turn.is_multiple_of(2) {
            self.last.clear();
        }
        self.at += 1;
        self.launches[number].buffers.iter().map(Fenced::again).collect()
    }

    // Undoes what the kernel wrote, and leaves the inputs as the last that was read.
    fn restore(&self, number: usize, memory: &mut [Fenced]) {
        let buffers = memory.iter_mut().zip(&self.launches[number].buffers).zip(&self.images[number]);
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
    }

    fn checked(&mut self, number: usize, memory: &[Fenced]) {
        let both = memory.iter().zip(&self.launches[number].buffers);
        let results = both.filter(|(_, buffer)| matches!(buffer.access, Access::Write | Access::ReadWrite));
        let sum = checksum(results.map(|(fenced, buffer)| &fenced.seen(buffer.len)[buffer.body.clone()]));
        let known = &mut self.times.checksums[number];
        match *known {
            0 => *known = sum,
            other if other != sum && self.times.changed.is_none() => {
                self.times.changed = Some(self.times.warm.len());
            }
            _ => {}
        }
    }

    // One sample of each kind, kept or only looked at. The nanoseconds of a call that is warm.
    fn sample(&mut self, keep: bool) -> Result<f64, Failure> {
        let number = self.at % self.launches.len();
        let mut memory = self.map(number)?;
        self.restore(number, &mut memory);
        let mut ready = self.functions.ready(&self.launches[number].steps, &mut memory)?;
        let emptied = empty_caches(&memory, &self.launches[number]);
        let cold = timed(&mut ready, 1);
        self.checked(number, &memory);
        self.restore(number, &mut memory);
        let mut warm = if self.batch > 1 { timed(&mut ready, self.batch - 1) } else { 0.0 };
        if self.batch > 1 {
            self.restore(number, &mut memory);
        }
        warm = (warm + timed(&mut ready, 1)) / self.batch as f64;
        self.checked(number, &memory);
        if keep {
            self.times.warm.push(warm);
            self.times.cold.extend(emptied.then_some(cold));
        }
        self.last = memory;
        Ok(warm)
    }

    // Until the times of a window are those of the window before. Calls whose buffers must be made anew before each of
    // them are not batched.
    fn warm_up(&mut self) -> Result<(), Failure> {
        let again = |access| matches!(access, Access::ReadWrite | Access::Scratch);
        let alone = self.launches.iter().flat_map(|l| &l.buffers).any(|b| again(b.access));
        let mut before = f64::NAN;
        for _ in 0..WINDOWS {
            let window = (0..WINDOW).map(|_| self.sample(false)).collect::<Result<Vec<f64>, Failure>>()?;
            let now = median(&window);
            if !alone {
                self.batch = (BATCH / now.max(1.0)).ceil().clamp(1.0, 50e3) as usize;
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
            let mut memory = self.map(number)?;
            let ready = self.functions.ready(&self.launches[number].steps, &mut memory)?;
            sets.push((memory, ready));
        }
        let (mut done, mut time) = (0, 0.0);
        mark();
        let start = Instant::now();
        while calls.map_or(time < LONG, |calls| done < calls as usize) {
            let number = done % sets.len();
            let (memory, ready) = &mut sets[number];
            self.restore(number, memory);
            ready.call();
            self.checked(number, memory);
            (done, time) = (done + 1, nanoseconds(start.elapsed()));
        }
        mark();
        (self.times.calls, self.times.long) = (done, time as u64);
        Ok(())
    }

    fn leave_as_new(&mut self) -> Result<(), Failure> {
        for number in 0..self.launches.len() {
            let mut memory = self.map(number)?;
            self.restore(number, &mut memory);
            memory.into_iter().try_for_each(Fenced::finish)?;
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

// What a call costs that does nothing, by the same loop and the same clock.
fn overhead() -> f64 {
    let mut nothing = Ready::nothing();
    let each = (0..31).map(|_| timed(&mut nothing, 10_000) / 10_000.0);
    median(&each.collect::<Vec<f64>>())
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
