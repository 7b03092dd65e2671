//! Times a module's kernels on a card, by the card's own clock.

use std::ffi::CString;

use ktwin_check::Failure;
use ktwin_check::bench::{Times, Timing};

use super::library::{Handle, Memory, Place, Start, Status};
use super::run::Built;
use crate::child::sampler::{self, CALLS, Clock, before, changed, read_results};
use crate::child::wire::LaunchOrder;

/// A kernel that does nothing.
const NOTHING: &str =
    ".version 6.0\n.target sm_50\n.address_size 64\n.visible .entry nothing()\n{\n ret;\n}\n";

/// Nanoseconds between two events that can be told apart, as NVIDIA documents it.
const STEP: f64 = 500.0;

struct Timer<'a> {
    built: &'a Built,
    launches: &'a [LaunchOrder],
    /// What buffers hold before each launch, on the card.
    images: Vec<Vec<Memory<'a>>>,
    flusher: Memory<'a>,
    nothing: Vec<Start>,
    /// The moments between which calls are timed, and those of a span.
    moments: (Handle, Handle),
    span: (Handle, Handle),
}

struct Set<'a> {
    number: usize,
    memory: Vec<Memory<'a>>,
    starts: Vec<Start>,
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

impl<'a> Timer<'a> {
    fn new(built: &'a Built, launches: &'a [LaunchOrder]) -> Result<Timer<'a>, Failure> {
        let image = |order: &'a LaunchOrder| {
            before(order)?.iter().map(|copied| built.placed(&copied.bytes)).collect()
        };
        let images = launches.iter().map(image).collect::<Result<Vec<Vec<_>>, Failure>>()?;
        let moment = || built.card.api.event().map_err(|e| built.card.api.failure(e, "cuEventCreate"));
        let pair = || Ok::<_, Failure>((moment()?, moment()?));
        let (flusher, nothing) = (built.flusher()?, nothing(built)?);
        Ok(Timer { built, launches, images, flusher, nothing, moments: pair()?, span: pair()? })
    }

    fn done<T>(&self, answer: Result<T, Status>) -> Result<T, Failure> {
        done(self.built, answer)
    }

    // Nanoseconds on the card's clock.
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
}

fn done<T>(built: &Built, answer: Result<T, Status>) -> Result<T, Failure> {
    answer.map_err(|status| built.card.api.failure(status, "timing on the card"))
}

fn nothing(built: &Built) -> Result<Vec<Start>, Failure> {
    let api = &built.card.api;
    let text = CString::new(NOTHING).unwrap_or_default();
    let module = done(built, api.module(&text).map_err(|(status, _)| status))?;
    let (grid, block, shared) = ([1; 3], [32, 1, 1], 0);
    let functions = done(built, api.functions(module))?.into_iter();
    let starts = functions.map(|(_, function)| {
        let parameters = Vec::new();
        Start { function, grid, block, shared, parameters, together: false }
    });
    Ok(starts.collect())
}

impl<'a> Clock for Timer<'a> {
    type Set = Set<'a>;

    const BATCH: f64 = 200e3;

    fn set(&mut self, number: usize) -> Result<Set<'a>, Failure> {
        let (api, order) = (&self.built.card.api, &self.launches[number]);
        let all = self.images[number].iter().map(|image| {
            let memory = self.done(api.allocate(image.len))?;
            self.done(api.copy(&memory, image))?;
            Ok(memory)
        });
        let memory = all.collect::<Result<Vec<_>, Failure>>()?;
        let places = memory.iter().zip(&order.buffers).map(|(on, of)| on.place + of.body.start as u64);
        let places: Vec<Place> = places.collect();
        let starts = order.steps.iter().map(|step| self.built.start(step, &places));
        Ok(Set { number, starts: starts.collect::<Result<_, _>>()?, memory })
    }

    fn undo(&mut self, set: &mut Set<'a>) -> Result<(), Failure> {
        let (api, images) = (&self.built.card.api, &self.images[set.number]);
        changed(&self.launches[set.number]).try_for_each(|n| self.done(api.copy(&set.memory[n], &images[n])))
    }

    fn sum(&mut self, set: &Set<'a>) -> Result<u64, Failure> {
        read_results(&self.launches[set.number], |number| {
            let memory = &set.memory[number];
            let mut bytes = vec![0; memory.len];
            self.done(self.built.card.api.get(memory, &mut bytes)).map(|()| bytes)
        })
    }

    fn empty_caches(&mut self, _set: &Set<'a>) -> Result<bool, Failure> {
        self.done(self.built.card.api.fill(&self.flusher, 0)).map(|()| true)
    }

    fn calls(&mut self, set: &mut Set<'a>, count: usize) -> Result<f64, Failure> {
        self.timed(&set.starts, count)
    }

    fn nothing(&mut self) -> Result<f64, Failure> {
        Ok(self.timed(&self.nothing, CALLS)? / CALLS as f64)
    }

    fn step(&mut self) -> Result<f64, Failure> {
        Ok(STEP)
    }

    fn begin(&mut self) -> Result<(), Failure> {
        self.done(self.built.card.api.wait())?;
        self.done(self.built.card.api.record(self.span.0))
    }

    fn end(&mut self) -> Result<f64, Failure> {
        let api = &self.built.card.api;
        self.done(api.record(self.span.1))?;
        self.done(api.wait())?;
        self.done(api.between(self.span.0, self.span.1))
    }
}
