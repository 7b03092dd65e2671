//! The child's side of a card: opens it, has the driver compile PTX, runs launches and reads everything back.

use std::ffi::CString;
use std::ops::Range;

use ktwin_check::bench::{Times, Timing};
use ktwin_check::{Access, Argument, Description, Failure, Step, pack, pointers};

use super::library::{Api, Handle, Memory, Place, Start, Status};
use super::{GET, Work, sanitizer, time, words};
use crate::child::wire::LaunchOrder;
use crate::child::{Copied, Ended, Entry, Runner};
use crate::{compile, kernels};

/// Attributes of a card.
mod of_card {
    pub const MULTIPROCESSORS: i32 = 16;
    pub const CACHE: i32 = 38;
    pub const MAJOR: i32 = 75;
    pub const MINOR: i32 = 76;
    pub const MOST_SHARED: i32 = 97;
}

/// Attributes of a kernel.
mod of_kernel {
    pub const MOST_LANES: i32 = 0;
    pub const SHARED: i32 = 1;
    pub const MOST_DYNAMIC: i32 = 8;
}

/// A card in use.
pub struct Card {
    pub api: Api,
    number: i32,
    count: usize,
}

impl Card {
    /// Loads the driver and opens the card.
    pub fn open(number: usize) -> Result<Card, Failure> {
        let api = Api::load()?;
        let all = api.devices().map_err(|e| api.failure(e, "cuDeviceGetCount"))?;
        let absent = |why: String| Failure::Absent { why, get: GET.into() };
        let Some(chosen) = all.get(number).copied() else {
            return Err(absent(match all.len() {
                0 => "the driver knows no card".into(),
                count => format!("no card {number}: there are {count}, counted from 0"),
            }));
        };
        api.open(chosen).map_err(|e| api.failure(e, "cuDevicePrimaryCtxRetain"))?;
        Ok(Card { number: chosen, count: all.len(), api })
    }

    fn attribute(&self, what: i32) -> Result<i32, Failure> {
        self.api.attribute(self.number, what).map_err(|e| self.api.failure(e, "cuDeviceGetAttribute"))
    }

    /// How many multiprocessors it has.
    pub fn multiprocessors(&self) -> Result<u32, Failure> {
        self.attribute(of_card::MULTIPROCESSORS).map(i32::cast_unsigned)
    }

    /// What it is.
    pub fn describe(&self) -> Result<Description, Failure> {
        let (api, failed) = (&self.api, |e| self.api.failure(e, "cuDeviceGetName"));
        let (name, bytes) =
            (api.name(self.number).map_err(failed)?, api.memory(self.number).map_err(failed)?);
        let (major, minor) = api.version().map_err(failed)?;
        let others = if self.count > 1 {
            format!("; {} cards, cuda:1 is the second", self.count)
        } else {
            String::new()
        };
        let architecture =
            format!("sm_{}{}", self.attribute(of_card::MAJOR)?, self.attribute(of_card::MINOR)?);
        Ok(Description {
            detail: format!("{name}, {} GiB, driver for CUDA {major}.{minor}{others}", bytes >> 30),
            features: vec![architecture, format!("{} multiprocessors", self.multiprocessors()?)],
        })
    }
}

/// What the card is.
pub fn describe(work: &Work) -> Result<Description, Failure> {
    Card::open(work.number)?.describe()
}

/// The kernels of a module.
pub fn entries(work: &Work) -> Result<Vec<Entry>, Failure> {
    let built = Built::of(work)?;
    Ok(built.kernels.iter().map(|kernel| Entry { name: kernel.name.clone(), block: None }).collect())
}

/// Opens the card and compiles the module.
pub fn load(work: &Work) -> Result<Box<dyn Runner>, Failure> {
    Ok(Box::new(Built::of(work)?))
}

/// A module on a card.
pub struct Built {
    pub card: Card,
    ptx: compile::Ptx,
    module: Handle,
    kernels: Vec<Kernel>,
    most_shared: u32,
    /// Whether blocks of a grid wait for each other.
    together: bool,
    /// Bytes that fill the card's cache twice.
    flush: usize,
    /// Whether the card takes no further calls of this process.
    over: bool,
    /// Whether a sanitizer looks at this process.
    sanitized: bool,
}

struct Kernel {
    name: String,
    handle: Handle,
    /// Bytes of each parameter.
    parameters: Vec<usize>,
    takes: kernels::Takes,
}

