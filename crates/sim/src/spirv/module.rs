//! The tables of a module: names, decorations, types, constants, variables, functions, and the lines of the source.

use super::decode::{Inst, text};
pub use super::kind::Type;
use super::kind::kind;
use super::parts::Parts;
use spirv::{Decoration, ExecutionMode, ExecutionModel, MemoryModel, Op};
use std::collections::HashMap;

/// Straight code and how it ends.
#[derive(Debug, Default)]
pub struct Block {
    pub label: u32,
    pub insts: Vec<Inst>,
}

#[derive(Debug, Default)]
pub struct Function {
    pub id: u32,
    /// The parameters, each with its type.
    pub params: Vec<(u32, u32)>,
    pub blocks: Vec<Block>,
}

/// An entry point of a compute shader or a kernel of OpenCL.
#[derive(Clone, Debug)]
pub struct Entry {
    pub name: String,
    pub function: u32,
    /// `LocalSize`, as numbers, or `LocalSizeId`, as ids.
    pub size: Option<[u32; 3]>,
    pub size_ids: Option<[u32; 3]>,
    /// `SubgroupSize`.
    pub subgroup: Option<u32>,
}

/// What `OpExtInst` means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Set {
    Glsl,
    /// `OpenCL.std`.
    OpenCl,
    /// `OpenCL.DebugInfo.100`.
    OpenClDebug,
    /// `NonSemantic.Shader.DebugInfo.100`.
    Debug,
    /// Others that change nothing.
    Mute,
}

#[derive(Debug, Default)]
pub struct Module {
    pub names: HashMap<u32, String>,
    pub member_names: HashMap<(u32, u32), String>,
    decorations: HashMap<u32, Vec<(u32, Vec<u32>)>>,
    member_decorations: HashMap<(u32, u32), Vec<(u32, Vec<u32>)>>,
    pub types: HashMap<u32, Type>,
    /// Constants and variables, in order.
    pub constants: Vec<Inst>,
    pub variables: Vec<Inst>,
    pub functions: HashMap<u32, Function>,
    pub entries: Vec<Entry>,
    pub sets: HashMap<u32, Set>,
    pub lines: Vec<String>,
    strings: HashMap<u32, String>,
    file: Option<u32>,
    modes: Vec<Inst>,
    /// Constants by id, for the operands of debug lines.
    literals: HashMap<u32, u32>,
    weights: HashMap<u32, u32>,
    /// Whether its entry points are kernels of OpenCL: parameters instead of bindings, and pointers that are numbers.
    pub kernel: bool,
    /// Of kernels, what is meant of vectors in memory.
    pub parts: Parts,
}

/// Parts of one type at most, parts of parts included.
const MOST_PARTS: u32 = 1 << 14;

/// The line of the instructions being read.
#[derive(Default)]
struct Reader {
    line: u32,
    function: Option<Function>,
}

impl Module {
    pub fn new(insts: Vec<Inst>) -> Result<Module, String> {
        let mut module = Module::default();
        let mut reader = Reader::default();
        for mut inst in insts {
            module.line(&inst, &mut reader.line);
            inst.line = reader.line;
            module.take(inst, &mut reader)?;
        }
        if reader.function.is_some() {
            return Err("the last function does not end: OpFunctionEnd is missing".into());
        }
        module.sizes();
        if module.kernel {
            module.parts = Parts::of(&module);
        }
        Ok(module)
    }

    /// Follows the lines of the source.
    fn line(&mut self, inst: &Inst, line: &mut u32) {
        match inst.op {
            Op::Line if self.file.is_none_or(|file| file == inst.arg(0)) => {
                self.file = Some(inst.arg(0));
                *line = inst.arg(1);
            }
            Op::Line if self.same_name(inst.arg(0)) => *line = inst.arg(1),
            Op::ExtInst if self.sets.get(&inst.arg(0)) == Some(&Set::Debug) => match inst.arg(1) {
                // DebugLine: source, first line, last line
                103 => *line = self.literals.get(&inst.arg(3)).copied().unwrap_or(*line),
                // DebugSource: file, text
                35 if self.lines.is_empty() => {
                    let source = self.strings.get(&inst.arg(3)).cloned().unwrap_or_default();
                    self.source(&source);
                }
                _ => {}
            },
            // DebugSource: file; DebugCompilationUnit: version, DWARF's version, source
            Op::ExtInst if self.sets.get(&inst.arg(0)) == Some(&Set::OpenClDebug) => match inst.arg(1) {
                35 => {
                    self.literals.insert(inst.id, inst.arg(2));
                }
                1 => self.file = self.literals.get(&inst.arg(4)).copied(),
                _ => {}
            },
            _ => {}
        }
    }

