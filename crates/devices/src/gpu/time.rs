//! Times shaders on a GPU, by the timestamps that it writes between dispatches.

use ktwin_check::Failure;
use ktwin_check::bench::{Times, Timing};
use wgpu::{BufferUsages, Features};

use super::run::{Bound, Opened, Shader, module, pipeline, scoped};
use crate::child::sampler::{self, CALLS, Clock, before, changed, read_results};
use crate::child::wire::LaunchOrder;

/// What a device must have for it.
pub const NEEDED: Features = Features::TIMESTAMP_QUERY;

/// A shader that does nothing.
const NOTHING: &str = "@compute @workgroup_size(1) fn nothing() {}";
/// Bytes whose filling empties caches.
const LARGE: u64 = 128 << 20;
/// Bytes of a timestamp.
const STAMP: u64 = 8;

/// A device's clock.
pub struct Stamps {
    stamps: wgpu::QuerySet,
    /// Where stamps are written to be read.
    written: wgpu::Buffer,
    /// Nanoseconds of one step of the clock.
    period: f64,
}

struct Timer<'a> {
    shader: &'a mut Shader,
    launches: &'a [LaunchOrder],
    flusher: wgpu::Buffer,
    nothing: wgpu::ComputePipeline,
    stamps: Stamps,
    /// When the first call of a span began, and when the last one ended.
    span: Option<(u64, u64)>,
}

struct Set {
    number: usize,
    /// What buffers hold before the launch.
    images: Vec<wgpu::Buffer>,
    buffers: Vec<wgpu::Buffer>,
    bound: Vec<Bound>,
}

/// Times calls on these launches; `mark` tells the parent process that the long batch begins, and that it ends.
pub fn time(
    shader: &mut Shader,
    launches: &[LaunchOrder],
    timing: &Timing,
    mark: &mut dyn FnMut(),
) -> Result<Times, Failure> {
    sampler::time(&mut Timer::new(shader, launches)?, launches, timing, mark)
}

impl Stamps {
    /// Of an opened device, where it keeps times.
    pub fn of(opened: &Opened) -> Result<Stamps, Failure> {
        let Opened { device, queue } = opened;
        if !device.features().contains(NEEDED) {
            return Err(Failure::Unsupported("this adapter keeps no times (timestamp queries)".into()));
        }
        let period = f64::from(queue.get_timestamp_period());
        let described = wgpu::QuerySetDescriptor { label: None, ty: wgpu::QueryType::Timestamp, count: 2 };
        scoped(device, Failure::Unsupported, || Stamps {
            stamps: device.create_query_set(&described),
            written: opened.room(2 * STAMP, BufferUsages::QUERY_RESOLVE | BufferUsages::COPY_SRC),
            period,
        })
    }

    /// When a pass began and when it ended, in steps of the clock.
    pub fn pass(
        &self,
        opened: &Opened,
        record: impl FnOnce(&mut wgpu::ComputePass<'_>),
    ) -> Result<(u64, u64), Failure> {
        let mut encoder = opened.device.create_command_encoder(&Default::default());
        let writes = wgpu::ComputePassTimestampWrites {
            query_set: &self.stamps,
            beginning_of_pass_write_index: Some(0),
            end_of_pass_write_index: Some(1),
        };
        let described = wgpu::ComputePassDescriptor { label: None, timestamp_writes: Some(writes) };
        record(&mut encoder.begin_compute_pass(&described));
        encoder.resolve_query_set(&self.stamps, 0..2, &self.written, 0);
        opened.queue.submit([encoder.finish()]);
        let bytes = opened.read(&self.written, 2 * STAMP as usize)?;
        let mut both = bytes.as_chunks::<8>().0.iter().map(|stamp| u64::from_le_bytes(*stamp));
        Ok((both.next().unwrap_or(0), both.next().unwrap_or(0)))
    }

    /// Nanoseconds from one to the other.
    pub fn between(&self, (began, ended): (u64, u64)) -> f64 {
        ended.saturating_sub(began) as f64 * self.period
    }
}

impl<'a> Timer<'a> {
    fn new(shader: &'a mut Shader, launches: &'a [LaunchOrder]) -> Result<Timer<'a>, Failure> {
        let (opened, stamps) = (&shader.opened, Stamps::of(&shader.opened)?);
        let large = LARGE.min(opened.device.limits().max_buffer_size);
        let (flusher, nothing) = scoped(&opened.device, Failure::Unsupported, || {
            (opened.room(large, BufferUsages::COPY_DST), nothing(&opened.device))
        })?;
        Ok(Timer { shader, launches, flusher, nothing, stamps, span: None })
    }

    // Nanoseconds from the beginning to the end of a pass.
    fn timed(&mut self, record: impl FnOnce(&mut wgpu::ComputePass<'_>)) -> Result<f64, Failure> {
        let (began, ended) = self.stamps.pass(&self.shader.opened, record)?;
        self.span = Some((self.span.map_or(began, |(start, _)| start), ended));
        Ok(self.stamps.between((began, ended)))
    }
}

fn nothing(device: &wgpu::Device) -> wgpu::ComputePipeline {
    pipeline(device, &module(device, NOTHING.to_owned()), None, "", &[])
}

impl Clock for Timer<'_> {
    type Set = Set;

    const BATCH: f64 = 200e3;

    fn set(&mut self, number: usize) -> Result<Set, Failure> {
        let copies = before(&self.launches[number])?;
        let (images, _) = self.shader.bound(&copies, &[])?;
        let (buffers, bound) = self.shader.bound(&copies, &self.launches[number].steps)?;
        Ok(Set { number, images, buffers, bound })
    }

    fn undo(&mut self, set: &mut Set) -> Result<(), Failure> {
        let mut encoder = self.shader.opened.device.create_command_encoder(&Default::default());
        for n in changed(&self.launches[set.number]) {
            encoder.copy_buffer_to_buffer(&set.images[n], 0, &set.buffers[n], 0, set.buffers[n].size());
        }
        self.shader.opened.queue.submit([encoder.finish()]);
        Ok(())
    }

    fn sum(&mut self, set: &Set) -> Result<u64, Failure> {
        let (opened, order) = (&self.shader.opened, &self.launches[set.number]);
        read_results(order, |number| opened.read(&set.buffers[number], order.buffers[number].len))
    }

    fn empty_caches(&mut self, _set: &Set) -> Result<bool, Failure> {
        let mut encoder = self.shader.opened.device.create_command_encoder(&Default::default());
        encoder.clear_buffer(&self.flusher, 0, None);
        self.shader.opened.queue.submit([encoder.finish()]);
        self.shader.opened.wait().map(|()| true)
    }

    fn calls(&mut self, set: &mut Set, count: usize) -> Result<f64, Failure> {
        self.timed(|pass| (0..count).for_each(|_| set.bound.iter().for_each(|step| step.dispatch(pass))))
    }

    fn nothing(&mut self) -> Result<f64, Failure> {
        let nothing = self.nothing.clone();
        let all = self.timed(|pass| {
            pass.set_pipeline(&nothing);
            (0..CALLS).for_each(|_| pass.dispatch_workgroups(1, 1, 1));
        });
        Ok(all? / CALLS as f64)
    }

    fn step(&mut self) -> Result<f64, Failure> {
        Ok(self.stamps.period)
    }

    fn begin(&mut self) -> Result<(), Failure> {
        self.shader.opened.wait()?;
        self.span = None;
        Ok(())
    }

    fn end(&mut self) -> Result<f64, Failure> {
        Ok(self.span.map_or(0.0, |span| self.stamps.between(span)))
    }
}
