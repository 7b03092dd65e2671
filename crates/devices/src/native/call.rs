//! The child's side of `native`: loads the library and calls the kernel. The only room where foreign code
//! runs.
#![expect(unsafe_code, reason = "calling foreign code is what this room is for")]

use std::ffi::c_void;
use std::time::Instant;

use ktwin_check::bench::{Times, Timing};
use ktwin_check::{Access, Argument, Failure, Step, pack, pointers};
use libloading::{Library, Symbol};

use super::fence::Fenced;
use super::kept;
use super::mode::Mode;
use super::watched::TABLE;
use super::{Call, Work};
use crate::child::wire::LaunchOrder;
use crate::child::{Ended, InPlace};

/// A kernel's function, of whatever type.
pub type Function = unsafe extern "C" fn();
/// A function of the shim, which calls one of the kernel.
pub type CallKernel = unsafe extern "C" fn(*mut *mut c_void, Function);

/// A loaded kernel.
pub struct Functions {
    kernel: Library,
    shim: Library,
    calls: Vec<Call>,
    /// Whether it says which parts of it ran, in the last buffer of each launch.
    watched: bool,
    /// What loading the kernel made of the processor's state, until it is told.
    changed: Option<String>,
    /// Whether the kernel was called.
    called: bool,
}

/// Loads the libraries.
pub fn load(Work { kernel, shim, calls, watched, .. }: Work) -> Result<Box<dyn InPlace>, Failure> {
    // SAFETY: the shim was compiled from this crate's own text, and has no initialisers.
    let shim = unsafe { Library::new(shim) };
    let shim =
        shim.map_err(|e| Failure::Mismatch(format!("the code that calls the kernel does not load: {e}")))?;
    let before = Mode::now();
    // SAFETY: loading runs the library's initialisers. They are the kernel's own code, which this process was
    // made to run: whatever they do ends with it.
    let kernel = unsafe { Library::new(kernel) };
    let changed = before.restored().map(|what| {
        format!("loading it changes the floating-point mode ({what}): leave that to whoever calls it")
    });
    let kernel = kernel.map_err(|e| does_not_load(&e.to_string()))?;
    #[cfg(target_os = "linux")]
    if let Some(call) = calls.first() {
        // SAFETY: the function is not called, its address alone is looked at
        let function = unsafe { kernel.get::<Function>(call.function.as_bytes()) };
        function.iter().for_each(|function| super::beyond::loaded(**function as *const c_void));
    }
    Ok(Box::new(Functions { kernel, shim, calls, watched, changed, called: false }))
}

/// What the loader says of a kernel: a name that nothing defines is the source's mistake.
fn does_not_load(words: &str) -> Failure {
    match crate::child::undefined(words) {
        Some(message) => Failure::Compile { message, line: None },
        None => Failure::Mismatch(format!("the kernel's library does not load: {words}")),
    }
}

fn returned(what: String) -> String {
    format!("it returned with a different floating-point mode ({what}): restore it first")
}

fn not_kept(what: String) -> String {
    format!(
        "it returned with other values in registers that its caller keeps ({what}): save and restore them"
    )
}

impl InPlace for Functions {
    fn run(&mut self, launch: LaunchOrder) -> Result<Ended, Failure> {
        let LaunchOrder { buffers, steps } = launch;
        let mut memory = buffers.iter().map(Fenced::new).collect::<Result<Vec<_>, _>>()?;
        #[cfg(target_os = "linux")]
        for (number, (fenced, buffer)) in
            memory.iter().zip(&buffers).enumerate().filter(|(_, (_, b))| b.access == Access::Read)
        {
            super::writes::watch(number, fenced.place(), buffer.len);
        }
        // the parent asks for nothing else than before the first call
        let mut ready = self.ready(&steps, &mut memory).map_err(|failure| match failure {
            Failure::Mismatch(_) if self.called => {
                Failure::Crash("it wrote over memory that is not its own".into())
            }
            other => other,
        })?;
        self.called = true;
        #[cfg(target_os = "linux")]
        for (number, (fenced, buffer)) in memory.iter_mut().zip(&buffers).enumerate() {
            super::beyond::know(number, buffer, fenced.body_pointer().addr());
        }
        let before = Mode::now();
        let start = Instant::now();
        let lost = ready.call();
        let nanoseconds = u64::try_from(start.elapsed().as_nanos()).ok();
        if self.watched {
            self.tell(&mut memory)?;
        }
        let mode = before.restored().map(returned).or(lost.map(not_kept)).or(self.changed.take());
        #[cfg(target_os = "linux")]
        super::beyond::forget();
        #[cfg(target_os = "linux")]
        let wrote = super::writes::written();
        #[cfg(not(target_os = "linux"))]
        let wrote: Vec<(usize, usize)> = Vec::new();
        let is_told = |number: usize| wrote.iter().any(|(told, _)| *told == number);
        let mut memory = memory.into_iter().enumerate();
        memory.try_for_each(|(number, fenced)| fenced.finish(is_told(number)))?;
        Ok(Ended { nanoseconds, mode, wrote })
    }