impl Built {
    fn of(work: &Work) -> Result<Built, Failure> {
        let card = Card::open(work.number)?;
        let api = &card.api;
        let text = CString::new(work.ptx.text.as_str())
            .map_err(|_| Failure::Compile { message: "the PTX contains a NUL byte".into(), line: None })?;
        let module = api.module(&text).map_err(|(status, log)| {
            words::refused(&log, api.failure(status, "cuModuleLoadDataEx"), work.compiled)
        })?;
        let found = api.functions(module).map_err(|e| api.failure(e, "cuModuleEnumerateFunctions"))?;
        let kernels =
            found.into_iter().map(|(name, handle)| card.kernel(name, handle)).collect::<Result<_, _>>()?;
        let most_shared = card.attribute(of_card::MOST_SHARED)?.cast_unsigned();
        let flush = 2 * card.attribute(of_card::CACHE)?.cast_unsigned() as usize;
        // the room in which a whole grid meets is found through these registers
        let together = work.ptx.text.contains("%envreg");
        let (ptx, sanitized) = (work.ptx.clone(), sanitizer::looks_on());
        Ok(Built { kernels, ptx, module, most_shared, together, flush, over: false, sanitized, card })
    }

    fn failed(&self, function: &'static str) -> impl Fn(Status) -> Failure {
        move |status| self.card.api.failure(status, function)
    }

    /// Memory of the card that holds a buffer and its canaries.
    pub fn placed(&self, bytes: &[u8]) -> Result<Memory<'_>, Failure> {
        let memory = self.card.api.allocate(bytes.len()).map_err(self.failed("cuMemAlloc"))?;
        self.card.api.put(&memory, bytes).map_err(self.failed("cuMemcpyHtoD"))?;
        Ok(memory)
    }

    /// Memory whose filling empties the cache.
    pub fn flusher(&self) -> Result<Memory<'_>, Failure> {
        self.card.api.allocate(self.flush).map_err(self.failed("cuMemAlloc"))
    }

    fn kernel(&self, entry: &str) -> Result<&Kernel, Failure> {
        let names = || self.kernels.iter().map(|k| k.name.as_str()).collect::<Vec<_>>().join(", ");
        match &self.kernels[..] {
            [one] if entry.is_empty() => Ok(one),
            all if entry.is_empty() => {
                let none = if all.is_empty() { "the PTX has none".into() } else { names() };
                Err(Failure::Mismatch(format!("`entry` must name one of the kernels: {none}")))
            }
            all => all
                .iter()
                .find(|kernel| kernel.name == self.ptx.entry(entry))
                .ok_or_else(|| Failure::Mismatch(format!("no kernel `{entry}` (the PTX has {})", names()))),
        }
    }

    /// All that a step is started with, where its buffers begin at these places.
    pub fn start(&self, step: &Step, places: &[Place]) -> Result<Start, Failure> {
        let kernel = self.kernel(&step.entry)?;
        let needs = self.ptx.needs.iter().find(|(own, _)| *own == step.entry);
        let own =
            needs.map(|(_, needs)| compile::launched(step, kernel.parameters.len(), *needs)).transpose()?;
        let step = own.as_ref().unwrap_or(step);
        let Some(block) = step.block else {
            return Err(Failure::Mismatch("`block` is missing: write block = [256, 1, 1]".into()));
        };
        kernels::launchable(step, kernel.takes, self.most_shared)?;
        let parameters =
            step.args.iter().map(|argument| given(argument, places)).collect::<Result<Vec<_>, _>>()?;
        kernel.fits(&step.entry, &parameters)?;
        for global in &step.globals {
            let (symbol, bytes) = self.ptx.filled(global)?;
            let name = CString::new(symbol).unwrap_or_default();
            let put = self.card.api.put_into(self.module, &name, &bytes);
            put.map_err(self.failed("cuModuleGetGlobal"))?;
        }
        let (function, grid, shared, together) = (kernel.handle, step.grid, step.shared, self.together);
        if shared > 0 {
            let set =
                self.card.api.set_function_attribute(function, of_kernel::MOST_DYNAMIC, shared.cast_signed());
            set.map_err(self.failed("cuFuncSetAttribute"))?;
        }
        Ok(Start { function, grid, block, shared, parameters, together })
    }

    /// Memory of the card for a buffer, and which of its bytes lie there: all, or under a sanitizer the body alone, so
    /// that it sees the ends, and what nobody wrote.
    fn laid(&self, copied: &Copied) -> Result<(Memory<'_>, Range<usize>), Failure> {
        if !self.sanitized {
            return Ok((self.placed(&copied.bytes)?, 0..copied.bytes.len()));
        }
        let memory = self.card.api.allocate(copied.body.len().max(1)).map_err(self.failed("cuMemAlloc"))?;
        if matches!(copied.access, Access::Read | Access::ReadWrite) {
            let put = self.card.api.put(&memory, &copied.bytes[copied.body.clone()]);
            put.map_err(self.failed("cuMemcpyHtoD"))?;
        }
        Ok((memory, copied.body.clone()))
    }

    fn on_card(&self, memory: &mut [Copied], steps: &[Step]) -> Result<Ended, Failure> {
        let api = &self.card.api;
        let placed = memory.iter().map(|copied| self.laid(copied)).collect::<Result<Vec<_>, _>>()?;
        let begins = placed
            .iter()
            .zip(&*memory)
            .map(|((on, held), of)| on.place + (of.body.start - held.start) as u64);
        let places: Vec<Place> = begins.collect();
        let starts = steps.iter().map(|step| self.start(step, &places)).collect::<Result<Vec<_>, _>>()?;
        api.fill(&self.flusher()?, 0).map_err(self.failed("cuMemsetD8"))?;
        let moment = || api.event().map_err(self.failed("cuEventCreate"));
        let (first, last) = (moment()?, moment()?);
        api.record(first).map_err(self.failed("cuEventRecord"))?;
        for start in &starts {
            api.start(start).map_err(self.failed("cuLaunchKernel"))?;
        }
        api.record(last).map_err(self.failed("cuEventRecord"))?;
        api.wait().map_err(self.failed("cuCtxSynchronize"))?;
        for ((on, held), of) in placed.iter().zip(memory) {
            api.get(on, &mut of.bytes[held.clone()]).map_err(self.failed("cuMemcpyDtoH"))?;
        }
        let nanoseconds = api.between(first, last).map_err(self.failed("cuEventElapsedTime"))?;
        Ok(Ended { nanoseconds: Some(nanoseconds as u64), ..Ended::default() })
    }
}

