//! What a device of OpenCL does at most: bytes read and copied, multiply-adds of a type.

use ktwin_check::Failure;
use ktwin_check::bench::{Factor, Roof};

use super::Work;
use super::device::Device;
use super::library::Memory;
use super::run::Built;
use super::status::Status;
use crate::child::roofs::{self, CHAINS, Kernels};

/// Work-groups for each of the device's compute units.
const GROUPS: usize = 8;
/// Bytes of a piece.
const PIECE: usize = 64;
/// Types are there only where they are asked for.
const EXTENSIONS: &str = "#ifdef cl_khr_fp64\n#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n#endif\n\
                          #ifdef cl_khr_fp16\n#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n#endif\n";

/// Measures the roof for a case of so many bytes and of what its kernel multiplies.
pub fn roof(work: &Work, bytes: usize, factor: Factor) -> Result<Roof, Failure> {
    let device = Device::open(work)?;
    let (processor, units) = (device.is_processor(), device.units());
    // one work-item of a processor does as much at once as its registers hold, one of a GPU a single number
    let lanes = if processor { 1 } else { 64 };
    let known =
        |factor| Multiply::of(factor, processor).filter(|one| one.needs.is_none_or(|e| device.has(e)));
    let multiplies: Vec<Multiply> = match factor {
        Factor::F32 => known(factor).into_iter().collect(),
        _ => [Factor::F32, factor].into_iter().filter_map(known).collect(),
    };
    drop(device);
    let options = ["-cl-kernel-arg-info".to_owned(), format!("-DLANES={lanes}")].into();
    let built = Built::of(&Work { text: text(&multiplies), options, ..work.clone() })?;
    let mut roofs = Roofs { built: &built, groups: GROUPS * units, lanes, multiplies, memory: None };
    roofs::measure(&mut roofs, bytes, factor)
}

/// How OpenCL C multiplies a type.
struct Multiply {
    factor: Factor,
    /// The extension that it needs.
    needs: Option<&'static str>,
    /// The accumulators' type, and that of their elements.
    types: (&'static str, &'static str),
    /// What an accumulator becomes, where it is called `A`.
    step: &'static str,
    /// What it is multiplied by: no compiler knows the number of turns.
    by: &'static str,
    /// Multiply-adds of a step.
    at_once: usize,
}

impl Multiply {
    fn of(factor: Factor, processor: bool) -> Option<Multiply> {
        let one = "1 - (turns & 1)";
        let of = |needs, types, at_once| {
            Some(Multiply { factor, needs, types, step: "mad(A, b, (T)1e-7f)", by: one, at_once })
        };
        match (factor, processor) {
            (Factor::F64, true) => of(Some("cl_khr_fp64"), ("double8", "double"), 8),
            (Factor::F64, false) => of(Some("cl_khr_fp64"), ("double", "double"), 1),
            (Factor::F32, true) => of(None, ("float16", "float"), 16),
            (Factor::F32, false) => of(None, ("float", "float"), 1),
            (Factor::F16, true) => of(Some("cl_khr_fp16"), ("half16", "half"), 16),
            (Factor::F16, false) => of(Some("cl_khr_fp16"), ("half2", "half"), 2),
            (Factor::BF16, _) => None,
            (Factor::I8, _) => Some(Multiply {
                step: "dot_4x8packed_ss_int(as_uint(A), as_uint(b)) + 1",
                by: "0x01020304 + (int)turns",
                ..of(Some("cl_khr_integer_dot_product"), ("int", "int"), 4)?
            }),
        }
    }

    fn kernel(&self) -> (&'static str, String) {
        let ((all, one), Multiply { step, by, .. }) = (self.types, self);
        let each = |of: &dyn Fn(usize) -> String| (0..CHAINS).map(of).collect::<String>();
        let start = each(&|i| format!("  {all} a{i} = ({all})({one})(get_local_id(0) + {i});\n"));
        let step = step.replace("(T)", &format!("({all})"));
        let turn = each(&|i| format!("    a{i} = {};\n", step.replace('A', &format!("a{i}"))));
        let sum = (1..CHAINS).fold("a0".to_owned(), |sum, i| format!("{sum} + a{i}"));
        let body = format!(
            "  {all} b = ({all})({one})({by});\n{start}  for (uint t = 0; t < turns; t++) {{\n{turn}  }}\n  \
             {all} all = {sum};\n  if ((({one} *)&all)[0] == ({one})-1) ((__global float *)to)[0] = 1.0f;\n"
        );
        (roofs::Work::Multiply(self.factor).name(), body)
    }
}

