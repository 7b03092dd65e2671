//! The child's side of `native`: loads the library and calls the kernel. The only room where foreign code
//! runs.
#![expect(unsafe_code, reason = "calling foreign code is what this room is for")]

use std::ffi::c_void;
use std::path::Path;
use std::time::Instant;

use libloading::{Library, Symbol};

use super::fence::Fenced;
use crate::child::Runner;
use crate::child::wire::{Done, Trouble, WireArg, WireLaunch, WireStep};

type Call = unsafe extern "C" fn(*mut *mut c_void);

struct Functions {
    library: Library,
    calls: Vec<(String, String)>,
}

/// Loads the library.
pub fn load(library: &Path, calls: Vec<(String, String)>) -> Result<Box<dyn Runner>, Trouble> {
    // SAFETY: loading runs the library's initialisers. They are the kernel's own code, which this process was
    // made to run: whatever they do ends with it.
    let library = unsafe { Library::new(library) };
    let library =
        library.map_err(|e| Trouble::Mismatch(format!("the kernel's library does not load: {e}")))?;
    Ok(Box::new(Functions { library, calls }))
}

impl Runner for Functions {
    fn run(&mut self, launch: WireLaunch) -> Result<Done, Trouble> {
        let fenced = launch.buffers.iter().map(Fenced::new);
        let mut memory = fenced.collect::<Result<Vec<_>, _>>()?;
        let start = Instant::now();
        for step in &launch.steps {
            self.call(step, &mut memory)?;
        }
        let elapsed = Some(start.elapsed());
        let buffers = memory.iter_mut().map(|m| m.bytes().map(Into::into));
        Ok(Done { buffers: buffers.collect::<Result<_, _>>()?, elapsed })
    }
}

impl Functions {
    fn call(&self, step: &WireStep, memory: &mut [Fenced]) -> Result<(), Trouble> {
        let found = self.calls.iter().find(|(entry, _)| *entry == step.entry);
        let (_, symbol) =
            found.ok_or_else(|| Trouble::Mismatch(format!("no entry point `{}`", step.entry)))?;
        // values are copied to where any of them is aligned
        let mut words: Vec<Vec<u64>> = step.args.iter().map(aligned).collect();
        let mut pointers: Vec<*mut c_void> = Vec::new();
        for (argument, words) in step.args.iter().zip(&mut words) {
            pointers.push(match argument {
                WireArg::Words(_) => words.as_mut_ptr().cast(),
                WireArg::Buffer(number) => {
                    let lost = || Trouble::Mismatch(format!("no buffer {number}"));
                    memory.get_mut(*number).ok_or_else(lost)?.body_pointer()
                }
            });
        }
        // SAFETY: the library was linked with functions of this signature under these names.
        let function: Result<Symbol<Call>, _> = unsafe { self.library.get(symbol.as_bytes()) };
        let function = function.map_err(|e| Trouble::Mismatch(e.to_string()))?;
        // SAFETY: there is a pointer for each parameter, made from the same list as the function, to memory
        // that lives until after the call and that nobody else touches. A kernel that does not keep to its
        // contract may do anything; that is why it runs in a process of its own.
        unsafe { function(pointers.as_mut_ptr()) };
        Ok(())
    }
}

fn aligned(argument: &WireArg) -> Vec<u64> {
    let WireArg::Words(bytes) = argument else { return Vec::new() };
    let mut words = vec![0; bytes.len().div_ceil(8)];
    bytemuck::cast_slice_mut(&mut words)[..bytes.len()].copy_from_slice(bytes);
    words
}
