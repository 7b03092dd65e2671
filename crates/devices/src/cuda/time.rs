//! Times a module's kernels on a card, by the card's own clock: several sets of buffers in turn, as `native::time` does
//! on the host. Before each sample a set lies elsewhere, or where another lay. What a kernel writes is made undone
//! before every call that counts alone and before the last of every batch, so that one which did its work in an earlier
//! call leaves wrong results, which the checksum shows.

use std::ffi::CString;
use std::io::{Read, Seek, SeekFrom};
use std::time::Instant;

use ktwin_check::bench::{Times, Timing, checksum, is_precise, median};
use ktwin_check::{Access, Failure};

use super::library::{Handle, Memory, Place, Start, Status};
use super::run::Built;
use crate::child::wire::{Handed, LaunchOrder};

/// Nanoseconds that a batch takes at least: many times what the card's clock can tell apart.
const BATCH: f64 = 200e3;
/// Nanoseconds of the batch that the parent process times as well.
const LONG: f64 = 100e6;
/// Most samples: all of them fit the message that carries them.
const SAMPLES: usize = 2000;
/// Samples after which the warm-up looks whether times still change, and how often it looks.
const WINDOW: usize = 6;
const WINDOWS: usize = 10;
/// A kernel that does nothing.
const NOTHING: &str =
    ".version 6.0\n.target sm_50\n.address_size 64\n.visible .entry nothing()\n{\n ret;\n}\n";

/// A launch's buffers as they are before it, on the card.
struct Image<'a> {
    order: &'a LaunchOrder,
    buffers: Vec<Memory<'a>>,
}

struct Timer<'a> {
    built: &'a Built,
    images: Vec<Image<'a>>,
    flusher: Memory<'a>,
    /// The moments between which something is timed.
    moments: (Handle, Handle),
    /// The memory of the sample before, which keeps the next one from its place.
    last: Vec<Memory<'a>>,
    batch: usize,
    at: usize,
    times: Times,
}

/// Times calls on these launches; `mark` tells the parent process that the long batch begins, and that it ends.
pub fn time(
    built: &Built,
    launches: &[LaunchOrder],
    timing: &Timing,
    mark: &mut dyn FnMut(),
) -> Result<Times, Failure> {
    let mut timer = Timer::new(built, launches)?;
    timer.warm_up()?;
    let started = Instant::now();
    loop {
        timer.sample(true)?;
        let Times { cold, warm, .. } = &timer.times;
        let enough = warm.len() >= timing.samples.max(launches.len()) && started.elapsed() >= timing.least;
        let looked = warm.len() < 64 || warm.len() % 16 == 0;
        if enough && looked && is_precise(warm, timing.precision) && is_precise(cold, timing.precision) {
            break;
        }
        if warm.len() >= SAMPLES || started.elapsed() >= timing.most {
            break;
        }
    }
    timer.times.overhead = timer.overhead()?;
    timer.long(mark, timing.calls)?;
    Ok(Times { batch: timer.batch, ..timer.times })
}

fn contents(handed: &Handed) -> Result<Vec<u8>, Failure> {
    let broken = |e: std::io::Error| Failure::Broken(format!("cannot read a buffer: {e}"));
    let (mut file, mut bytes) = (handed.memory.again().map_err(broken)?, vec![0; handed.len]);
    file.seek(SeekFrom::Start(0)).map_err(broken)?;
    file.read_exact(&mut bytes).map_err(broken)?;
    Ok(bytes)
}

