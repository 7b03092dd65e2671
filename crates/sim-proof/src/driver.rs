//! Runs a shader on a Vulkan driver through wgpu. The only room here that may touch hardware.

use crate::header::{Need, Space};
use crate::shader::Shader;
use crate::simulate;
use std::sync::{Mutex, OnceLock};
use std::time::{Duration, Instant};
use wgpu::util::DeviceExt;

/// One opened device.
pub struct Driver {
    /// What the driver calls itself.
    pub name: String,
    /// Lanes of a subgroup.
    pub subgroup: u32,
    device: wgpu::Device,
    queue: wgpu::Queue,
    one_at_a_time: Mutex<()>,
}

/// The first Vulkan adapter, or why there is none.
pub fn driver() -> &'static Result<Driver, String> {
    static DRIVER: OnceLock<Result<Driver, String>> = OnceLock::new();
    DRIVER.get_or_init(Driver::open)
}

const GET_ONE: &str = "no Vulkan adapter: install mesa-vulkan-drivers (lavapipe, needs no GPU), \
                       or name a driver's .json in VK_ICD_FILENAMES";

impl Driver {
    fn open() -> Result<Driver, String> {
        let instance = wgpu::Instance::new(wgpu::InstanceDescriptor {
            backends: wgpu::Backends::VULKAN,
            flags: wgpu::InstanceFlags::empty(),
            ..wgpu::InstanceDescriptor::new_without_display_handle()
        });
        let adapters = pollster::block_on(instance.enumerate_adapters(wgpu::Backends::VULKAN));
        let adapter = adapters.into_iter().next().ok_or(GET_ONE)?;
        let info = adapter.get_info();
        let wanted = NEEDS.iter().fold(wgpu::Features::empty(), |all, (_, f)| all | *f);
        let described = wgpu::DeviceDescriptor {
            required_features: adapter.features() & wanted,
            required_limits: adapter.limits(),
            ..Default::default()
        };
        let opened = pollster::block_on(adapter.request_device(&described));
        let (device, queue) = opened.map_err(|e| e.to_string())?;
        Ok(Driver {
            name: format!("{} ({})", info.name, info.driver_info),
            subgroup: info.subgroup_max_size,
            device,
            queue,
            one_at_a_time: Mutex::new(()),
        })
    }

    /// What the shader needs and this driver has not.
    pub fn lacks(&self, shader: &Shader) -> Option<Need> {
        let has = |need: Need| {
            let mut wanted = NEEDS.iter().filter(|(n, _)| *n == need);
            wanted.all(|(_, f)| self.device.features().contains(*f))
        };
        shader.header.needs.iter().copied().find(|n| !has(*n))
    }

    /// Contents of all buffers after one launch.
    pub fn run(&self, shader: &Shader) -> Result<Vec<Vec<u8>>, String> {
        let _one = self.one_at_a_time.lock().map_err(|e| e.to_string())?;
        let ready = self.prepare(shader)?;
        self.submit(&ready, 1)?;
        ready.buffers.iter().map(|b| self.read(b)).collect()
    }

    /// The time of one launch without what a submission costs, the median of `samples`.
    pub fn time(&self, shader: &Shader, launches: u32, samples: usize) -> Result<Duration, String> {
        let _one = self.one_at_a_time.lock().map_err(|e| e.to_string())?;
        let ready = self.prepare(shader)?;
        self.submit(&ready, 1)?;
        let mut times = Vec::new();
        for _ in 0..samples {
            let empty = self.submit(&ready, 0)?;
            let full = self.submit(&ready, launches)?;
            times.push(full.saturating_sub(empty) / launches);
        }
        times.sort();
        Ok(times[times.len() / 2])
    }

