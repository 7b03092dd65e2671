//! The simulated GPU as a device. It runs in this process and touches no hardware: a kernel's access outside
//! its buffers is reported and never performed, so canaries cannot even be reached.

mod counts;
mod found;
mod ptx;
mod slots;
mod told;
mod widths;

use std::sync::atomic::{AtomicBool, Ordering};

use found::failure;
use ktwin_check::bench::{Answer, Measured, Timing};
use ktwin_check::languages::Code;
use ktwin_check::parts::Parts;
use ktwin_check::{
    Access, Build, Description, Device, Failure, Finding, Kind, Launch, Program, Ran, Resources, Sanitized,
    Source, SourceKind, Step, Visit,
};
use ktwin_num::Language;
use ktwin_sim::{ByteSet, EntryPoint, FindingKind, Init, Mode, Module, Options};
use ptx::Globals;
use slots::Bound;
use told::Told;

use crate::{compile, kernels, shader};

/// Instructions of a workgroup after which a loop counts as endless: a few seconds.
const PATIENCE: u64 = 1 << 26;
/// The same for each byte of the buffers: a workgroup alone may have all of the work.
const A_BYTE: u64 = 1 << 9;

/// The simulated GPU in one of its modes.
#[derive(Clone, Copy, Debug)]
pub struct Sim {
    /// How it runs kernels.
    pub options: Options,
}

impl Sim {
    /// The usual options with functions that round in this way. Errors in the modes `worst` and `range`, and every
    /// schedule, are drawn by the seed of the case: the same case gives the same run.
    pub fn new(mode: Mode) -> Sim {
        Sim { options: Options { mode, budget: PATIENCE, ..Options::default() } }
    }
}

/// The simulated GPU in each of its modes, the usual one first.
pub fn devices() -> Vec<Box<dyn Device>> {
    let modes = [Mode::Nearest, Mode::Worst, Mode::Range];
    modes.into_iter().map(|mode| Box::new(Sim::new(mode)) as Box<dyn Device>).collect()
}

impl Device for Sim {
    fn name(&self) -> &str {
        match self.options.mode {
            Mode::Nearest => "sim",
            Mode::Worst => "sim-worst",
            Mode::Range => "sim-range",
        }
    }

    fn about(&self) -> &str {
        match self.options.mode {
            Mode::Nearest => {
                "a simulated GPU for WGSL, GLSL, SPIR-V, OpenCL C, PTX, CUDA C++ and Triton; sees what drivers hide"
            }
            Mode::Worst => "the same, its functions as wrong as the language allows",
            Mode::Range => "the same, its functions anywhere inside what the language allows",
        }
    }

    fn probe(&self) -> Result<Description, Failure> {
        let rounding = match self.options.mode {
            Mode::Nearest => "functions correctly rounded",
            Mode::Worst => "functions as wrong as the language allows",
            Mode::Range => "functions anywhere inside what the language allows",
        };
        Ok(Description {
            detail: format!("simulated GPU, {rounding}"),
            features: vec!["f16".into(), format!("subgroups {}", self.options.warp)],
        })
    }

    fn counts(&self) -> bool {
        true
    }

    fn accepts(&self, kind: SourceKind) -> bool {
        matches!(kind.code(), Code::Shader | Code::Ptx | Code::OpenCl)
    }

    fn functions(&self, rules: Language) -> Language {
        match self.options.mode {
            // CUDA's functions are the compiler's code, which runs here as it runs on a card
            _ if matches!(rules, Language::Cuda | Language::CudaFast) => rules,
            // correctly rounded: as good as those of any library on the host
            Mode::Nearest => Language::C,
            Mode::Worst | Mode::Range => rules,
        }
    }

    // it sees all that a sanitizer sees
    fn sanitize(&self, _source: &Source, _command: &str) -> Result<Option<Sanitized>, Failure> {
        Ok(None)
    }

    fn compile(&self, source: &Source, build: &Build) -> Result<Box<dyn Program>, Failure> {
        let (options, remembers) = (self.options, AtomicBool::default());
        if source.kind.code() == Code::Ptx {
            let ptx::Compiled { module, ptx } = ptx::compile(source, build)?;
            let named = build.entries.iter().map(|(entry, args)| (ptx.entry(entry).to_owned(), args.clone()));
            shader::entries(&module, &Build { entries: named.collect(), ..Build::default() })?;
            let (most_shared, arch) = (ptx::most_shared(build.arch.as_deref()), build.arch.clone());
            let ptx = Some(Ptx { compiled: ptx, most_shared, arch });
            let (overrides, widths) = (Vec::new(), vec![options.warp]);
            let (robust, parameters, typed) = (false, true, None);
            return Ok(Box::new(Loaded {
                module,
                overrides,
                options,
                widths,
                robust,
                parameters,
                typed,
                ptx,
                remembers,
            }));
        }
        let module = shader::module(source, build)?;
        let widths = widths::of(&module, source, build, options.warp)?;
        let parameters = source.kind.code() == Code::OpenCl;
        let overrides = match parameters {
            true => Vec::new(),
            false => shader::overrides(&module, source, build)?,
        };
        shader::entries(&module, build)?;
        let (robust, ptx, typed) = (build.robust, None, slots::typed(source));
        Ok(Box::new(Loaded { module, overrides, options, widths, robust, parameters, typed, ptx, remembers }))
    }
}

