//! The child's side of OpenCL: opens the device, compiles the text, runs launches and reads everything back.

use std::ffi::CString;

use ktwin_check::bench::{Times, Timing};
use ktwin_check::{Argument, Description, Failure, Step, pack};

use super::device::Device;
use super::library::{Event, Handle, Memory, number, text};
use super::status::Status;
use super::{Ask, Work, time, words};
use crate::child::wire::LaunchOrder;
use crate::child::{Copied, Ended, Entry, Runner};
use crate::kernels;

/// What the device is.
pub fn describe(work: &Work) -> Result<Description, Failure> {
    Device::open(work)?.describe()
}

/// The kernels of a text, with the size of their work-groups where the text says it.
pub fn entries(work: &Work) -> Result<Vec<Entry>, Failure> {
    let built = build(work)?;
    built.kernels.iter().map(|k| Ok(Entry { name: k.name.clone(), block: k.required })).collect()
}

/// Opens the device and compiles the text.
pub fn load(work: &Work) -> Result<Box<dyn Runner>, Failure> {
    Ok(Box::new(build(work)?))
}

/// A program on a device.
pub struct Built {
    pub device: Device,
    pub context: Handle,
    pub queue: Handle,
    kernels: Vec<Kernel>,
    subgroup: Vec<i64>,
    /// Whether the device itself checks accesses: then nothing lies around a buffer.
    checker: bool,
}

struct Kernel {
    handle: Handle,
    name: String,
    /// `reqd_work_group_size`.
    required: Option<[u32; 3]>,
    parameters: Vec<Parameter>,
}

/// What a parameter is: a pointer to memory of the device, one to local memory, or a value.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Parameter {
    Buffer,
    Local,
    Value,
}

impl Built {
    /// Opens the device and compiles the text.
    pub fn of(work: &Work) -> Result<Built, Failure> {
        build(work)
    }

    /// A kernel by its name.
    pub fn handle(&self, name: &str) -> Result<Handle, Failure> {
        let found = self.kernels.iter().find(|kernel| kernel.name == name);
        found.map(|kernel| kernel.handle).ok_or_else(|| Failure::Crash(format!("no kernel {name}")))
    }
}

fn build(work: &Work) -> Result<Built, Failure> {
    let device = Device::open(work)?;
    let (api, handle) = (&device.api, device.handle);
    let timed = matches!(work.ask, Ask::Time(_) | Ask::Roof(..));
    let (context, queue) = api.queue(handle, timed).map_err(|e| e.of("clCreateContext"))?;
    let program = api.program(context, &work.text).map_err(|e| e.of("clCreateProgramWithSource"))?;
    let mut options = work.options.clone();
    // Oclgrind names versions that its own headers contradict
    options.extend(Some(&device).filter(|_| !work.checker).and_then(Device::standard));
    let options = CString::new(options.join(" "))
        .map_err(|_| Failure::Mismatch("`define` or `include` contains a NUL byte".into()))?;
    if let Err(status) = api.build(program, handle, &options) {
        let log = text(&api.build_log(program, handle).unwrap_or_default());
        return Err(match status {
            Status::DOES_NOT_BUILD => words::refused(&work.file, &work.text, &log, &device.lacks()),
            other => other.of("clBuildProgram"),
        });
    }
    let found = api.kernels(program).map_err(|e| e.of("clCreateKernelsInProgram"))?;
    let kernels = found.into_iter().map(|kernel| device.kernel(kernel)).collect::<Result<_, _>>()?;
    Ok(Built { context, queue, kernels, subgroup: work.subgroup.clone(), checker: work.checker, device })
}