    fn prepare(&self, shader: &Shader) -> Result<Ready, String> {
        let scope = self.device.push_error_scope(wgpu::ErrorFilter::Validation);
        let used = used_bindings(shader)?;
        let source = wgpu::ShaderSource::Wgsl(shader.source.as_str().into());
        let described = wgpu::ShaderModuleDescriptor { label: None, source };
        let module = self.device.create_shader_module(described);
        let constants: Vec<(&str, f64)> =
            shader.header.define.iter().map(|(k, v)| (k.as_str(), *v)).collect();
        let pipeline = self.device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
            label: None,
            layout: None,
            module: &module,
            entry_point: None,
            compilation_options: wgpu::PipelineCompilationOptions {
                constants: &constants,
                ..Default::default()
            },
            cache: None,
        });
        if let Some(error) = pollster::block_on(scope.pop()) {
            return Err(error.to_string());
        }
        let buffers = self.buffers(shader);
        let entries: Vec<wgpu::BindGroupEntry> = used
            .iter()
            .filter_map(|&i| Some((i, buffers.get(i as usize)?)))
            .map(|(binding, b)| wgpu::BindGroupEntry { binding, resource: b.as_entire_binding() })
            .collect();
        let layout = pipeline.get_bind_group_layout(0);
        let group = wgpu::BindGroupDescriptor { label: None, layout: &layout, entries: &entries };
        let group = self.device.create_bind_group(&group);
        Ok(Ready { pipeline, group, buffers, grid: shader.header.grid })
    }

    fn buffers(&self, shader: &Shader) -> Vec<wgpu::Buffer> {
        let filled = shader.inputs().into_iter().zip(&shader.header.buffers);
        let made = filled.map(|(filled, buffer)| {
            let role = match buffer.space {
                Space::Storage => wgpu::BufferUsages::STORAGE,
                Space::Uniform => wgpu::BufferUsages::UNIFORM,
            };
            self.device.create_buffer_init(&wgpu::util::BufferInitDescriptor {
                label: None,
                contents: &filled.bytes,
                usage: role | wgpu::BufferUsages::COPY_SRC,
            })
        });
        made.collect()
    }

    // One submission of so many launches, until it is done.
    fn submit(&self, ready: &Ready, launches: u32) -> Result<Duration, String> {
        let start = Instant::now();
        let mut encoder = self.device.create_command_encoder(&Default::default());
        {
            let mut pass = encoder.begin_compute_pass(&Default::default());
            pass.set_pipeline(&ready.pipeline);
            pass.set_bind_group(0, &ready.group, &[]);
            for _ in 0..launches {
                let [x, y, z] = ready.grid;
                pass.dispatch_workgroups(x, y, z);
            }
        }
        self.queue.submit([encoder.finish()]);
        self.wait()?;
        Ok(start.elapsed())
    }

    fn read(&self, buffer: &wgpu::Buffer) -> Result<Vec<u8>, String> {
        let staging = self.device.create_buffer(&wgpu::BufferDescriptor {
            label: None,
            size: buffer.size(),
            usage: wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        });
        let mut encoder = self.device.create_command_encoder(&Default::default());
        encoder.copy_buffer_to_buffer(buffer, 0, &staging, 0, buffer.size());
        self.queue.submit([encoder.finish()]);
        staging.slice(..).map_async(wgpu::MapMode::Read, |_| ());
        self.wait()?;
        let view = staging.slice(..).get_mapped_range().map_err(|e| e.to_string())?;
        Ok(view.to_vec())
    }

    fn wait(&self) -> Result<(), String> {
        self.device.poll(wgpu::PollType::wait_indefinitely()).map(|_| ()).map_err(|e| e.to_string())
    }
}

struct Ready {
    pipeline: wgpu::ComputePipeline,
    group: wgpu::BindGroup,
    buffers: Vec<wgpu::Buffer>,
    grid: [u32; 3],
}

const NEEDS: [(Need, wgpu::Features); 7] = [
    (Need::F16, wgpu::Features::SHADER_F16),
    (Need::F64, wgpu::Features::SHADER_F64),
    (Need::I64, wgpu::Features::SHADER_INT64),
    (Need::I16, wgpu::Features::SHADER_I16),
    (Need::Subgroups, wgpu::Features::SUBGROUP.union(wgpu::Features::SUBGROUP_BARRIER)),
    (Need::F32Atomics, wgpu::Features::SHADER_FLOAT32_ATOMIC),
    (Need::I64Atomics, wgpu::Features::SHADER_INT64_ATOMIC_ALL_OPS),
];

// The layout that wgpu derives holds only what the entry point uses.
fn used_bindings(shader: &Shader) -> Result<Vec<u32>, String> {
    let module =
        naga::front::wgsl::parse_str(&shader.source).map_err(|e| e.emit_to_string(&shader.source))?;
    let info = simulate::validate(&module)?;
    let entry = info.get_entry_point(0);
    let globals = module.global_variables.iter().filter(|(handle, _)| !entry[*handle].is_empty());
    Ok(globals.filter_map(|(_, g)| Some(g.binding?.binding)).collect())
}