impl Card {
    fn kernel(&self, name: String, handle: Handle) -> Result<Kernel, Failure> {
        let api = &self.api;
        let asked = |what| {
            let said =
                api.function_attribute(handle, what).map_err(|e| api.failure(e, "cuFuncGetAttribute"))?;
            Ok::<u32, Failure>(said.cast_unsigned())
        };
        let takes =
            kernels::Takes { lanes: asked(of_kernel::MOST_LANES)?, shared: asked(of_kernel::SHARED)? };
        let parameters = api.parameters(handle).map_err(|e| api.failure(e, "cuFuncGetParamInfo"))?;
        Ok(Kernel { name, handle, parameters, takes })
    }
}

impl Kernel {
    fn fits(&self, entry: &str, given: &[Vec<u8>]) -> Result<(), Failure> {
        let name = if entry.is_empty() { compile::plain(&self.name) } else { entry.to_owned() };
        let sizes = self.parameters.iter().enumerate();
        let parameters = sizes.map(|(at, size)| (format!("parameter {}", at + 1), *size)).collect();
        let given: Vec<usize> = given.iter().map(Vec::len).collect();
        kernels::fits(&kernels::Signature { name: &name, parameters, locals: 0 }, &given)
    }
}

// A parameter's bytes.
fn given(argument: &Argument, places: &[Place]) -> Result<Vec<u8>, Failure> {
    let place = |number: usize| {
        let lost = || Failure::Mismatch(format!("there is no buffer {number}"));
        places.get(number).map(|place| place.to_le_bytes()).ok_or_else(lost)
    };
    match argument {
        Argument::Buffer(number) | Argument::Returned(number) => Ok(place(*number)?.to_vec()),
        Argument::Words(words) => {
            let mut bytes = pack(words);
            for (at, buffer) in pointers(words) {
                bytes[at..at + 8].copy_from_slice(&place(buffer)?);
            }
            Ok(bytes)
        }
    }
}

impl Runner for Built {
    fn run(&mut self, memory: &mut [Copied], steps: &[Step]) -> Result<Ended, Failure> {
        let ended = self.on_card(memory, steps);
        // what the card was stopped by is the answer to every later call
        self.over = self.card.api.wait().is_err();
        ended
    }

    fn is_over(&self) -> bool {
        self.over
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

#[cfg(test)]
mod tests {
    use super::*;
    use ktwin_check::Word;
    use ktwin_num::DType;

    #[test]
    fn structs_hold_the_places_of_buffers() {
        let word =
            |bytes: &[u8], buffer| Word { name: "w".into(), dtype: DType::I32, bytes: bytes.into(), buffer };
        let words = vec![word(&[7, 0, 0, 0], None), word(&[0; 8], Some(1))];
        let bytes = given(&Argument::Words(words), &[64, 0x1_0000_0200]).unwrap();
        assert_eq!(bytes, [7, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 1, 0, 0, 0]);
        assert!(given(&Argument::Buffer(2), &[64]).is_err());
    }
}