    fn same_name(&self, file: u32) -> bool {
        let name = |id: u32| self.strings.get(&id);
        self.file.is_some_and(|own| name(own).is_some() && name(own) == name(file))
    }

    /// The text of the source; glslang puts lines of its own before it.
    fn source(&mut self, text: &str) {
        let own =
            text.find("#line 1\n").filter(|at| text[..*at].lines().all(|l| l.starts_with("// OpModule")));
        let text = own.map_or(text, |at| &text[at + 8..]);
        self.lines.extend(text.lines().map(str::to_owned));
    }

    fn take(&mut self, inst: Inst, reader: &mut Reader) -> Result<(), String> {
        match inst.op {
            Op::FunctionEnd => {
                let function = reader.function.take().ok_or("OpFunctionEnd outside of a function")?;
                self.functions.insert(function.id, function);
            }
            Op::Function if reader.function.is_some() => {
                return Err("a function begins inside of another".into());
            }
            Op::Function => reader.function = Some(Function { id: inst.id, ..Function::default() }),
            Op::Line | Op::NoLine => {}
            // scopes of OpenCL's debug information may come before `OpPhi`
            Op::ExtInst if self.sets.get(&inst.arg(0)) == Some(&Set::OpenClDebug) => {}
            _ => match &mut reader.function {
                Some(function) => body(function, inst)?,
                None => self.declare(inst)?,
            },
        }
        Ok(())
    }

    fn declare(&mut self, inst: Inst) -> Result<(), String> {
        match inst.op {
            Op::Name => {
                self.names.insert(inst.arg(0), text(inst.args.get(1..).unwrap_or(&[])).0);
            }
            Op::MemberName => {
                let name = text(inst.args.get(2..).unwrap_or(&[])).0;
                self.member_names.insert((inst.arg(0), inst.arg(1)), name);
            }
            Op::String => {
                self.strings.insert(inst.id, text(&inst.args).0);
            }
            Op::Source => {
                // files that it includes come after it
                if inst.arg(2) != 0 && self.file.is_none() {
                    self.file = Some(inst.arg(2));
                }
                if inst.args.len() > 3 && self.lines.is_empty() {
                    self.source(&text(&inst.args[3..]).0);
                }
            }
            Op::ExtInstImport => {
                let set = match &*text(&inst.args).0 {
                    "GLSL.std.450" => Set::Glsl,
                    "OpenCL.std" => Set::OpenCl,
                    "OpenCL.DebugInfo.100" => Set::OpenClDebug,
                    "NonSemantic.Shader.DebugInfo.100" => Set::Debug,
                    name if name.starts_with("NonSemantic.") => Set::Mute,
                    name => {
                        return Err(format!("OpExtInstImport: the simulator has no instructions \"{name}\""));
                    }
                };
                self.sets.insert(inst.id, set);
            }
            Op::MemoryModel => self.kernel = inst.arg(1) == MemoryModel::OpenCL as u32,
            Op::EntryPoint if runs(inst.arg(0)) => {
                let name = text(inst.args.get(2..).unwrap_or(&[])).0;
                let entry = Entry { name, function: inst.arg(1), size: None, size_ids: None, subgroup: None };
                self.entries.push(entry);
            }
            Op::ExecutionMode | Op::ExecutionModeId => self.modes.push(inst),
            Op::Decorate | Op::DecorateId | Op::MemberDecorate | Op::GroupDecorate => self.decorate(&inst),
            Op::Variable => self.variables.push(inst),
            op if format!("{op:?}").starts_with("Type") => {
                if let Some(ty) = kind(&inst) {
                    self.weigh(inst.id, &ty)?;
                    self.types.insert(inst.id, ty);
                }
            }
            op if constant(op) => {
                if op == Op::Constant {
                    self.literals.insert(inst.id, inst.arg(0));
                }
                self.constants.push(inst);
            }
            _ => {}
        }
        Ok(())
    }

    fn decorate(&mut self, inst: &Inst) {
        match inst.op {
            Op::Decorate | Op::DecorateId => {
                let rest = inst.args.get(2..).unwrap_or(&[]).to_vec();
                self.decorations.entry(inst.arg(0)).or_default().push((inst.arg(1), rest));
            }
            Op::MemberDecorate => {
                let rest = inst.args.get(3..).unwrap_or(&[]).to_vec();
                let all = self.member_decorations.entry((inst.arg(0), inst.arg(1))).or_default();
                all.push((inst.arg(2), rest));
            }
            _ => {
                let all = self.decorations.get(&inst.arg(0)).cloned().unwrap_or_default();
                for &target in inst.args.iter().skip(1) {
                    self.decorations.entry(target).or_default().extend(all.clone());
                }
            }
        }
    }

