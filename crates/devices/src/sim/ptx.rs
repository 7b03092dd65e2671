//! CUDA C++, PTX, Triton and OpenCL C on the simulated GPU: how the first three are compiled, and how a step's
//! arguments become the parameters of a kernel.

use ktwin_check::{Argument, Build, Failure, Launch, Source, SourceKind, Step, pack, pointers};
use ktwin_sim::{CompileError, EntryPoint, Init, Module, Param};

use crate::compile::{self, Needs};
use crate::kernels;

/// A kernel that can be launched.
pub struct Compiled {
    /// The module.
    pub module: Module,
    /// Its entry points as contracts name them and as the module does.
    pub names: Vec<(String, String)>,
    /// Its text.
    pub text: String,
    /// What Triton asks of launches.
    pub needs: Vec<(String, Needs)>,
}

/// The module of a source in CUDA C++, PTX or of Triton.
pub fn compile(source: &Source, build: &Build) -> Result<Compiled, Failure> {
    if source.kind == SourceKind::Ptx {
        let refused = |e: CompileError| Failure::Compile { line: e.line, message: e.rendered };
        let text = source.text();
        let module = Module::from_ptx(&text).map_err(refused)?;
        return Ok(Compiled { module, names: Vec::new(), text, needs: Vec::new() });
    }
    let ptx = compile::ptx(source, build)?;
    // what the compiler has accepted is sound: it can only be more than the simulator knows
    let unknown = |e: CompileError| {
        Failure::Unsupported(format!("sim does not run this kernel: {}", one_line(&e.rendered)))
    };
    let module = match source.kind {
        SourceKind::Triton => Module::from_triton(&ptx.text, &source.text()),
        _ => Module::from_ptx_with_source(&ptx.text, &source.text()),
    };
    let module = module.map_err(unknown)?;
    let named = build.entries.iter().map(|(entry, _)| (entry.clone(), ptx.entry(entry).to_owned()));
    let named = named.filter(|(entry, _)| !entry.is_empty()).collect();
    Ok(Compiled { module, names: named, text: ptx.text, needs: ptx.needs })
}

/// What the simulator says of what it does not run, in one line.
pub fn one_line(rendered: &str) -> String {
    let lines: Vec<&str> = rendered.lines().map(|l| l.trim().trim_start_matches("error: ")).collect();
    lines.join("; ")
}

/// The function in a mangled name: `_Z3addPf` is `add`; a name that is not mangled stays.
pub fn plain(name: &str) -> String {
    let rest = name.strip_prefix("_Z").unwrap_or("");
    let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let len: usize = rest[..digits].parse().unwrap_or(0);
    rest.get(digits..digits + len).filter(|n| !n.is_empty()).unwrap_or(name).to_owned()
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

/// Lanes of a block, of its last dimension, and blocks of the last two dimensions of a grid, on every card.
const LANES: u64 = 1024;
const DEEP: u32 = 64;
const WIDE: u32 = 65_535;
/// Bytes of shared memory that a kernel may declare.
const STATIC: u32 = 48 << 10;
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

/// Whether a card would start this at all.
pub fn launchable(step: &Step, entry: &EntryPoint, most: u32) -> Result<(), Failure> {
    let (block, grid) = (step.block.unwrap_or([1; 3]), step.grid);
    let lanes: u64 = block.iter().map(|n| u64::from(*n)).product();
    let wrong = |text: String| Err(Failure::Mismatch(text));
    let bounds = u64::from(entry.max_lanes.unwrap_or(u32::MAX));
    if lanes > LANES {
        return wrong(format!("a block of {lanes} lanes: at most {LANES} are allowed"));
    }
    if lanes > bounds {
        return wrong(format!(
            "a block of {lanes} lanes, although `__launch_bounds__` promises at most {bounds}"
        ));
    }
    if block[2] > DEEP {
        return wrong(format!("a block of {} lanes in z: at most {DEEP} are allowed", block[2]));
    }
    if let Some(blocks) = grid[1..].iter().find(|n| **n > WIDE) {
        return wrong(format!(
            "{blocks} blocks in y or z, at most {WIDE} are allowed: limit the dimension in `dims`"
        ));
    }
    if entry.shared > STATIC {
        return wrong(format!(
            "{} bytes of static shared memory: at most {STATIC} are allowed",
            entry.shared
        ));
    }
    let shared = u64::from(step.shared) + u64::from(entry.shared);
    if shared > u64::from(most) {
        return wrong(format!("{shared} bytes of shared memory per block: at most {most} are allowed here"));
    }
    Ok(())
}

/// Whether OpenCL would start this: work-groups as the kernel requires them, and no larger than most devices have.
pub fn uniform(step: &Step, entry: &EntryPoint) -> Result<(), Failure> {
    let block = step.block.unwrap_or([1; 3]);
    let lanes: u64 = block.iter().map(|n| u64::from(*n)).product();
    let wrong = |text: String| Err(Failure::Mismatch(text));
    kernels::sized(Some(entry.workgroup).filter(|size| *size != [0; 3]), block)?;
    if lanes > LANES {
        return wrong(format!("a work-group of {lanes} work-items: at most {LANES} are allowed"));
    }
    let shared = u64::from(step.shared) * u64::from(entry.locals.max(1)) + u64::from(entry.shared);
    if shared > LOCAL {
        return wrong(format!("{shared} bytes of local memory: at most {LOCAL} are allowed"));
    }
    Ok(())
}

/// A launch of the simulator for a step: tensors are pointers, structs and values are bytes.
pub fn bind(step: &Step, launch: &Launch, known: &[Init], entry: &str) -> Result<ktwin_sim::Launch, Failure> {
    let Some(block) = step.block else {
        return Err(Failure::Mismatch("`block` is missing: write block = [256, 1, 1]".into()));
    };
    let mut sim = ktwin_sim::Launch::new(step.grid).entry(entry).block(block);
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

    fn refused(block: [u32; 3], grid: [u32; 3], shared: u32, max_lanes: Option<u32>) -> Option<String> {
        let step =
            Step { entry: "k".into(), grid, block: Some(block), shared, args: Vec::new(), push: Vec::new() };
        let entry = EntryPoint { max_lanes, shared: 1024, ..entry() };
        launchable(&step, &entry, most_shared(None)).err().map(|e| e.to_string())
    }

    fn entry() -> EntryPoint {
        EntryPoint { name: "k".into(), ..EntryPoint::default() }
    }

    #[test]
    fn mangled_names_are_shown_plain() {
        assert_eq!([plain("_Z3addPf"), plain("_Z99x"), plain("add")], ["add", "_Z99x", "add"]);
    }

    #[test]
    fn what_no_card_starts_is_said() {
        assert_eq!(refused([32, 32, 1], [1 << 20, 65_535, 1], 162 << 10, Some(1024)), None);
        let cases = [
            (refused([1025, 1, 1], [1; 3], 0, None), "1025 lanes"),
            (refused([256, 1, 1], [1; 3], 0, Some(128)), "__launch_bounds__"),
            (refused([1, 1, 65], [1; 3], 0, None), "in z"),
            (refused([1; 3], [1, 1, 65_536], 0, None), "65536 blocks"),
            (refused([1; 3], [1; 3], (162 << 10) + 1, None), "shared memory"),
        ];
        for (said, wanted) in cases {
            assert!(said.as_ref().is_some_and(|s| s.contains(wanted)), "{said:?} {wanted}");
        }
    }
}
