//! SPIR-V as the driver reads it: handed over unchanged, with a layout of bindings and push constants made here.

use ktwin_check::Failure;

use super::run::scoped;
use super::{Binding, Work};

/// What a device must have for it.
pub const NEEDED: wgpu::Features = wgpu::Features::PASSTHROUGH_SHADERS;

/// Capabilities of SPIR-V that need something of the adapter, by number, and what: wgpu enables no others.
const CAPABILITIES: &[(u32, &str, wgpu::Features)] = &[
    (0, "Matrix", wgpu::Features::empty()),
    (1, "Shader", wgpu::Features::empty()),
    (9, "Float16", wgpu::Features::SHADER_F16),
    (10, "Float64", wgpu::Features::SHADER_F64),
    (11, "Int64", wgpu::Features::SHADER_INT64),
    (12, "Int64Atomics", wgpu::Features::SHADER_INT64_ATOMIC_ALL_OPS),
    (22, "Int16", wgpu::Features::SHADER_I16),
    // these two have no name in wgpu, and drivers have them wherever they have f16
    (39, "Int8", wgpu::Features::SHADER_F16),
    (4448, "StorageBuffer8BitAccess", wgpu::Features::SHADER_F16),
    (4449, "UniformAndStorageBuffer8BitAccess", wgpu::Features::SHADER_F16),
    (4450, "StoragePushConstant8", wgpu::Features::SHADER_F16),
    (4433, "StorageBuffer16BitAccess", wgpu::Features::SHADER_F16),
    (4434, "UniformAndStorageBuffer16BitAccess", wgpu::Features::SHADER_F16),
    (4435, "StoragePushConstant16", wgpu::Features::SHADER_F16),
    (61, "GroupNonUniform", wgpu::Features::SUBGROUP),
    (62, "GroupNonUniformVote", wgpu::Features::SUBGROUP),
    (63, "GroupNonUniformArithmetic", wgpu::Features::SUBGROUP),
    (64, "GroupNonUniformBallot", wgpu::Features::SUBGROUP),
    (65, "GroupNonUniformShuffle", wgpu::Features::SUBGROUP),
    (66, "GroupNonUniformShuffleRelative", wgpu::Features::SUBGROUP),
    (68, "GroupNonUniformQuad", wgpu::Features::SUBGROUP),
    (6033, "AtomicFloat32AddEXT", wgpu::Features::SHADER_FLOAT32_ATOMIC),
];

/// The first capability that a module wants and the device cannot be known to have.
fn lacking(words: &[u32], features: wgpu::Features) -> Option<String> {
    const HEADER: usize = 5;
    const CAPABILITY: u32 = 2 << 16 | 17;
    let all = words.get(HEADER..)?.chunks_exact(2).take_while(|pair| pair[0] == CAPABILITY);
    all.map(|pair| pair[1]).find_map(|number| match CAPABILITIES.iter().find(|c| c.0 == number) {
        Some((_, _, needs)) if features.contains(*needs) => None,
        Some((_, name, _)) => Some(format!("the adapter does not support the capability {name}")),
        None => Some(format!("wgpu does not support capability {number} of SPIR-V")),
    })
}

/// The module, unread by anyone but the driver.
#[expect(unsafe_code)]
pub fn module(device: &wgpu::Device, work: &Work) -> Result<wgpu::ShaderModule, Failure> {
    let words: Vec<u32> =
        work.source.chunks_exact(4).map(|w| u32::from_le_bytes([w[0], w[1], w[2], w[3]])).collect();
    if let Some(why) = lacking(&words, device.features()) {
        return Err(Failure::Unsupported(why));
    }
    let names = work.used.iter().map(|(name, _)| wgpu::PassthroughShaderEntryPoint {
        name: name.as_str().into(),
        workgroup_size: (1, 1, 1),
    });
    let described = wgpu::ShaderModuleDescriptorPassthrough {
        entry_points: names.collect(),
        spirv: Some(words.into()),
        ..Default::default()
    };
    scoped(device, Failure::Unsupported, || {
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
) -> Result<(wgpu::BindGroupLayout, wgpu::PipelineLayout), Failure> {
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
    scoped(device, Failure::Unsupported, || {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_device_lacks_is_named() {
        let module =
            |capability: u32| [0x0723_0203, 0x1_0500, 0, 1, 0, 2 << 16 | 17, 1, 2 << 16 | 17, capability];
        assert_eq!(lacking(&module(61), wgpu::Features::SUBGROUP), None);
        let half = lacking(&module(9), wgpu::Features::SUBGROUP).unwrap_or_default();
        assert!(half.contains("Float16"), "{half}");
        // clustered operations
        assert!(lacking(&module(67), wgpu::Features::all()).is_some_and(|why| why.contains("67")));
    }
}