struct Loaded {
    module: Module,
    overrides: Vec<(String, f64)>,
    options: Options,
    /// Lanes of a subgroup, each as often as it is to occur.
    widths: Vec<u32>,
    /// Whether reads past the end of a buffer are the platform's to answer.
    robust: bool,
    /// Whether it takes parameters instead of bindings.
    parameters: bool,
    /// Its text, where the types in it are those of the values.
    typed: Option<String>,
    /// Where it is CUDA.
    ptx: Option<Ptx>,
    /// Whether launches have left something in the module's variables.
    remembers: AtomicBool,
}

/// What is needed to start kernels of CUDA.
struct Ptx {
    /// The PTX, and how its entry points are named and launched.
    compiled: compile::Ptx,
    /// Bytes of shared memory that a block can have.
    most_shared: u32,
    /// The architecture that the contract names.
    arch: Option<String>,
}

impl Program for Loaded {
    fn block(&self, entry: &str) -> Option<[u32; 3]> {
        // PTX says it or leaves it to the launch
        let name = &self.entry(entry)?.name;
        self.module.workgroup(name, &self.overrides).filter(|lanes| *lanes != [0; 3])
    }

    fn run(&self, launches: Vec<Launch>) -> Vec<Result<Ran, Failure>> {
        // a module is loaded once: its variables keep what launches leave in them
        let mut globals = Vec::new();
        let ran =
            launches.into_iter().map(|launch| Ok(self.run_one(launch, &mut globals, false)?.0)).collect();
        self.remembers.fetch_or(!globals.is_empty(), Ordering::Relaxed);
        ran
    }

    fn measure(&self, launches: Vec<Launch>, _timing: &Timing) -> Result<Answer, Failure> {
        let (mut globals, mut ran, mut first) = (Vec::new(), Vec::new(), None);
        for launch in launches {
            let (one, told) = self.run_one(launch, &mut globals, false)?;
            first.get_or_insert(told.counts);
            ran.push(Ok(one));
        }
        Ok((Measured::Counts(counts::rows(&first.unwrap_or_default())), ran))
    }

    fn visit(&self, launches: Vec<Launch>) -> Vec<Result<Visit, Failure>> {
        let one = |launch| {
            let (ran, told) = self.run_one(launch, &mut Vec::new(), true)?;
            Ok(Visit { parts: ran.parts, ..told.visit })
        };
        launches.into_iter().map(one).collect()
    }

    fn resources(&self) -> Result<Vec<Resources>, String> {
        self.ptx.as_ref().map_or(Ok(Vec::new()), |ptx| ptx.compiled.resources(ptx.arch.as_deref()))
    }

    fn remembers(&self) -> bool {
        self.remembers.load(Ordering::Relaxed)
    }
}

impl Loaded {
    fn entry(&self, name: &str) -> Option<&EntryPoint> {
        let name = self.ptx.as_ref().map_or(name, |ptx| ptx.compiled.entry(name));
        self.module.entry_points().iter().find(|e| name.is_empty() || e.name == name)
    }

    // First in order, as most devices start; a launch that is run again meets another schedule, that of its case, so
    // that what depends on it shows. Where functions err by seed too, both meet that one: other bits would not be the
    // kernel's fault.
    fn options_of(&self, launch: &Launch) -> Options {
        let of_case = launch.schedule.max(1);
        let seed = match (self.options.mode, launch.run) {
            (Mode::Nearest, 0) => 0,
            (Mode::Nearest, run) => of_case.wrapping_add(run).max(1),
            _ => of_case,
        };
        let warp = self.widths[((launch.schedule >> 8) % self.widths.len() as u64) as usize];
        let bytes: usize = launch.buffers.iter().map(|buffer| buffer.bytes.len()).sum();
        let budget = self.options.budget.max(A_BYTE * bytes as u64);
        Options { seed, warp, turns: launch.run > 0, budget, ..self.options }
    }

