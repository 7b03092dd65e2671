//! A compiled module: its entry points, bindings and overrides, and how to run it.

use super::error::{CompileError, RunError};
use super::launch::Launch;
use super::options::Options;
use super::run::Run;
use crate::exec::{Compiled, Spare};
use crate::front::Front;
use crate::guarded::guarded;
use crate::ir::Rules;
use crate::ptx::Ptx;
use crate::spirv::Spirv;
use crate::wgsl;
use std::collections::HashMap;
use std::sync::{Arc, Mutex};

/// What a binding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BindingKind {
    /// `var<uniform>`.
    Uniform,
    /// `var<storage, read>`.
    Read,
    /// `var<storage, read_write>`.
    ReadWrite,
}

/// A value that lies in a buffer, as the source has it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Held {
    /// The struct's member; empty for the elements of an array.
    pub name: String,
    /// Its number type in WGSL's words (`f32`, `u32`, `f16` ...), that of a vector's components; empty for anything
    /// else.
    pub scalar: String,
    /// How many numbers it has: those of a vector.
    pub count: u32,
}

/// A buffer that an entry point uses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BindingInfo {
    /// The variable's name.
    pub name: String,
    /// `@group(…)`.
    pub group: u32,
    /// `@binding(…)`.
    pub binding: u32,
    /// Uniform, read or read-write.
    pub kind: BindingKind,
    /// The fewest bytes that may be bound: those of one element, where its length is open.
    pub min_size: u64,
    /// Bytes of one further element of the runtime-sized array at its end; 0 where it has none.
    pub stride: u32,
    /// The elements of the array, or the members of the struct.
    pub holds: Vec<Held>,
}

/// A parameter of a PTX entry point.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParamInfo {
    /// Its name in the PTX.
    pub name: String,
    /// Bytes.
    pub size: u32,
    /// What its address must be a multiple of in the parameter memory.
    pub align: u32,
}

/// An entry point.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EntryPoint {
    /// Its name.
    pub name: String,
    /// `@workgroup_size`; an axis that depends on overrides is as their defaults say, 0 where they have none.
    /// PTX: `.reqntid`, or zeros where the launch decides.
    pub workgroup: [u32; 3],
    /// PTX: the most lanes that `.maxntid` (`__launch_bounds__`) allows in a workgroup.
    pub max_lanes: Option<u32>,
    /// PTX: its parameters, in order; empty elsewhere.
    pub params: Vec<ParamInfo>,
    /// The buffers it uses; empty for PTX, whose launch says which buffer a pointer points into.
    pub bindings: Vec<BindingInfo>,
    /// Whether what it does may depend on how many lanes a subgroup has; of PTX, whose warps have 32, it is not said.
    pub subgroups: bool,
    /// SPIR-V: the lanes that it asks of its subgroups (`SubgroupSize`).
    pub subgroup: Option<u32>,
    /// Bytes of push constants that it reads (shaders).
    pub push: u32,
    /// What these are.
    pub pushed: Vec<Held>,
    /// Bytes of workgroup memory it declares; dynamic shared memory comes on top of them.
    pub shared: u32,
    /// Parameters that point to local memory, each to as many bytes as the launch says.
    pub locals: u32,
    /// OpenCL: why its parameters are not known here, as those that are images.
    pub lacks: Option<String>,
}

/// An `override` constant.
#[derive(Clone, Debug, PartialEq)]
pub struct OverrideInfo {
    /// Its name; empty where it has none.
    pub name: String,
    /// `@id(…)`.
    pub id: Option<u16>,
    /// Whether a launch must set it.
    pub required: bool,
}

/// A module, compiled and validated.
pub struct Module {
    front: Box<dyn Front>,
    entry_points: Vec<EntryPoint>,
    overrides: Vec<OverrideInfo>,
    /// Entry points that ran before, by name and overrides.
    compiled: Mutex<HashMap<String, Arc<Compiled>>>,
    /// Memory of launches that are over.
    spare: Arc<Spare>,
}

