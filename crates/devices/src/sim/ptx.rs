//! CUDA C++, PTX, Triton and OpenCL C on the simulated GPU: how the first three are compiled, and how a step's
//! arguments become the parameters of a kernel.

use ktwin_check::{Argument, Build, Failure, Launch, Source, SourceKind, Step, pack, pointers};
use ktwin_sim::{CompileError, EntryPoint, Init, Module, Param, ParamInfo};

use crate::compile::{self, Ptx};
use crate::kernels::{self, Signature};

/// A kernel that can be launched.
pub struct Compiled {
    /// The module.
    pub module: Module,
    /// Its text, its entry points as contracts name them, and what Triton asks of launches.
    pub ptx: Ptx,
}

/// The module of a source in CUDA C++, PTX or of Triton.
pub fn compile(source: &Source, build: &Build) -> Result<Compiled, Failure> {
    let ptx = compile::ptx(source, build)?;
    // what the compiler has accepted is sound: it can only be more than the simulator knows
    let unknown = |e: CompileError| {
        Failure::Unsupported(format!("sim does not run this kernel: {}", one_line(&e.rendered)))
    };
    let written = |e: CompileError| match e.unsupported {
        true => unknown(e),
        false => Failure::Compile { line: e.line, message: e.rendered },
    };
    let module = match source.kind {
        SourceKind::Ptx => Module::from_ptx(&ptx.text).map_err(written)?,
        SourceKind::Triton => Module::from_triton(&ptx.text, &source.text()).map_err(unknown)?,
        _ => Module::from_ptx_with_source(&ptx.text, &source.text()).map_err(unknown)?,
    };
    Ok(Compiled { module, ptx })
}

/// What the simulator says of what it does not run, in one line: with the line of the source or else that of the PTX,
/// and functions by the names that people call them by.
pub fn one_line(rendered: &str) -> String {
    let mut lines: Vec<&str> = rendered.lines().map(|l| l.trim().trim_start_matches("error: ")).collect();
    if lines.iter().any(|line| line.starts_with("line ")) {
        lines.retain(|line| !line.starts_with("ptx:"));
    }
    let parts = lines.join("; ");
    let parts = parts.split('`').map(|part| match part.starts_with("_Z") {
        true => compile::plain(part),
        false => part.to_owned(),
    });
    parts.collect::<Vec<_>>().join("`")
}

/// What variables of a module hold, by their names.
pub type Globals = Vec<(String, Vec<u32>)>;

/// What variables of the source begin with, by their names in the module.
pub fn held(ptx: &Ptx, steps: &[Step]) -> Result<Globals, Failure> {
    let words = |bytes: Vec<u8>| {
        let word = |part: &[u8]| part.iter().rev().fold(0, |word, byte| word << 8 | u32::from(*byte));
        bytes.chunks(4).map(word).collect()
    };
    let all = steps.iter().flat_map(|step| &step.globals).map(|global| ptx.filled(global));
    all.map(|filled| filled.map(|(name, bytes)| (name, words(bytes)))).collect()
}

/// The numbers of the buffers that a step is given, each once.
pub fn buffers(step: &Step) -> Vec<usize> {
    let mut numbers = Vec::new();
    for argument in &step.args {
        let own = match argument {
            Argument::Buffer(number) => vec![*number],
            Argument::Words(words) => words.iter().filter_map(|word| word.buffer).collect(),
            Argument::Returned(_) => Vec::new(),
        };
        for number in own {
            if !numbers.contains(&number) {
                numbers.push(number);
            }
        }
    }
    numbers
}

/// Bytes of local memory that a work-group of OpenCL can have.
const LOCAL: u64 = 64 << 10;

/// Bytes of shared memory that a block can have at most on an architecture, static and dynamic together.
pub fn most_shared(arch: Option<&str>) -> u32 {
    let digits: String = arch.unwrap_or("sm_80").chars().filter(char::is_ascii_digit).collect();
    match digits.parse().unwrap_or(80) {
        0..=74 => 96 << 10,
        75 => 64 << 10,
        80 | 87 => 163 << 10,
        86 | 89 => 99 << 10,
        120.. => 99 << 10,
        _ => 227 << 10,
    }
}