impl<'a> Timer<'a> {
    fn new(built: &'a Built, launches: &'a [LaunchOrder]) -> Result<Timer<'a>, Failure> {
        let image = |order: &'a LaunchOrder| {
            let each = order.buffers.iter().map(|handed| built.placed(&contents(handed)?));
            Ok(Image { order, buffers: each.collect::<Result<_, Failure>>()? })
        };
        let images = launches.iter().map(image).collect::<Result<Vec<_>, Failure>>()?;
        let moment = || built.card.api.event().map_err(|e| built.card.api.failure(e, "cuEventCreate"));
        let times = Times { checksums: vec![0; launches.len()], ..Times::default() };
        let (flusher, moments) = (built.flusher()?, (moment()?, moment()?));
        Ok(Timer { built, images, flusher, moments, last: Vec::new(), batch: 1, at: 0, times })
    }

    fn done<T>(&self, answer: Result<T, Status>) -> Result<T, Failure> {
        answer.map_err(|status| self.built.card.api.failure(status, "timing on the card"))
    }

    // Fresh memory of the card for a set of buffers, with what they hold before a launch.
    fn map(&mut self, number: usize) -> Result<Vec<Memory<'a>>, Failure> {
        let turn = self.at / self.images.len() + self.at;
        if turn.is_multiple_of(2) {
            self.last.clear();
        }
        self.at += 1;
        let api = &self.built.card.api;
        let all = self.images[number].buffers.iter().map(|image| {
            let memory = self.done(api.allocate(image.len))?;
            self.done(api.copy(&memory, image))?;
            Ok(memory)
        });
        all.collect()
    }

    fn ready(&self, number: usize, memory: &[Memory<'_>]) -> Result<Vec<Start>, Failure> {
        let order = self.images[number].order;
        let places = memory.iter().zip(&order.buffers).map(|(on, of)| on.place + of.body.start as u64);
        let places: Vec<Place> = places.collect();
        order.steps.iter().map(|step| self.built.start(step, &places)).collect()
    }

    // Undoes what the kernel wrote.
    fn restore(&self, number: usize, memory: &[Memory<'_>]) -> Result<(), Failure> {
        let image = &self.images[number];
        for ((memory, before), handed) in memory.iter().zip(&image.buffers).zip(&image.order.buffers) {
            if handed.access != Access::Read {
                self.done(self.built.card.api.copy(memory, before))?;
            }
        }
        Ok(())
    }

    fn checked(&mut self, number: usize, memory: &[Memory<'_>]) -> Result<(), Failure> {
        let mut results = Vec::new();
        for (memory, handed) in memory.iter().zip(&self.images[number].order.buffers) {
            if matches!(handed.access, Access::Write | Access::ReadWrite) {
                let mut bytes = vec![0; memory.len];
                self.done(self.built.card.api.get(memory, &mut bytes))?;
                results.push((bytes, handed.body.clone()));
            }
        }
        let sum = checksum(results.iter().map(|(bytes, body)| &bytes[body.clone()]));
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

    // Nanoseconds on the card's clock of so many calls, one after the other.
    fn timed(&self, starts: &[Start], calls: usize) -> Result<f64, Failure> {
        let (api, (first, last)) = (&self.built.card.api, self.moments);
        self.done(api.record(first))?;
        for _ in 0..calls {
            starts.iter().try_for_each(|start| self.done(api.start(start)))?;
        }
        self.done(api.record(last))?;
        self.done(api.wait())?;
        self.done(api.between(first, last))
    }

    // One sample of each kind, kept or only looked at. The nanoseconds of a call that is warm.
    fn sample(&mut self, keep: bool) -> Result<f64, Failure> {
        let number = self.at % self.images.len();
        let memory = self.map(number)?;
        let starts = self.ready(number, &memory)?;
        self.done(self.built.card.api.fill(&self.flusher, 0))?;
        let cold = self.timed(&starts, 1)?;
        self.checked(number, &memory)?;
        self.restore(number, &memory)?;
        let warm = self.timed(&starts, self.batch)? / self.batch as f64;
        if self.batch > 1 {
            // a card that waits for work takes longer for one call: this one is checked, and not timed
            self.restore(number, &memory)?;
            self.timed(&starts, 1)?;
        }
        self.checked(number, &memory)?;
        if keep {
            self.times.warm.push(warm);
            self.times.cold.push(cold);
        }
        self.last = memory;
        Ok(warm)
    }

    // Until the times of a window are those of the window before. Calls whose buffers must be made anew before each of
    // them are not batched.
    fn warm_up(&mut self) -> Result<(), Failure> {
        let again = |access| matches!(access, Access::ReadWrite | Access::Scratch);
        let alone = self.images.iter().flat_map(|image| &image.order.buffers).any(|b| again(b.access));
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

    // What a launch costs that does nothing, by the same clock.
    fn overhead(&self) -> Result<f64, Failure> {
        let api = &self.built.card.api;
        let text = CString::new(NOTHING).unwrap_or_default();
        let module = self.done(api.module(&text).map_err(|(status, _)| status))?;
        let (grid, block, shared) = ([1; 3], [32, 1, 1], 0);
        let functions = self.done(api.functions(module))?.into_iter();
        let starts = functions.map(|(_, function)| {
            let parameters = Vec::new();
            Start { function, grid, block, shared, parameters, together: false }
        });
        let starts: Vec<Start> = starts.collect();
        let each = (0..31).map(|_| Ok(self.timed(&starts, 100)? / 100.0));
        Ok(median(&each.collect::<Result<Vec<f64>, Failure>>()?))
    }

    // A batch that is long enough for two processes to agree on how long it takes. It goes through all sets, and every
    // call finds outputs undone, so that what is remembered of a call before helps none.
    fn long(&mut self, mark: &mut dyn FnMut(), calls: Option<u32>) -> Result<(), Failure> {
        let mut sets = Vec::new();
        for number in 0..self.images.len() {
            let memory = self.map(number)?;
            let starts = self.ready(number, &memory)?;
            sets.push((memory, starts));
        }
        let (api, mut done) = (&self.built.card.api, 0);
        let span = (self.done(api.event())?, self.done(api.event())?);
        self.done(api.wait())?;
        mark();
        let start = Instant::now();
        self.done(api.record(span.0))?;
        while calls.map_or((start.elapsed().as_nanos() as f64) < LONG, |calls| done < calls as usize) {
            let number = done % sets.len();
            let (memory, starts) = &sets[number];
            self.restore(number, memory)?;
            self.timed(starts, 1)?;
            self.checked(number, memory)?;
            done += 1;
        }
        self.done(api.record(span.1))?;
        self.done(api.wait())?;
        mark();
        self.times.calls = done;
        self.times.long = self.done(api.between(span.0, span.1))? as u64;
        Ok(())
    }
}