struct Roofs<'a> {
    built: &'a Built,
    groups: usize,
    lanes: usize,
    multiplies: Vec<Multiply>,
    /// So many bytes, twice.
    memory: Option<[Memory<'a>; 2]>,
}

fn done<T>(answer: Result<T, Status>) -> Result<T, Failure> {
    answer.map_err(|status| status.of("measuring the roof"))
}

impl<'a> Roofs<'a> {
    fn memory(&mut self, bytes: usize) -> Result<&[Memory<'a>; 2], Failure> {
        if self.memory.as_ref().is_none_or(|[from, _]| from.len != bytes) {
            self.memory = None;
            let api = &self.built.device.api;
            let both = [(); 2].map(|()| done(api.room(self.built.context, bytes)));
            let [from, to] = both;
            let both = [from?, to?];
            for memory in &both {
                done(api.clear(self.built.queue, memory))?;
            }
            self.memory = Some(both);
        }
        self.memory.as_ref().ok_or_else(|| Failure::Crash("no memory".into()))
    }
}

impl Kernels for Roofs<'_> {
    const LARGE: usize = 256 << 20;

    fn time(&mut self, work: roofs::Work, bytes: usize, turns: u32) -> Result<f64, Failure> {
        let (api, queue, lanes) = (&self.built.device.api, self.built.queue, self.lanes);
        let kernel = self.built.handle(work.name())?;
        let read = if work == roofs::Work::Copy { bytes / 2 } else { bytes };
        let groups = roofs::groups(work, read / PIECE, lanes, self.groups);
        let [from, to] = self.memory(bytes)?;
        done(api.give_memory(kernel, 0, to))?;
        done(api.give_memory(kernel, 1, from))?;
        done(api.give_value(kernel, 2, &((read / PIECE) as u32).to_le_bytes()))?;
        done(api.give_value(kernel, 3, &turns.to_le_bytes()))?;
        let event = done(api.start(queue, kernel, [groups * lanes, 1, 1], [lanes, 1, 1]))?;
        done(api.finish(queue))?;
        Ok(done(event.ended())?.saturating_sub(done(event.began())?) as f64)
    }

    fn operations(&self, factor: Factor) -> Option<f64> {
        let multiply = self.multiplies.iter().find(|one| one.factor == factor)?;
        Some(2.0 * (self.groups * self.lanes * multiply.at_once * CHAINS) as f64)
    }
}

// In each turn a work-group has a part of the pieces for itself, whose lanes take them in turn: a processor finds them
// side by side, and no core keeps its part from the turn before.
fn text(multiplies: &[Multiply]) -> String {
    let part = "  uint groups = get_num_groups(0), part = (pieces + groups - 1) / groups;\n";
    let walk = |work: &str| {
        format!(
            "  for (uint t = 0; t < turns; t++) {{\n    uint first = (get_group_id(0) + t) % groups * part;\n    \
             uint end = min(first + part, pieces);\n    \
             for (uint i = first + get_local_id(0); i < end; i += LANES) {work}\n  }}\n"
        )
    };
    let (copy, gather) = (walk("to[i] = from[i];"), walk("all ^= from[i] + t;"));
    let bodies = [
        ("copy", format!("{part}{copy}")),
        (
            "gather",
            format!(
                "{part}  uint16 all = 0;\n{gather}  uint8 half8 = all.lo ^ all.hi;\n  \
                 uint4 some = half8.lo ^ half8.hi;\n  \
                 if ((some.x ^ some.y ^ some.z ^ some.w) == 0xdeadbeef) to[0] = all;\n"
            ),
        ),
    ];
    let kernel = |(name, body): &(&str, String)| {
        format!(
            "__kernel void {name}(__global uint16 *to, __global const uint16 *from, uint pieces, uint turns) \
             {{\n{body}}}\n"
        )
    };
    let multiplies: Vec<_> = multiplies.iter().map(Multiply::kernel).collect();
    EXTENSIONS.to_owned() + &bodies.iter().chain(&multiplies).map(kernel).collect::<String>()
}
