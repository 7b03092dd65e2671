//! What a device of OpenCL does at most: bytes read and copied, multiply-adds in f32.

use ktwin_check::Failure;
use ktwin_check::bench::Roof;

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

/// Measures the roof for a case of so many bytes.
pub fn roof(work: &Work, bytes: usize) -> Result<Roof, Failure> {
    let (processor, units) = Device::open(work).map(|device| (device.is_processor(), device.units()))?;
    // one work-item of a processor does as much at once as its registers hold, one of a GPU a single number
    let (lanes, wide) = if processor { (1, 16) } else { (64, 1) };
    let kernels =
        format!("-cl-kernel-arg-info -DLANES={lanes} -DT={}", if wide == 16 { "float16" } else { "float" });
    let options = kernels.split(' ').map(str::to_owned).collect();
    let built = Built::of(&Work { text: text(), options, ..work.clone() })?;
    let mut roofs = Roofs { built: &built, groups: GROUPS * units, lanes, wide, memory: None };
    roofs::measure(&mut roofs, bytes)
}

struct Roofs<'a> {
    built: &'a Built,
    groups: usize,
    lanes: usize,
    /// Numbers that a work-item has in each chain.
    wide: usize,
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

    fn operations(&self) -> f64 {
        2.0 * (self.groups * self.lanes * self.wide * CHAINS) as f64
    }
}

// In each turn a work-group has a part of the pieces for itself, whose lanes take them in turn: a processor finds them
// side by side, and no core keeps its part from the turn before.
fn text() -> String {
    let each = |of: &dyn Fn(usize) -> String| (0..CHAINS).map(of).collect::<String>();
    let start = each(&|i| format!("  T a{i} = (T)(float)(get_local_id(0) + {i});\n"));
    let turn = each(&|i| format!("    a{i} = mad(a{i}, b, c);\n"));
    let sum = each(&|i| format!(" + a{i}"));
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
        (
            "multiply",
            format!(
                "  T b = (T)(as_float(0x3f7fffff - (turns & 1))), c = (T)(1e-7f);\n{start}  \
                 for (uint t = 0; t < turns; t++) {{\n{turn}  }}\n  T all = (T)(0.0f){sum};\n  \
                 if (((float *)&all)[0] == -1.0f) ((__global float *)to)[0] = 1.0f;\n"
            ),
        ),
    ];
    let kernel = |(name, body): &(&str, String)| {
        format!(
            "__kernel void {name}(__global uint16 *to, __global const uint16 *from, uint pieces, uint turns) \
             {{\n{body}}}\n"
        )
    };
    bodies.iter().map(kernel).collect()
}