impl Device {
    fn kernel(&self, handle: Handle) -> Result<Kernel, Failure> {
        const NAME: u32 = 0x1190;
        const PARAMETERS: u32 = 0x1191;
        const REQUIRED: u32 = 0x11b1;
        let info = |what| self.api.kernel_info(handle, what).map_err(|e| e.of("clGetKernelInfo"));
        let (name, count) = (text(&info(NAME)?), number(&info(PARAMETERS)?) as u32);
        let required = self.api.group_info(handle, self.handle, REQUIRED);
        let required = required.map_err(|e| e.of("clGetKernelWorkGroupInfo"))?;
        let mut sizes = required.chunks(size_of::<usize>()).map(|size| number(size) as u32);
        let required = [(); 3].map(|()| sizes.next().unwrap_or(0));
        let parameters = (0..count).map(|at| self.parameter(handle, at)).collect::<Result<_, _>>()?;
        Ok(Kernel { handle, name, required: Some(required).filter(|size| *size != [0; 3]), parameters })
    }

    fn parameter(&self, kernel: Handle, at: u32) -> Result<Parameter, Failure> {
        const SPACE: u32 = 0x1196;
        const LOCAL: u64 = 0x119c;
        const PRIVATE: u64 = 0x119e;
        let space = self.api.argument_info(kernel, at, SPACE).map_err(|e| e.of("clGetKernelArgInfo"))?;
        Ok(match number(&space) {
            LOCAL => Parameter::Local,
            PRIVATE => Parameter::Value,
            _ => Parameter::Buffer,
        })
    }
}

