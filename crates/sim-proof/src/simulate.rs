//! Runs a shader on the simulator, as WGSL or as the SPIR-V that naga makes of it. Plain data in and out.

use crate::shader::Shader;
use ktwin_sim::{Buffer, Launch, Module, Options, Run};

/// What a launch left: the contents of all buffers, and what the simulator found.
pub struct Outcome {
    /// One for each buffer of the header.
    pub buffers: Vec<Vec<u8>>,
    /// Findings and counts.
    pub run: Run,
}

impl Outcome {
    /// The findings that are errors, one a line.
    pub fn errors(&self) -> String {
        self.run.errors().map(|f| format!("\n    {f}")).collect()
    }
}

/// Compiles the shader's WGSL.
pub fn compile(shader: &Shader) -> Result<Module, String> {
    Module::from_wgsl(&shader.source).map_err(|e| e.rendered)
}

/// Compiles the SPIR-V that naga's back end makes of the shader.
pub fn compile_spirv(shader: &Shader) -> Result<Module, String> {
    Module::from_spirv(&spirv(shader)?).map_err(|e| e.rendered)
}

/// The launch that the header describes.
pub fn launch(shader: &Shader) -> Launch {
    let mut launch = Launch::new(shader.header.grid);
    for (i, filled) in shader.inputs().into_iter().enumerate() {
        let binding = i as u32;
        let len = filled.bytes.len();
        launch = launch.buffer(match filled.written {
            true => Buffer::input(0, binding, filled.bytes),
            false => Buffer::output(0, binding, len),
        });
    }
    let values = shader.header.define.iter();
    values.fold(launch, |launch, (name, value)| launch.set(name, *value))
}

/// Runs the shader once.
pub fn run(module: &Module, shader: &Shader, options: &Options) -> Result<Outcome, String> {
    let mut launch = launch(shader);
    let run = module.run(&mut launch, options).map_err(|e| e.to_string())?;
    let buffers = launch.buffers.into_iter().map(|b| b.bytes).collect();
    Ok(Outcome { buffers, run })
}

/// SPIR-V of a shader, its overrides set. Without the capabilities that naga's own front end cannot read.
pub fn spirv(shader: &Shader) -> Result<Vec<u8>, String> {
    use naga::back::spv::{Options, ZeroInitializeWorkgroupMemoryMode, write_vec};
    let module =
        naga::front::wgsl::parse_str(&shader.source).map_err(|e| e.emit_to_string(&shader.source))?;
    let info = validate(&module)?;
    let values = shader.header.define.iter().map(|(k, v)| (k.clone(), *v)).collect();
    let set = naga::back::pipeline_constants::process_overrides(&module, &info, None, &values);
    let (module, info) = set.map_err(|e| e.to_string())?;
    let options = Options {
        lang_version: (1, 3),
        zero_initialize_workgroup_memory: ZeroInitializeWorkgroupMemoryMode::Polyfill,
        use_storage_input_output_16: false,
        capabilities: Some(CAPABILITIES.into_iter().collect()),
        ..Default::default()
    };
    let words = write_vec(&module, &info, &options, None).map_err(|e| e.to_string())?;
    Ok(words.iter().flat_map(|w| w.to_le_bytes()).collect())
}

const CAPABILITIES: [spirv::Capability; 18] = {
    use spirv::Capability as C;
    [
        C::Shader,
        C::Matrix,
        C::Float16,
        C::Float64,
        C::Int16,
        C::Int64,
        C::Int64Atomics,
        C::StorageBuffer16BitAccess,
        C::UniformAndStorageBuffer16BitAccess,
        C::AtomicFloat32AddEXT,
        C::GroupNonUniform,
        C::GroupNonUniformVote,
        C::GroupNonUniformArithmetic,
        C::GroupNonUniformBallot,
        C::GroupNonUniformShuffle,
        C::GroupNonUniformShuffleRelative,
        C::GroupNonUniformQuad,
        C::Linkage,
    ]
};

/// Validates with everything allowed.
pub fn validate(module: &naga::Module) -> Result<naga::valid::ModuleInfo, String> {
    use naga::valid::{Capabilities, ValidationFlags, Validator};
    let mut validator = Validator::new(ValidationFlags::all(), Capabilities::all());
    validator.validate(module).map_err(|e| format!("{:?}", e.into_inner()))
}
