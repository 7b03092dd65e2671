//! The child's side of GPUs: opens the adapter, compiles the shader, runs launches and reads everything back.

use std::collections::BTreeMap;
use std::ops::Range;

use ktwin_check::bench::{Times, Timing};
use ktwin_check::{Argument, Description, Failure, Step, pack};
use wgpu::util::DeviceExt;

use super::{Binding, Work, raw, time};
use crate::child::wire::LaunchOrder;
use crate::child::{Copied, Ended, Runner};

// What shaders may use where the adapter has it, and what it is called.
const WANTED: &[(&str, wgpu::Features)] = &[
    ("f16", wgpu::Features::SHADER_F16),
    ("f64", wgpu::Features::SHADER_F64),
    ("i64", wgpu::Features::SHADER_INT64),
    ("i16", wgpu::Features::SHADER_I16),
    ("subgroups", wgpu::Features::SUBGROUP),
    ("subgroup barriers", wgpu::Features::SUBGROUP_BARRIER),
    ("f32 atomics", wgpu::Features::SHADER_FLOAT32_ATOMIC),
    ("i64 atomics", wgpu::Features::SHADER_INT64_ATOMIC_ALL_OPS),
];

fn backends(device: &str) -> wgpu::Backends {
    match device {
        "metal" => wgpu::Backends::METAL,
        "dx12" => wgpu::Backends::DX12,
        _ => wgpu::Backends::VULKAN,
    }
}

/// The adapter of this interface that is taken.
pub fn adapter(device: &str) -> Result<wgpu::Adapter, Failure> {
    let backends = backends(device);
    let instance = wgpu::Instance::new(wgpu::InstanceDescriptor {
        backends,
        flags: wgpu::InstanceFlags::empty(),
        ..wgpu::InstanceDescriptor::new_without_display_handle()
    });
    // a real GPU before a driver that computes on the processor
    let mut adapters = pollster::block_on(instance.enumerate_adapters(backends));
    adapters.sort_by_key(|a| a.get_info().device_type == wgpu::DeviceType::Cpu);
    adapters.into_iter().next().ok_or_else(|| {
        let get = match device {
            "vulkan" => {
                "install the GPU's driver, or mesa-vulkan-drivers, which needs no GPU (Debian: \
                 apt-get install mesa-vulkan-drivers)"
            }
            _ => "this machine has no such GPU",
        };
        Failure::Absent { why: format!("no {device} adapter"), get: get.into() }
    })
}

/// What the device is.
pub fn describe(device: &str) -> Result<Description, Failure> {
    let adapter = adapter(device)?;
    let info = adapter.get_info();
    let mut features: Vec<String> = WANTED
        .iter()
        .filter(|(_, f)| adapter.features().contains(*f))
        .map(|(name, _)| (*name).into())
        .collect();
    if let Some(subgroups) = features.iter_mut().find(|f| *f == "subgroups") {
        *subgroups = format!("subgroups {}..{}", info.subgroup_min_size, info.subgroup_max_size);
    }
    Ok(Description { detail: format!("{} ({})", info.name, info.driver_info), features })
}

/// A device in use.
pub struct Opened {
    pub device: wgpu::Device,
    pub queue: wgpu::Queue,
}

/// A shader on a device.
pub struct Shader {
    work: Work,
    pub opened: Opened,
    module: wgpu::ShaderModule,
    /// Whether the driver has the module as it is.
    raw: bool,
    pipelines: BTreeMap<String, (wgpu::ComputePipeline, wgpu::BindGroupLayout)>,
}

/// Opens a device, with its clock where that is wanted.
pub fn open(adapter: &wgpu::Adapter, clock: bool) -> Result<Opened, Failure> {
    let clock = if clock { time::NEEDED } else { wgpu::Features::empty() };
    let wanted = WANTED.iter().fold(clock, |all, (_, f)| all | *f);
    let described = wgpu::DeviceDescriptor {
        required_features: adapter.features() & (wanted | raw::NEEDED | wgpu::Features::IMMEDIATES),
        required_limits: adapter.limits(),
        ..Default::default()
    };
    let opened = pollster::block_on(adapter.request_device(&described));
    let (device, queue) =
        opened.map_err(|e| Failure::Crash(format!("the driver cannot open the device: {e}")))?;
    Ok(Opened { device, queue })
}