impl std::fmt::Debug for Module {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let names: Vec<_> = self.entry_points.iter().map(|e| &e.name).collect();
        f.debug_struct("Module").field("entry_points", &names).finish_non_exhaustive()
    }
}

impl Module {
    /// Compiles WGSL.
    ///
    /// ```
    /// use ktwin_sim::Module;
    /// let error = Module::from_wgsl("@compute @workgroup_size(1) fn main() { let x = 1 + true; }").unwrap_err();
    /// assert_eq!(error.line, Some(1));
    /// ```
    pub fn from_wgsl(source: &str) -> Result<Module, CompileError> {
        guarded(source.len(), || Ok(Module::new(wgsl::parse(source)?)), CompileError::new)
    }

    /// Compiles a SPIR-V binary. What is not supported is refused with the instruction and, where the module has debug
    /// lines, its line.
    pub fn from_spirv(bytes: &[u8]) -> Result<Module, CompileError> {
        guarded(bytes.len(), || Ok(Module::new(Spirv::new(bytes, None)?)), CompileError::new)
    }

    /// The same with the text of the source, whose lines findings then show.
    pub fn from_spirv_with_source(bytes: &[u8], source: &str) -> Result<Module, CompileError> {
        guarded(bytes.len(), || Ok(Module::new(Spirv::new(bytes, Some(source))?)), CompileError::new)
    }

    /// Compiles PTX. What is not supported is refused with the line of the PTX and the instruction.
    ///
    /// ```
    /// use ktwin_sim::Module;
    /// let ptx = ".version 8.0 .target sm_80 .address_size 64
    ///     .visible .entry k(.param .u64 p) { .reg .b32 %r<2>; wgmma.fence.sync.aligned; ret; }";
    /// assert_eq!(Module::from_ptx(ptx).unwrap_err().line, Some(2));
    /// ```
    pub fn from_ptx(text: &str) -> Result<Module, CompileError> {
        guarded(Ptx::room(text), || Ok(Module::new(Ptx::new(text, None)?)), CompileError::new)
    }

    /// The same with the text of the CUDA source, whose lines findings then show: the PTX only has their numbers.
    pub fn from_ptx_with_source(text: &str, source: &str) -> Result<Module, CompileError> {
        guarded(Ptx::room(text), || Ok(Module::new(Ptx::new(text, Some(source))?)), CompileError::new)
    }

    /// The same for what Triton made of a file of Python: programs whose lanes hold copies of values.
    pub fn from_triton(text: &str, source: &str) -> Result<Module, CompileError> {
        let front = || Ok(Module::new(Ptx::new(text, Some(source))?.by(Rules::TRITON)));
        guarded(Ptx::room(text), front, CompileError::new)
    }

    fn new(front: impl Front + 'static) -> Module {
        let (entry_points, overrides) = (front.entry_points(), front.overrides());
        Module {
            front: Box::new(front),
            entry_points,
            overrides,
            compiled: Mutex::default(),
            spare: Arc::default(),
        }
    }

    /// The entry points, in the source's order.
    pub fn entry_points(&self) -> &[EntryPoint] {
        &self.entry_points
    }

    /// Lanes of a workgroup of an entry point with these values of its constants, as a launch has them.
    pub fn workgroup(&self, entry: &str, overrides: &[(String, f64)]) -> Option<[u32; 3]> {
        let found = self.entry_points.iter().find(|e| entry.is_empty() || e.name == entry)?;
        Some(self.front.workgroup(&found.name, overrides).unwrap_or(found.workgroup))
    }

    /// The overrides.
    pub fn overrides(&self) -> &[OverrideInfo] {
        &self.overrides
    }

