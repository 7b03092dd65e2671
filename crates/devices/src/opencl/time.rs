//! Times kernels on a device of OpenCL, by the times that its queue keeps.

use std::ffi::CString;

use ktwin_check::Failure;
use ktwin_check::bench::{Times, Timing};

use super::library::{Event, Handle, Memory};
use super::run::{Built, Placed};
use super::status::Status;
use crate::child::sampler::{self, CALLS, Clock, before, changed, read_results};
use crate::child::wire::LaunchOrder;

/// A kernel that does nothing.
const NOTHING: &str = "__kernel void nothing(void) {}";
/// Bytes whose filling empties caches, where the device names no larger one.
const LARGE: usize = 64 << 20;

struct Timer<'a> {
    built: &'a Built,
    launches: &'a [LaunchOrder],
    /// What buffers hold before each launch, on the device.
    images: Vec<Vec<Placed<'a>>>,
    flusher: Memory<'a>,
    nothing: Handle,
    /// When the first call of a span began, and when the last one ended.
    span: Option<(u64, u64)>,
}

struct Set<'a> {
    number: usize,
    memory: Vec<Placed<'a>>,
}

/// Times calls on these launches; `mark` tells the parent process that the long batch begins, and that it ends.
pub fn time(
    built: &Built,
    launches: &[LaunchOrder],
    timing: &Timing,
    mark: &mut dyn FnMut(),
) -> Result<Times, Failure> {
    sampler::time(&mut Timer::new(built, launches)?, launches, timing, mark)
}

fn done<T>(answer: Result<T, Status>) -> Result<T, Failure> {
    answer.map_err(|status| status.of("timing on the device"))
}

fn nothing(built: &Built) -> Result<Handle, Failure> {
    let api = &built.device.api;
    let program = done(api.program(built.context, NOTHING))?;
    done(api.build(program, built.device.handle, &CString::default()))?;
    done(api.kernels(program))?.pop().ok_or_else(|| Failure::Crash("no kernel".into()))
}

impl<'a> Timer<'a> {
    fn new(built: &'a Built, launches: &'a [LaunchOrder]) -> Result<Timer<'a>, Failure> {
        let image = |order: &LaunchOrder| before(order)?.iter().map(|copied| built.placed(copied)).collect();
        let images = launches.iter().map(image).collect::<Result<Vec<Vec<_>>, Failure>>()?;
        let bytes = (2 * built.device.cache()).max(LARGE);
        let flusher = done(built.device.api.room(built.context, bytes))?;
        Ok(Timer { built, launches, images, flusher, nothing: nothing(built)?, span: None })
    }

    // Nanoseconds from the beginning of the first to the end of the last of so many.
    fn timed(
        &mut self,
        count: usize,
        call: impl Fn() -> Result<Vec<Event<'a>>, Failure>,
    ) -> Result<f64, Failure> {
        let (mut first, mut last) = (None, None);
        for _ in 0..count {
            for event in call()? {
                *(if first.is_none() { &mut first } else { &mut last }) = Some(event);
            }
        }
        done(self.built.device.api.finish(self.built.queue))?;
        let Some(first) = first else { return Ok(0.0) };
        let (began, ended) = (done(first.began())?, done(last.as_ref().unwrap_or(&first).ended())?);
        self.span = Some((self.span.map_or(began, |(start, _)| start), ended));
        Ok(ended.saturating_sub(began) as f64)
    }
}

impl<'a> Clock for Timer<'a> {
    type Set = Set<'a>;

    const BATCH: f64 = 200e3;

    fn set(&mut self, number: usize) -> Result<Set<'a>, Failure> {
        let copies = before(&self.launches[number])?;
        let memory = copies.iter().map(|copied| self.built.placed(copied)).collect::<Result<_, _>>()?;
        Ok(Set { number, memory })
    }

    fn undo(&mut self, set: &mut Set<'a>) -> Result<(), Failure> {
        let (api, queue, images) = (&self.built.device.api, self.built.queue, &self.images[set.number]);
        let copy = |n: usize| done(api.copy(queue, &images[n].whole, &set.memory[n].whole));
        changed(&self.launches[set.number]).try_for_each(copy)
    }

    fn sum(&mut self, set: &Set<'a>) -> Result<u64, Failure> {
        let (api, order) = (&self.built.device.api, &self.launches[set.number]);
        read_results(order, |number| {
            let (placed, mut bytes) = (&set.memory[number], vec![0; order.buffers[number].len]);
            done(api.read(self.built.queue, &placed.whole, placed.pad, &mut bytes)).map(|()| bytes)
        })
    }

    fn empty_caches(&mut self, _set: &Set<'a>) -> Result<bool, Failure> {
        done(self.built.device.api.clear(self.built.queue, &self.flusher)).map(|()| true)
    }

    fn calls(&mut self, set: &mut Set<'a>, count: usize) -> Result<f64, Failure> {
        let (built, steps) = (self.built, &self.launches[set.number].steps);
        self.timed(count, || steps.iter().map(|step| built.step(step, &set.memory)).collect())
    }

    fn nothing(&mut self) -> Result<f64, Failure> {
        let (built, kernel) = (self.built, self.nothing);
        let start = || done(built.device.api.start(built.queue, kernel, [1; 3], [1; 3])).map(|e| vec![e]);
        Ok(self.timed(CALLS, start)? / CALLS as f64)
    }

    fn step(&mut self) -> Result<f64, Failure> {
        Ok(self.built.device.step())
    }

    fn begin(&mut self) -> Result<(), Failure> {
        done(self.built.device.api.finish(self.built.queue))?;
        self.span = None;
        Ok(())
    }

    fn end(&mut self) -> Result<f64, Failure> {
        Ok(self.span.map_or(0.0, |(began, ended)| ended.saturating_sub(began) as f64))
    }
}
