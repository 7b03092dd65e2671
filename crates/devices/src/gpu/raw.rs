//! SPIR-V as the driver reads it: handed over unchanged, with a layout of bindings and push constants made here.

use super::run::scoped;
use crate::child::wire::{Binding, GpuWork, Trouble};

/// What a device must have for it.
pub const NEEDED: wgpu::Features = wgpu::Features::PASSTHROUGH_SHADERS;

/// The module, unread by anyone but the driver.
#[expect(unsafe_code)]
pub fn module(device: &wgpu::Device, work: &GpuWork) -> Result<wgpu::ShaderModule, Trouble> {
    let words: Vec<u32> =
        work.source.chunks_exact(4).map(|w| u32::from_le_bytes([w[0], w[1], w[2], w[3]])).collect();
    let names = work.used.iter().map(|(name, _)| wgpu::PassthroughShaderEntryPoint {
        name: name.as_str().into(),
        workgroup_size: (1, 1, 1),
    });
    let described = wgpu::ShaderModuleDescriptorPassthrough {
        entry_points: names.collect(),
        spirv: Some(words.into()),
        ..Default::default()
    };
    scoped(device, Trouble::Unsupported, || {
        // SAFETY: the driver may do anything with a module that breaks its rules. It runs in a process of its own, in a
        // box, and nothing that comes out of it is taken for more than bytes.
        unsafe { device.create_shader_module_passthrough(described) }
    })
}

/// The layout of an entry point's bindings, and of the pipeline.
pub fn layout(
    device: &wgpu::Device,
    used: &[Binding],
    push: u32,
) -> Result<(wgpu::BindGroupLayout, wgpu::PipelineLayout), Trouble> {
    let entry = |binding: &Binding| wgpu::BindGroupLayoutEntry {
        binding: binding.number,
        visibility: wgpu::ShaderStages::COMPUTE,
        ty: wgpu::BindingType::Buffer {
            ty: match binding.uniform {
                true => wgpu::BufferBindingType::Uniform,
                false => wgpu::BufferBindingType::Storage { read_only: binding.read_only },
            },
            has_dynamic_offset: false,
            min_binding_size: None,
        },
        count: None,
    };
    let entries: Vec<_> = used.iter().map(entry).collect();
    scoped(device, Trouble::Unsupported, || {
        let described = wgpu::BindGroupLayoutDescriptor { label: None, entries: &entries };
        let group = device.create_bind_group_layout(&described);
        let whole = device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
            label: None,
            bind_group_layouts: &[Some(&group)],
            immediate_size: push.next_multiple_of(4),
        });
        (group, whole)
    })
}