    fn time(
        &self,
        launches: &[LaunchOrder],
        timing: &Timing,
        mark: &mut dyn FnMut(),
    ) -> Result<Times, Failure> {
        super::time::time(self, launches, timing, mark)
    }
}

/// Calls whose parameters are laid out: nothing is left to do but to make them.
pub struct Ready {
    calls: Vec<(CallKernel, Function, Vec<*mut c_void>)>,
    /// Where values lie that pointers lead to.
    _words: Vec<Vec<u64>>,
}

impl Ready {
    /// A call of a function that does nothing.
    pub fn nothing() -> Ready {
        unsafe extern "C" fn nothing() {}
        unsafe extern "C" fn through(_: *mut *mut c_void, function: Function) {
            // SAFETY: `nothing` above is the only function that comes here
            unsafe { function() }
        }
        Ready { calls: vec![(through, nothing, Vec::new())], _words: Vec::new() }
    }

    /// Calls the kernel: every step of its launch. Names the registers that it should have kept and did not.
    pub fn call(&mut self) -> Option<String> {
        let mut lost = None;
        for (symbol, function, pointers) in &mut self.calls {
            // SAFETY: there is a pointer for each parameter, made from the same list as the function, to memory that
            // lives until after the call and that nobody else touches. A kernel that does not keep to its contract may
            // do anything; that is why it runs in a process of its own.
            lost = lost.or(unsafe { kept::call(*symbol, pointers.as_mut_ptr(), *function) });
        }
        lost
    }
}

impl Functions {
    /// Puts the table of the blocks that ran into the last buffer, and clears it for the next call.
    fn tell(&self, memory: &mut [Fenced]) -> Result<(), Failure> {
        let lost = |e: libloading::Error| Failure::Mismatch(e.to_string());
        // SAFETY: a kernel that is watched exports a table of bytes under this name
        let table: Symbol<*mut u8> = unsafe { self.kernel.get(TABLE.as_bytes()) }.map_err(lost)?;
        let Some(last) = memory.last_mut() else { return Ok(()) };
        let (to, len) = (last.body_pointer().cast::<u8>(), last.body_bytes());
        // SAFETY: the parent made the buffer as long as the table, and nobody else writes to either
        unsafe {
            std::ptr::copy_nonoverlapping(*table, to, len);
            std::ptr::write_bytes(*table, 0, len);
        }
        Ok(())
    }

    /// Lays out the parameters of a launch. The memory must outlive what is returned.
    pub fn ready(&self, steps: &[Step], memory: &mut [Fenced]) -> Result<Ready, Failure> {
        let mut ready = Ready { calls: Vec::new(), _words: Vec::new() };
        for step in steps {
            let found = self.calls.iter().find(|call| call.entry == step.entry);
            let call = found.ok_or_else(|| Failure::Mismatch(format!("no entry point `{}`", step.entry)))?;
            let mut pointers: Vec<*mut c_void> = Vec::new();
            for argument in &step.args {
                pointers.push(match argument {
                    Argument::Words(_) => {
                        // values are copied to where any of them is aligned
                        let mut words = aligned(argument, memory)?;
                        let pointer = words.as_mut_ptr().cast();
                        ready._words.push(words);
                        pointer
                    }
                    Argument::Buffer(number) | Argument::Returned(number) => {
                        let lost = || Failure::Mismatch(format!("no buffer {number}"));
                        memory.get_mut(*number).ok_or_else(lost)?.body_pointer()
                    }
                });
            }
            // a function that takes slices is told their lengths, after all places
            pointers.extend(step.args.iter().map(|argument| match argument {
                Argument::Words(_) => std::ptr::null_mut(),
                Argument::Buffer(number) | Argument::Returned(number) => {
                    std::ptr::without_provenance_mut(memory.get(*number).map_or(0, Fenced::body_bytes))
                }
            }));
            let lost = |e: libloading::Error| Failure::Mismatch(e.to_string());
            // SAFETY: the kernel's file offers a function of this name; of what type it is nobody can know, and it is
            // called by the shim alone.
            let function: Symbol<Function> =
                unsafe { self.kernel.get(call.function.as_bytes()) }.map_err(lost)?;
            // SAFETY: the shim was compiled with functions of this signature under these names.
            let symbol: Symbol<CallKernel> =
                unsafe { self.shim.get(call.symbol.as_bytes()) }.map_err(lost)?;
            ready.calls.push((*symbol, *function, pointers));
        }
        Ok(ready)
    }
}

fn aligned(argument: &Argument, memory: &mut [Fenced]) -> Result<Vec<u64>, Failure> {
    let Argument::Words(values) = argument else { return Ok(Vec::new()) };
    let bytes = pack(values);
    let mut words = vec![0; bytes.len().div_ceil(8)];
    bytemuck::cast_slice_mut(&mut words)[..bytes.len()].copy_from_slice(&bytes);
    for (at, buffer) in pointers(values) {
        let lost = || Failure::Mismatch(format!("no buffer {buffer}"));
        words[at / 8] = memory.get_mut(buffer).ok_or_else(lost)?.body_pointer().expose_provenance() as u64;
    }
    Ok(words)
}