impl Runner for Built {
    fn run(&mut self, memory: &mut [Copied], steps: &[Step]) -> Result<Ended, Failure> {
        let placed = memory.iter().map(|copied| self.placed(copied)).collect::<Result<Vec<_>, _>>()?;
        for step in steps {
            self.step(step, &placed)?;
        }
        let api = &self.device.api;
        api.finish(self.queue).map_err(|e| e.of("clFinish"))?;
        for (placed, copied) in placed.iter().zip(memory) {
            let into = match placed.part {
                Some(_) => &mut copied.bytes[..],
                None => &mut copied.bytes[copied.body.clone()],
            };
            let read = api.read(self.queue, &placed.whole, placed.pad, into);
            read.map_err(|e| e.of("clEnqueueReadBuffer"))?;
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

/// A buffer on the device: what comes before it, the part that the kernel is given where that is not all, and all.
pub struct Placed<'a> {
    pub pad: usize,
    part: Option<Memory<'a>>,
    pub whole: Memory<'a>,
}

impl Built {
    /// A part must begin where the device allows it: so many bytes are put before the whole.
    pub fn placed(&self, copied: &Copied) -> Result<Placed<'_>, Failure> {
        let (api, align) = (&self.device.api, self.device.alignment());
        let made = |bytes: &[u8]| api.memory(self.context, bytes).map_err(|e| e.of("clCreateBuffer"));
        let body = copied.body.clone();
        if self.checker && !body.is_empty() {
            return Ok(Placed { pad: 0, part: None, whole: made(&copied.bytes[body])? });
        }
        let pad = body.start.next_multiple_of(align) - body.start;
        let mut bytes = vec![0; pad];
        bytes.extend(&copied.bytes);
        let whole = made(&bytes)?;
        // a part of no bytes cannot be made: a canary follows
        let part = api.part(&whole, pad + body.start, body.len().max(1));
        let part = Some(part.map_err(|e| e.of("clCreateSubBuffer"))?);
        Ok(Placed { pad, part, whole })
    }

    fn kernel(&self, step: &Step) -> Result<&Kernel, Failure> {
        match &self.kernels[..] {
            [one] if step.entry.is_empty() => Ok(one),
            all => all.iter().find(|kernel| kernel.name == step.entry).ok_or_else(|| {
                let names: Vec<&str> = all.iter().map(|kernel| kernel.name.as_str()).collect();
                Failure::Mismatch(format!("`entry` must name one of the kernels: {}", names.join(", ")))
            }),
        }
    }

    /// Starts a step on these buffers.
    pub fn step(&self, step: &Step, placed: &[Placed<'_>]) -> Result<Event<'_>, Failure> {
        let kernel = self.kernel(step)?;
        self.give(kernel, step, placed)?;
        let block = step.block.unwrap_or([1; 3]);
        kernels::sized(kernel.required, block)?;
        let block = block.map(|n| n as usize);
        let mut global = [0; 3];
        for (at, all) in global.iter_mut().enumerate() {
            *all = block[at].checked_mul(step.grid[at] as usize).ok_or_else(words::too_many)?;
        }
        self.fits(kernel, block)?;
        let started = self.device.api.start(self.queue, kernel.handle, global, block);
        started.map_err(|e| e.of("clEnqueueNDRangeKernel"))
    }

    fn give(&self, kernel: &Kernel, step: &Step, placed: &[Placed<'_>]) -> Result<(), Failure> {
        let locals = kernel.parameters.iter().filter(|p| **p == Parameter::Local).count();
        kernels::counted(&kernel.name, (kernel.parameters.len() - locals, step.args.len(), locals))?;
        kernels::local(&kernel.name, locals, step.shared)?;
        let mut args = step.args.iter();
        for (at, &parameter) in (0..).zip(&kernel.parameters) {
            let argument = if parameter == Parameter::Local { None } else { args.next() };
            self.give_one(kernel, at, parameter, argument, (placed, step.shared))?;
        }
        Ok(())
    }

    fn give_one(
        &self,
        kernel: &Kernel,
        at: u32,
        parameter: Parameter,
        argument: Option<&Argument>,
        (placed, shared): (&[Placed<'_>], u32),
    ) -> Result<(), Failure> {
        let api = &self.device.api;
        let wrong = |what: &str| Failure::Mismatch(format!("parameter {at} of `{}` {what}", kernel.name));
        let given = match (parameter, argument) {
            (Parameter::Local, _) => api.give_local(kernel.handle, at, shared as usize),
            (Parameter::Buffer, Some(Argument::Buffer(number))) => {
                let lost = || wrong("is given a buffer that does not exist");
                let placed = placed.get(*number).ok_or_else(lost)?;
                api.give_memory(kernel.handle, at, placed.part.as_ref().unwrap_or(&placed.whole))
            }
            (Parameter::Value, Some(Argument::Words(words))) => {
                api.give_value(kernel.handle, at, &pack(words))
            }
            (Parameter::Buffer, _) => return Err(wrong("is a pointer, but `args` gives values")),
            (Parameter::Value, _) => return Err(wrong("is a value, but `args` gives a tensor")),
        };
        given.map_err(|status| match status {
            Status::ARGUMENT_SIZE => wrong("has another size than what `args` gives"),
            other => other.of("clSetKernelArg"),
        })
    }

    /// Whether the device starts work-groups of this size, with subgroups as the contract wants them.
    fn fits(&self, kernel: &Kernel, block: [usize; 3]) -> Result<(), Failure> {
        const MOST: u32 = 0x11b0;
        let (api, device) = (&self.device.api, self.device.handle);
        let most =
            api.group_info(kernel.handle, device, MOST).map_err(|e| e.of("clGetKernelWorkGroupInfo"))?;
        let (most, lanes) = (number(&most), block.iter().map(|n| *n as u64).product::<u64>());
        if lanes > most {
            let text = format!(
                "a work-group of {lanes} work-items: this device starts at most {most} of this kernel"
            );
            return Err(Failure::Unsupported(text));
        }
        if self.subgroup.is_empty() {
            return Ok(());
        }
        let lanes = api.subgroup(kernel.handle, device, block);
        if lanes.is_some_and(|lanes| self.subgroup.iter().any(|wanted| *wanted as u64 == lanes)) {
            return Ok(());
        }
        let own = lanes
            .map_or_else(|| "it has no subgroups".into(), |n| format!("its subgroups have {n} work-items"));
        Err(Failure::Unsupported(format!("{own}, but the contract asks for {:?}", self.subgroup)))
    }
}