    /// Types are made of those before them, and of so many in all: walking them always ends.
    fn weigh(&mut self, id: u32, ty: &Type) -> Result<(), String> {
        if self.types.contains_key(&id) {
            return Err(format!("type %{id} is declared twice"));
        }
        let parts: &[u32] = match ty {
            Type::Vector { elem, .. } | Type::Array { elem, .. } | Type::Open { elem } => &[*elem],
            Type::Matrix { column, .. } => &[*column],
            Type::Struct { members } => members,
            _ => &[],
        };
        let mut weight = 1u32;
        for part in parts {
            if !self.types.contains_key(part) {
                return Err(format!("type %{id} is made of %{part}, which is not a type before it"));
            }
            weight = weight.saturating_add(self.weights.get(part).copied().unwrap_or(1));
        }
        if weight > MOST_PARTS {
            return Err(format!("type %{id} has more than {MOST_PARTS} parts"));
        }
        self.weights.insert(id, weight);
        Ok(())
    }

    fn sizes(&mut self) {
        for mode in &self.modes {
            let three = [mode.arg(2), mode.arg(3), mode.arg(4)];
            for entry in self.entries.iter_mut().filter(|e| e.function == mode.arg(0)) {
                if mode.arg(1) == ExecutionMode::LocalSize as u32 {
                    entry.size = Some(three);
                } else if mode.arg(1) == ExecutionMode::LocalSizeId as u32 {
                    entry.size_ids = Some(three);
                } else if mode.arg(1) == ExecutionMode::SubgroupSize as u32 {
                    entry.subgroup = Some(mode.arg(2));
                }
            }
        }
    }

    /// The operands of a decoration.
    pub fn decoration(&self, id: u32, which: Decoration) -> Option<&[u32]> {
        let all = self.decorations.get(&id)?;
        all.iter().find(|(d, _)| *d == which as u32).map(|(_, rest)| &rest[..])
    }

    /// The number that a decoration gives.
    pub fn number(&self, id: u32, which: Decoration) -> Option<u32> {
        self.decoration(id, which)?.first().copied()
    }

    pub fn member_number(&self, id: u32, member: u32, which: Decoration) -> Option<u32> {
        let all = self.member_decorations.get(&(id, member))?;
        all.iter().find(|(d, _)| *d == which as u32)?.1.first().copied()
    }

    pub fn member_has(&self, id: u32, member: u32, which: Decoration) -> bool {
        self.member_decorations
            .get(&(id, member))
            .is_some_and(|all| all.iter().any(|(d, _)| *d == which as u32))
    }

    pub fn ty(&self, id: u32) -> Result<&Type, String> {
        self.types.get(&id).ok_or_else(|| format!("%{id} is not a type"))
    }

    /// What a variable is called: by its own name, by the only member of its block, by the block.
    pub fn name(&self, variable: &Inst) -> String {
        let named = |name: Option<&String>| name.filter(|n| !n.is_empty()).cloned();
        let block = match self.types.get(&variable.ty) {
            Some(Type::Pointer { to, .. }) => *to,
            _ => 0,
        };
        let only = match self.types.get(&block) {
            Some(Type::Struct { members }) if members.len() == 1 => named(self.member_names.get(&(block, 0))),
            _ => None,
        };
        let place = || self.number(variable.id, Decoration::Binding).map(|b| format!("binding {b}"));
        named(self.names.get(&variable.id))
            .or(only)
            .or_else(|| named(self.names.get(&block)))
            .or_else(place)
            .unwrap_or_else(|| format!("%{}", variable.id))
    }
}

/// Whether the simulator runs entry points of this execution model.
fn runs(model: u32) -> bool {
    model == ExecutionModel::GLCompute as u32 || model == ExecutionModel::Kernel as u32
}

/// An instruction of a function's body.
fn body(function: &mut Function, inst: Inst) -> Result<(), String> {
    match inst.op {
        Op::FunctionParameter => function.params.push((inst.id, inst.ty)),
        Op::Label => function.blocks.push(Block { label: inst.id, insts: Vec::new() }),
        _ => match function.blocks.last_mut() {
            Some(block) => block.insts.push(inst),
            None if inst.op == Op::ExtInst => {}
            None => return Err(format!("{} before the first block of a function", inst.name())),
        },
    }
    Ok(())
}

fn constant(op: Op) -> bool {
    use Op::*;
    matches!(
        op,
        ConstantTrue
            | ConstantFalse
            | Constant
            | ConstantComposite
            | ConstantNull
            | ConstantSampler
            | SpecConstantTrue
            | SpecConstantFalse
            | SpecConstant
            | SpecConstantComposite
            | SpecConstantOp
            | Undef
    )
}