/// Opens the device and loads the shader.
pub fn load(work: Work) -> Result<Box<dyn Runner>, Failure> {
    let adapter = adapter(&work.device)?;
    let info = adapter.get_info();
    let widths = i64::from(info.subgroup_min_size)..=i64::from(info.subgroup_max_size);
    if !work.subgroup.is_empty() && !work.subgroup.iter().any(|lanes| widths.contains(lanes)) {
        let (least, most) = widths.into_inner();
        return Err(Failure::Unsupported(format!(
            "its subgroups have {least} to {most} lanes, but the contract asks for {:?}",
            work.subgroup
        )));
    }
    let opened = open(&adapter, work.timing.is_some())?;
    let device = &opened.device;
    // The shader was validated for a device that can do everything: what fails here is what this one lacks.
    let raw = work.spirv && device.features().contains(raw::NEEDED);
    let module = if raw {
        raw::module(device, &work)?
    } else {
        let readable = if work.spirv { ktwin_sim::readable_spirv(&work.source) } else { Vec::new() };
        scoped(device, Failure::Unsupported, || {
            let source = if work.spirv {
                wgpu::util::make_spirv(&readable)
            } else {
                // wgpu knows push constants by their newer name alone
                let text = String::from_utf8_lossy(&work.source);
                let text = text.replace("var<push_constant>", "var<immediate>");
                wgpu::ShaderSource::Wgsl(text.into())
            };
            device.create_shader_module(wgpu::ShaderModuleDescriptor { label: None, source })
        })?
    };
    Ok(Box::new(Shader { work, opened, module, raw, pipelines: BTreeMap::new() }))
}

/// A module of WGSL.
pub fn module(device: &wgpu::Device, text: String) -> wgpu::ShaderModule {
    let source = wgpu::ShaderSource::Wgsl(text.into());
    device.create_shader_module(wgpu::ShaderModuleDescriptor { label: None, source })
}

/// The pipeline of an entry point; of the only one, where that has no name.
pub fn pipeline(
    device: &wgpu::Device,
    module: &wgpu::ShaderModule,
    layout: Option<&wgpu::PipelineLayout>,
    entry: &str,
    constants: &[(&str, f64)],
) -> wgpu::ComputePipeline {
    device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
        label: None,
        layout,
        module,
        entry_point: Some(entry).filter(|entry| !entry.is_empty()),
        compilation_options: wgpu::PipelineCompilationOptions { constants, ..Default::default() },
        cache: None,
    })
}

// Runs something whose errors wgpu reports by another way.
pub fn scoped<T>(
    device: &wgpu::Device,
    trouble: fn(String) -> Failure,
    make: impl FnOnce() -> T,
) -> Result<T, Failure> {
    let memory = device.push_error_scope(wgpu::ErrorFilter::OutOfMemory);
    let internal = device.push_error_scope(wgpu::ErrorFilter::Internal);
    let validation = device.push_error_scope(wgpu::ErrorFilter::Validation);
    let made = make();
    let said = [
        (pollster::block_on(validation.pop()), trouble),
        (pollster::block_on(internal.pop()), Failure::Crash),
        (pollster::block_on(memory.pop()), Failure::OutOfMemory),
    ];
    match said.into_iter().find_map(|(error, kind)| Some((error?, kind))) {
        Some((error, kind)) => Err(kind(error.to_string())),
        None => Ok(made),
    }
}

/// A step with all that is bound for it.
pub struct Bound {
    pipeline: wgpu::ComputePipeline,
    group: wgpu::BindGroup,
    pushed: Vec<u8>,
    grid: [u32; 3],
}

impl Bound {
    /// Starts it in a pass.
    pub fn dispatch(&self, pass: &mut wgpu::ComputePass<'_>) {
        pass.set_pipeline(&self.pipeline);
        pass.set_bind_group(0, &self.group, &[]);
        if !self.pushed.is_empty() {
            pass.set_immediates(0, &self.pushed);
        }
        let [x, y, z] = self.grid;
        pass.dispatch_workgroups(x, y, z);
    }
}