    /// Runs a launch; its buffers are read and written in place.
    ///
    /// ```
    /// use ktwin_sim::{Buffer, Launch, Module, Options};
    /// let module = Module::from_wgsl(
    ///     "@group(0) @binding(0) var<storage, read_write> x: array<f32>;
    ///      @compute @workgroup_size(4) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    ///          x[id.x] = 2.0 * x[id.x];
    ///      }",
    /// )?;
    /// let mut launch = Launch::new([1, 1, 1]).buffer(Buffer::from_f32(0, 0, &[1.0, 2.0, 3.0]));
    /// let run = module.run(&mut launch, &Options::default())?;
    /// assert_eq!(launch.buffers[0].to_f32(), [2.0, 4.0, 6.0]);
    /// // four lanes, three elements: the last lane reads and writes past the end
    /// let text = "line 3: out of bounds: reads past the end of `x`: byte 12, and it has 12 bytes";
    /// assert!(run.findings[0].to_string().starts_with(text));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn run(&self, launch: &mut Launch, options: &Options) -> Result<Run, RunError> {
        let compiled = self.compile(launch, options)?;
        crate::exec::launch(&compiled, launch, options)
    }

    fn compile(&self, launch: &Launch, options: &Options) -> Result<Arc<Compiled>, RunError> {
        let name = match (&*launch.entry, &*self.entry_points) {
            ("", [only]) => &only.name,
            ("", all) => {
                let text = format!("the module has {} entry points: name one of {}", all.len(), self.names());
                return Err(RunError::Launch(text));
            }
            (name, all) => match all.iter().find(|e| e.name == name) {
                Some(entry) => &entry.name,
                None => {
                    let text = format!("no entry point `{name}`: the module has {}", self.names());
                    return Err(RunError::Launch(text));
                }
            },
        };
        let pushed = launch.params.first().map(|p| p.bytes.len());
        let pointers: Vec<_> = launch.params.iter().map(|p| &p.pointers).collect();
        let names: Vec<_> = launch.buffers.iter().map(|b| &b.name).collect();
        let shape = (launch.block, launch.dynamic_shared, pointers, names, pushed);
        let key = format!("{name} {:?} {:?} {shape:?}", launch.overrides, options.limits);
        let mut cache = self.compiled.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        if let Some(compiled) = cache.get(&key) {
            return Ok(compiled.clone());
        }
        let work = || {
            self.front.lower(name, launch, options).and_then(|prog| Compiled::new(prog, self.spare.clone()))
        };
        let compiled = Arc::new(guarded(self.front.size().max(1 << 14), work, RunError::Unsupported)?);
        cache.insert(key, compiled.clone());
        Ok(compiled)
    }

    fn names(&self) -> String {
        let names: Vec<_> = self.entry_points.iter().map(|e| format!("`{}`", e.name)).collect();
        names.join(", ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::buffer::Buffer;
    use crate::api::finding::{Finding, FindingKind};
    use crate::ir::Op;

    const DOUBLE: &str = "@group(0) @binding(0) var<storage, read_write> x: array<f32>;
@compute @workgroup_size(8) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    x[id.x] = 2.0 * x[id.x];
}";

    /// Runs the shader with arrays whose elements stand so many bytes apart: every layout that naga accepts is aligned,
    /// addresses of other languages may not be.
    fn run(stride: u32) -> Vec<Finding> {
        let module = Module::from_wgsl(DOUBLE).expect("it compiles");
        let mut launch = Launch::new([1, 1, 1]).buffer(Buffer::from_f32(0, 0, &[1.0; 16]));
        let mut program = module.front.lower("main", &launch, &Options::default()).expect("it is lowered");
        let all = program.blocks.iter_mut().flat_map(|block| &mut block.ins);
        all.filter(|ins| ins.op == Op::Index).for_each(|ins| ins.imm = stride);
        let run = crate::exec::launch(
            &Compiled::new(program, Arc::default()).expect("it is whole"),
            &mut launch,
            &Options::default(),
        );
        run.expect("it runs").findings
    }

    #[test]
    fn a_misaligned_access_is_found() {
        assert_eq!(run(4), []);
        let findings = run(6);
        let text = findings[0].to_string();
        assert_eq!(findings[0].kind, FindingKind::Misaligned);
        assert!(
            text.starts_with("line 3: misaligned access: reads `x` at byte 6, which is not aligned"),
            "{text}"
        );
    }
}