    fn run_one(
        &self,
        mut launch: Launch,
        globals: &mut Globals,
        compares: bool,
    ) -> Result<(Ran, Told), Failure> {
        let options = &Options { compares, ..self.options_of(&launch) };
        let mut known: Vec<Init> = launch.buffers.iter().map(|b| init(b.access)).collect();
        let (mut findings, mut told) = (Vec::new(), Told::default());
        if options.warp != self.options.warp {
            let message = format!("subgroups of {} lanes", options.warp);
            findings.push(Finding::new(Kind::SubgroupSize, message));
        }
        let held = self
            .ptx
            .iter()
            .map(|ptx| ptx::held(&ptx.compiled, &launch.steps))
            .collect::<Result<Vec<_>, _>>()?;
        let held = held.concat();
        let is_held = |name: &String| held.iter().any(|(own, _)| own == name);
        globals.retain(|(name, _)| !is_held(name));
        globals.extend(held.iter().cloned());
        for step in &launch.steps {
            let (mut sim, bound) = self.bind(step, &launch, &known)?;
            sim.globals = std::mem::take(globals);
            let own = self.entry(&step.entry).and_then(|entry| entry.subgroup);
            let options = &Options { warp: own.unwrap_or(options.warp), ..*options };
            let run = self.module.run(&mut sim, options).map_err(failure)?;
            *globals = std::mem::take(&mut sim.globals);
            told.add(&run);
            let sizes = found::sizes(self.entry(&step.entry), &sim, &bound, &launch.buffers);
            findings.extend(run.findings.iter().map(|found| self.finding(step, found, &sizes)));
            for (buffer, number) in sim.buffers.into_iter().zip(bound) {
                let Some(number) = number else { continue };
                let own = &mut launch.buffers[number];
                let body = own.body.clone();
                // what is put back afterwards was not the kernel's to change
                if let Some(first) = buffer.written.first().filter(|_| own.access == Access::Read)
                    && own.bytes[body.clone()] == buffer.bytes[..body.len()]
                {
                    findings.push(ktwin_check::written(own, Some(body.start + first)));
                }
                own.bytes[body.clone()].copy_from_slice(&buffer.bytes[..body.len()]);
                if launch.steps.len() > 1 {
                    known[number] = joined(&known[number], &buffer.written);
                }
            }
        }
        // every launch is given those anew
        globals.retain(|(name, _)| !is_held(name));
        let buffers = launch.buffers.into_iter().map(|b| b.bytes).collect();
        // the other modes run the same source
        let nearest = options.mode == Mode::Nearest;
        let parts = if nearest { std::mem::take(&mut told.visit.parts) } else { Parts::default() };
        Ok((Ran { buffers, findings, elapsed: None, parts }, told))
    }

    fn finding(&self, step: &Step, found: &ktwin_sim::Finding, sizes: &[(String, u64)]) -> Finding {
        let reads = found.kind == FindingKind::OutOfBounds && found.access == Some(ktwin_sim::Access::Read);
        let of = |entry: &EntryPoint| entry.bindings.iter().any(|b| found.buffer.as_ref() == Some(&b.name));
        let of_buffer = self.entry(&step.entry).is_some_and(of);
        let own = found::finding(found, sizes);
        Finding { note: own.note || self.robust && reads && of_buffer && !found.stopped, ..own }
    }

    // The same for a kernel that takes parameters.
    fn with_parameters(&self, step: &Step, launch: &Launch, known: &[Init]) -> Result<Bound, Failure> {
        let missing = || Failure::Mismatch(format!("no entry point `{}`", step.entry));
        let entry = self.entry(&step.entry).ok_or_else(missing)?;
        if let Some(lacks) = &entry.lacks {
            return Err(Failure::Unsupported(format!("sim does not run this kernel: {lacks}")));
        }
        let needs = self.ptx.iter().flat_map(|ptx| &ptx.compiled.needs).find(|(own, _)| *own == step.entry);
        let own = needs.map(|(_, needs)| compile::launched(step, entry.params.len(), *needs)).transpose()?;
        let step = own.as_ref().unwrap_or(step);
        match &self.ptx {
            Some(ptx) => {
                let takes =
                    kernels::Takes { lanes: entry.max_lanes.unwrap_or(u32::MAX), shared: entry.shared };
                kernels::launchable(step, takes, ptx.most_shared)?
            }
            None => ptx::uniform(step, entry)?,
        }
        let sim = ptx::bind(step, launch, known, entry)?;
        Ok((sim, ptx::buffers(step).into_iter().map(Some).collect()))
    }

    // A launch of the simulator, and which of the launch's buffers each of its own is.
    fn bind(&self, step: &Step, launch: &Launch, known: &[Init]) -> Result<Bound, Failure> {
        if self.parameters {
            return self.with_parameters(step, launch, known);
        }
        let shader = slots::Shader {
            entry: self.entry(&step.entry),
            overrides: &self.overrides,
            typed: self.typed.as_deref(),
        };
        shader.bind(step, launch, known)
    }
}

fn init(access: Access) -> Init {
    match access {
        Access::Read | Access::ReadWrite => Init::All,
        Access::Write | Access::Scratch => Init::None,
    }
}

// What a later step of a chain may read: what was there, and what this step wrote.
fn joined(before: &Init, written: &ByteSet) -> Init {
    let mut all = match before {
        Init::All => return Init::All,
        Init::None => ByteSet::default(),
        Init::Bytes(set) => set.clone(),
    };
    all.add(written);
    Init::Bytes(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_later_step_may_read_what_an_earlier_one_wrote() {
        let mut written = ByteSet::new(8);
        written.insert(0..4);
        let Init::Bytes(after) = joined(&Init::None, &written) else { unreachable!() };
        assert!(after.contains_all(0..4) && !after.contains(4));
        assert_eq!(joined(&Init::All, &written), Init::All);
    }
}