impl Runner for Shader {
    fn run(&mut self, memory: &mut [Copied], steps: &[Step]) -> Result<Ended, Failure> {
        let (buffers, bound) = self.bound(memory, steps)?;
        scoped(&self.opened.device, Failure::Mismatch, || self.submit(&bound))??;
        for (buffer, copied) in buffers.iter().zip(memory) {
            copied.bytes = self.opened.read(buffer, copied.bytes.len())?;
        }
        Ok(Ended::default())
    }

    fn time(
        &mut self,
        launches: &[LaunchOrder],
        timing: &Timing,
        mark: &mut dyn FnMut(),
    ) -> Result<Times, Failure> {
        time::time(self, launches, timing, mark)
    }
}

impl Shader {
    /// Memory of the device with these contents, and a launch's steps on it.
    pub fn bound(
        &mut self,
        memory: &[Copied],
        steps: &[Step],
    ) -> Result<(Vec<wgpu::Buffer>, Vec<Bound>), Failure> {
        for step in steps {
            self.prepare(step)?;
        }
        let device = &self.opened.device;
        let buffers = scoped(device, Failure::Unsupported, || {
            memory.iter().map(|b| self.storage(&b.bytes)).collect::<Vec<_>>()
        })?;
        let bodies: Vec<Range<usize>> = memory.iter().map(|b| b.body.clone()).collect();
        let bound = scoped(device, Failure::Mismatch, || {
            steps.iter().map(|step| self.bind(step, &bodies, &buffers)).collect::<Result<Vec<_>, _>>()
        })??;
        Ok((buffers, bound))
    }

    fn prepare(&mut self, step: &Step) -> Result<(), Failure> {
        let most = self.opened.device.limits().max_compute_workgroups_per_dimension;
        if let Some(groups) = step.grid.iter().find(|groups| **groups > most) {
            let text = format!("{groups} workgroups along one axis: this adapter starts at most {most}");
            return Err(Failure::Unsupported(text));
        }
        if self.pipelines.contains_key(&step.entry) {
            return Ok(());
        }
        // those of SPIR-V are set in its words already
        let constants = self.work.constants.iter().filter(|_| !self.work.spirv);
        let constants: Vec<(&str, f64)> = constants.map(|(name, value)| (name.as_str(), *value)).collect();
        let own = match self.raw || self.work.push > 0 {
            true => Some(raw::layout(&self.opened.device, self.used(step), self.work.push)?),
            false => None,
        };
        let layout = own.as_ref().map(|(_, whole)| whole);
        let pipeline = scoped(&self.opened.device, Failure::Unsupported, || {
            pipeline(&self.opened.device, &self.module, layout, &step.entry, &constants)
        })?;
        let group = own.map_or_else(|| pipeline.get_bind_group_layout(0), |(group, _)| group);
        self.pipelines.insert(step.entry.clone(), (pipeline, group));
        Ok(())
    }

    /// The bindings that a step's entry point uses.
    fn used(&self, step: &Step) -> &[Binding] {
        let used = self.work.used.iter().find(|(name, _)| step.entry.is_empty() || *name == step.entry);
        used.map_or(&[], |(_, bindings)| bindings)
    }

    /// The push constants, as many as the entry points read.
    fn pushed(&self, step: &Step) -> Result<Vec<u8>, Failure> {
        let push = pack(&step.push);
        let (needs, given) = (self.work.push as usize, push.len());
        if given < needs {
            let text = format!("the shader reads {needs} bytes of push constants, but `push` gives {given}");
            return Err(Failure::Mismatch(text));
        }
        let mut bytes = push[..needs].to_vec();
        bytes.resize(needs.next_multiple_of(4), 0);
        Ok(bytes)
    }

    fn storage(&self, bytes: &[u8]) -> wgpu::Buffer {
        let mut whole = bytes.to_vec();
        whole.resize(bytes.len().next_multiple_of(4), 0);
        let usage = wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_SRC | wgpu::BufferUsages::COPY_DST;
        self.opened.device.create_buffer_init(&wgpu::util::BufferInitDescriptor {
            label: None,
            contents: &whole,
            usage,
        })
    }