/// Whether OpenCL would start this: work-groups as the kernel requires them, and no larger than most devices have.
pub fn uniform(step: &Step, entry: &EntryPoint) -> Result<(), Failure> {
    let block = step.block.unwrap_or([1; 3]);
    let lanes: u64 = block.iter().map(|n| u64::from(*n)).product();
    let wrong = |text: String| Err(Failure::Mismatch(text));
    kernels::sized(Some(entry.workgroup).filter(|size| *size != [0; 3]), block)?;
    if lanes > kernels::LANES {
        return wrong(format!("a work-group of {lanes} work-items: at most {} are allowed", kernels::LANES));
    }
    let shared = u64::from(step.shared) * u64::from(entry.locals.max(1)) + u64::from(entry.shared);
    if shared > LOCAL {
        return wrong(format!("{shared} bytes of local memory: at most {LOCAL} are allowed"));
    }
    Ok(())
}

/// Whether `args` gives an entry point what it takes.
fn fits(step: &Step, entry: &EntryPoint) -> Result<(), Failure> {
    let words = |(at, param): (usize, &ParamInfo)| {
        let is_own = !param.name.is_empty() && !param.name.contains("_param_");
        let word = if is_own { format!("`{}`", param.name) } else { (at + 1).to_string() };
        (format!("parameter {word}"), param.size as usize)
    };
    let parameters = entry.params.iter().enumerate().map(words).collect();
    let (name, locals) = (&*compile::plain(&entry.name), entry.locals as usize);
    let size = |argument: &Argument| match argument {
        Argument::Buffer(_) | Argument::Returned(_) => size_of::<u64>(),
        Argument::Words(words) => pack(words).len(),
    };
    let given: Vec<usize> = step.args.iter().map(size).collect();
    kernels::fits(&Signature { name, parameters, locals }, &given)?;
    kernels::local(name, locals, step.shared)
}

/// A launch of the simulator for a step: tensors are pointers, structs and values are bytes.
pub fn bind(
    step: &Step,
    launch: &Launch,
    known: &[Init],
    entry: &EntryPoint,
) -> Result<ktwin_sim::Launch, Failure> {
    fits(step, entry)?;
    let Some(block) = step.block else {
        return Err(Failure::Mismatch("`block` is missing: write block = [256, 1, 1]".into()));
    };
    let mut sim = ktwin_sim::Launch::new(step.grid).entry(&entry.name).block(block);
    sim.dynamic_shared = step.shared;
    for number in buffers(step) {
        let missing = || Failure::Mismatch(format!("there is no buffer {number}"));
        let buffer = launch.buffers.get(number).ok_or_else(missing)?;
        let bytes = buffer.bytes[buffer.body.clone()].to_vec();
        let init = known[number].clone();
        let name = buffer.name.clone();
        sim = sim.buffer(ktwin_sim::Buffer {
            init,
            name,
            ..ktwin_sim::Buffer::input(0, binding(number), bytes)
        });
    }
    for argument in &step.args {
        sim = sim.param(match argument {
            Argument::Buffer(number) | Argument::Returned(number) => Param::pointer(binding(*number)),
            Argument::Words(words) => {
                let point = |param: Param, (at, buffer): (usize, usize)| {
                    param.pointing(at as u32, binding(buffer), 0)
                };
                pointers(words).into_iter().fold(Param::bytes(pack(words)), point)
            }
        });
    }
    Ok(sim)
}

fn binding(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_run_has_its_line_and_its_name() {
        let rendered = "error: `_Z4facti` calls itself: recursion is not supported\n  line 9: return fact(n - 1);\n  \
                        ptx:36: call.uni (retval0),\n";
        let due = "`fact` calls itself: recursion is not supported; line 9: return fact(n - 1);";
        assert_eq!(one_line(rendered), due);
        assert_eq!(one_line("error: `x` is not supported\n  ptx:3: x;\n"), "`x` is not supported; ptx:3: x;");
    }

    #[test]
    fn what_only_the_simulator_lacks_is_not_a_mistake_of_the_ptx() {
        let compiled = |body: &str| {
            let text = format!(
                ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k()\n{{\n{body}\nret;\n}}\n"
            );
            let source = Source { kind: SourceKind::Ptx, path: "k.ptx".into(), bytes: text.into() };
            compile(&source, &Build::default()).map(drop)
        };
        let lacking = compiled("wgmma.fence.sync.aligned;");
        assert!(
            matches!(&lacking, Err(Failure::Unsupported(why)) if why.contains("wgmma.fence")),
            "{lacking:?}"
        );
        let wrong = compiled("bra NOWHERE;");
        assert!(matches!(&wrong, Err(Failure::Compile { line: Some(6), .. })), "{wrong:?}");
        assert_eq!(compiled(""), Ok(()));
    }
}