    fn submit(&self, bound: &[Bound]) -> Result<(), Failure> {
        let mut encoder = self.opened.device.create_command_encoder(&Default::default());
        for step in bound {
            step.dispatch(&mut encoder.begin_compute_pass(&Default::default()));
        }
        self.opened.queue.submit([encoder.finish()]);
        self.opened.wait()
    }

    fn bind(&self, step: &Step, bodies: &[Range<usize>], buffers: &[wgpu::Buffer]) -> Result<Bound, Failure> {
        let lost = || Failure::Mismatch(format!("no entry point `{}`", step.entry));
        let (pipeline, layout) = self.pipelines.get(&step.entry).ok_or_else(lost)?;
        let used = self.used(step);
        let mut values = BTreeMap::new();
        for binding in used {
            if let Some(Argument::Words(words)) = step.args.get(binding.number as usize) {
                values.insert(binding.number, self.values(&pack(words), binding.uniform));
            }
        }
        let mut entries = Vec::new();
        for binding in used {
            let number = binding.number;
            let resource = match step.args.get(number as usize) {
                Some(Argument::Buffer(b) | Argument::Returned(b)) => body(bodies, buffers, *b)?,
                Some(Argument::Words(_)) => values[&number].as_entire_binding(),
                None => return Err(Failure::Mismatch(format!("nothing is bound at @binding({number})"))),
            };
            entries.push(wgpu::BindGroupEntry { binding: number, resource });
        }
        let described = wgpu::BindGroupDescriptor { label: None, layout, entries: &entries };
        let group = self.opened.device.create_bind_group(&described);
        let pushed = if self.work.push > 0 { self.pushed(step)? } else { Vec::new() };
        Ok(Bound { pipeline: pipeline.clone(), group, pushed, grid: step.grid })
    }

    fn values(&self, bytes: &[u8], uniform: bool) -> wgpu::Buffer {
        let usage = if uniform { wgpu::BufferUsages::UNIFORM } else { wgpu::BufferUsages::STORAGE };
        // a struct that holds vectors is larger than its values
        let mut whole = bytes.to_vec();
        whole.resize(bytes.len().next_multiple_of(16), 0);
        self.opened.device.create_buffer_init(&wgpu::util::BufferInitDescriptor {
            label: None,
            contents: &whole,
            usage,
        })
    }
}

impl Opened {
    /// Memory of the device.
    pub fn room(&self, size: u64, usage: wgpu::BufferUsages) -> wgpu::Buffer {
        let mapped_at_creation = false;
        self.device.create_buffer(&wgpu::BufferDescriptor { label: None, size, usage, mapped_at_creation })
    }

    /// What the first bytes of memory hold.
    pub fn read(&self, buffer: &wgpu::Buffer, len: usize) -> Result<Vec<u8>, Failure> {
        let staging = self.room(buffer.size(), wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST);
        let mut encoder = self.device.create_command_encoder(&Default::default());
        encoder.copy_buffer_to_buffer(buffer, 0, &staging, 0, buffer.size());
        self.queue.submit([encoder.finish()]);
        staging.slice(..).map_async(wgpu::MapMode::Read, |_| ());
        self.wait()?;
        let view = staging.slice(..).get_mapped_range().map_err(|e| Failure::Crash(e.to_string()))?;
        Ok(view[..len].to_vec())
    }

    /// Waits for what was started.
    pub fn wait(&self) -> Result<(), Failure> {
        let polled = self.device.poll(wgpu::PollType::wait_indefinitely());
        polled.map(|_| ()).map_err(|e| Failure::Crash(format!("the driver: {e}")))
    }
}

// The part between the canaries, in whole words.
fn body<'a>(
    bodies: &[Range<usize>],
    buffers: &'a [wgpu::Buffer],
    number: usize,
) -> Result<wgpu::BindingResource<'a>, Failure> {
    let lost = || Failure::Mismatch(format!("no buffer {number}"));
    let range = bodies.get(number).ok_or_else(lost)?;
    let size = (range.len() as u64).next_multiple_of(4);
    if size == 0 {
        return Err(Failure::Unsupported("an empty buffer cannot be bound".into()));
    }
    Ok(wgpu::BindingResource::Buffer(wgpu::BufferBinding {
        buffer: buffers.get(number).ok_or_else(lost)?,
        offset: range.start as u64,
        size: std::num::NonZeroU64::new(size),
    }))
}
