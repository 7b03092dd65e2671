//! What a card does at most: bytes read and copied, multiply-adds of a type.

use std::ffi::CString;

use ktwin_check::Failure;
use ktwin_check::bench::{Factor, Roof};

use super::Work;
use super::library::{Handle, Start, Status};
use super::run::Card;
use crate::child::roofs::{self, CHAINS, Kernels};

/// Lanes of a block, and blocks of a multiprocessor.
const LANES: u32 = 256;
const BLOCKS: u32 = 8;
/// Multiply-adds of a chain in one turn, beside which counting turns does not show.
const REPEATS: usize = 4;

/// Measures the roof for a case of so many bytes and of what its kernel multiplies.
pub fn roof(work: &Work, bytes: usize, factor: Factor) -> Result<Roof, Failure> {
    roofs::measure(&mut Roofs::of(&Card::open(work.number)?, factor)?, bytes, factor)
}

struct Roofs<'a> {
    card: &'a Card,
    kernels: Vec<(String, Handle)>,
    blocks: u32,
    moments: (Handle, Handle),
}

impl<'a> Roofs<'a> {
    fn of(card: &'a Card, factor: Factor) -> Result<Roofs<'a>, Failure> {
        let load = |factor| -> Result<Vec<(String, Handle)>, Status> {
            let text = CString::new(text(factor)).unwrap_or_default();
            card.api.functions(card.api.module(&text).map_err(|(status, _)| status)?)
        };
        let mut kernels = load(Factor::F32).map_err(of(card))?;
        if factor != Factor::F32 {
            // an older card refuses the module
            kernels.extend(load(factor).unwrap_or_default());
        }
        let blocks = BLOCKS * card.multiprocessors()?;
        let moment = || card.api.event().map_err(of(card));
        Ok(Roofs { card, kernels, blocks, moments: (moment()?, moment()?) })
    }

    fn timed(&self, start: &Start) -> Result<f64, Status> {
        let (api, (first, last)) = (&self.card.api, self.moments);
        api.record(first)?;
        api.start(start)?;
        api.record(last)?;
        api.wait()?;
        api.between(first, last)
    }
}

impl Kernels for Roofs<'_> {
    const LARGE: usize = 1 << 30;

    fn time(&mut self, work: roofs::Work, bytes: usize, turns: u32) -> Result<f64, Failure> {
        let found = self.kernels.iter().find(|(name, _)| name == work.name());
        let function = found.map(|(_, handle)| *handle).ok_or_else(|| Failure::Crash("no kernel".into()))?;
        let memory = |len| self.card.api.allocate(len).map_err(of(self.card));
        let (to, from) = (memory(bytes)?, memory(bytes)?);
        let mut parameters: Vec<Vec<u8>> = [&to, &from].map(|m| m.place.to_le_bytes().to_vec()).into();
        let read = if work == roofs::Work::Copy { bytes / 2 } else { bytes };
        parameters.extend([(read / 16) as u32, turns].map(|n| n.to_le_bytes().to_vec()));
        let blocks = roofs::groups(work, read / 16, LANES as usize, self.blocks as usize) as u32;
        let (grid, block, shared) = ([blocks, 1, 1], [LANES, 1, 1], 0);
        self.timed(&Start { function, grid, block, shared, parameters, together: false })
            .map_err(of(self.card))
    }

    fn operations(&self, factor: Factor) -> Option<f64> {
        let name = roofs::Work::Multiply(factor).name();
        let each = 2.0 * f64::from(self.blocks) * f64::from(LANES) * (REPEATS * CHAINS) as f64;
        let known = self.kernels.iter().any(|(own, _)| own == name);
        known.then(|| each * f64::from(Multiply::of(factor).at_once))
    }
}

fn of(card: &Card) -> impl Fn(Status) -> Failure {
    |status| card.api.failure(status, "measuring the roof")
}

/// How a type is multiplied: an instruction whose first operand is an accumulator, multiplied by one register and added
/// to another.
struct Multiply {
    /// The PTX and the card that know it.
    needs: &'static str,
    instruction: &'static str,
    /// Multiply-adds of one.
    at_once: u8,
    /// The accumulators' registers, and their type.
    register: (&'static str, &'static str),
    /// What the numbers 30 and 31 of these hold.
    beside: [&'static str; 2],
}

impl Multiply {
    fn of(factor: Factor) -> Multiply {
        const OLD: &str = ".version 6.0\n.target sm_50\n";
        let of = |needs, instruction, at_once, register, beside| Multiply {
            needs,
            instruction,
            at_once,
            register,
            beside,
        };
        match factor {
            Factor::F64 => {
                of(OLD, "fma.rn.f64", 1, ("%d", "f64"), ["0d3FEFFFFFFFFFFFFF", "0d3E80000000000000"])
            }
            Factor::F32 => of(OLD, "fma.rn.f32", 1, ("%f", "f32"), ["0f3F7FFFFF", "0f33800000"]),
            Factor::F16 => {
                let needs = ".version 6.0\n.target sm_53\n";
                of(needs, "fma.rn.f16x2", 2, ("%x", "b32"), ["0x3BFF3BFF", "0x10001000"])
            }
            Factor::BF16 => {
                let needs = ".version 7.0\n.target sm_80\n";
                of(needs, "fma.rn.bf16x2", 2, ("%x", "b32"), ["0x3F7F3F7F", "0x33803380"])
            }
            Factor::I8 => {
                let needs = ".version 6.0\n.target sm_61\n";
                of(needs, "dp4a.s32.s32", 4, ("%x", "b32"), ["0x01020304", "0x00000001"])
            }
        }
    }

    /// The kernel's body: chains that begin otherwise in each lane, so that nothing of it is known beforehand.
    fn body(&self, never: &str) -> String {
        let (register, kind) = self.register;
        let each = |from: usize, line: &dyn Fn(usize) -> String| (from..CHAINS).map(line).collect::<String>();
        let [b, c] = self.beside;
        let begin = match kind {
            "b32" => " and.b32 %x29, %r3, 0x000F000F;\n".to_owned(),
            _ => format!(" cvt.rn.{kind}.u32 {register}29, %r3;\n"),
        };
        let start = each(0, &|i| match kind {
            "b32" => format!(" add.u32 %x{i}, %x29, 0x{:08X};\n", 0x3C00_3C00 + i),
            "f64" => format!(" add.f64 %d{i}, %d29, 0d3FF000000000000{:X};\n", i % 16),
            _ => format!(" add.f32 %f{i}, %f29, 0f3F80000{:X};\n", i % 16),
        });
        let instruction = self.instruction;
        let all = each(0, &|i| {
            format!(" {instruction} {register}{i}, {register}{i}, {register}30, {register}31;\n")
        });
        let all = all.repeat(REPEATS);
        let add = if kind == "b32" { "xor.b32".to_owned() } else { format!("add.{kind}") };
        let sum = each(1, &|i| format!(" {add} {register}0, {register}0, {register}{i};\n"));
        let end = if kind == "f64" { " cvt.rn.f32.f64 %f0, %d0;\n" } else { "" };
        let last = if kind == "b32" { "%x0" } else { "%f0" };
        format!(
            "{begin} mov.{kind} {register}30, {b};\n mov.{kind} {register}31, {c};\n{start}TURN:\n{all} \
             sub.u32 %r2, %r2, 1;\n setp.ne.u32 %p2, %r2, 0;\n @%p2 bra TURN;\n{sum}{end} \
             mov.b32 %r12, {last};\n{never}"
        )
    }
}

// Three kernels of the same parameters: where to, where from, pieces of 16 bytes, turns.
fn text(factor: Factor) -> String {
    let walk = |work: &str| {
        format!(
            "TURN:\n mov.u32 %r7, %r3;\nNEXT:\n setp.ge.u32 %p1, %r7, %r1;\n @%p1 bra DONE;\n \
             mul.wide.u32 %rd3, %r7, 16;\n add.u64 %rd4, %rd2, %rd3;\n add.u64 %rd5, %rd1, %rd3;\n \
             ld.global.cg.v4.u32 {{%r8, %r9, %r10, %r11}}, [%rd4];\n{work} add.u32 %r7, %r7, %r6;\n \
             bra NEXT;\nDONE:\n sub.u32 %r2, %r2, 1;\n setp.ne.u32 %p2, %r2, 0;\n @%p2 bra TURN;\n"
        )
    };
    // what no data is: so the loads are needed, and nothing is written
    let never = " setp.ne.u32 %p3, %r12, 0xDEADBEEF;\n @%p3 bra END;\n st.global.u32 [%rd1], %r12;\nEND:\n";
    let gather = " xor.b32 %r12, %r12, %r8;\n xor.b32 %r12, %r12, %r9;\n xor.b32 %r12, %r12, %r10;\n \
                  xor.b32 %r12, %r12, %r11;\n";
    let multiply = Multiply::of(factor);
    let bodies = [
        ("copy", walk(" st.global.v4.u32 [%rd5], {%r8, %r9, %r10, %r11};\n")),
        ("gather", walk(gather) + never),
        (roofs::Work::Multiply(factor).name(), multiply.body(never)),
    ];
    let entry = |(name, body): (&str, String)| {
        format!(
            ".visible .entry {name}(.param .u64 to, .param .u64 from, .param .u32 pieces, .param .u32 turns)\n{{\n \
             .reg .pred %p<4>;\n .reg .b32 %r<13>;\n .reg .b64 %rd<6>;\n .reg .f32 %f<32>;\n \
             .reg .f64 %d<32>;\n .reg .b32 %x<32>;\n \
             ld.param.u64 %rd1, [to];\n ld.param.u64 %rd2, [from];\n ld.param.u32 %r1, [pieces];\n \
             ld.param.u32 %r2, [turns];\n cvta.to.global.u64 %rd1, %rd1;\n cvta.to.global.u64 %rd2, %rd2;\n \
             mov.u32 %r3, %ctaid.x;\n mov.u32 %r4, %ntid.x;\n mov.u32 %r5, %tid.x;\n \
             mad.lo.u32 %r3, %r3, %r4, %r5;\n mov.u32 %r6, %nctaid.x;\n mul.lo.u32 %r6, %r6, %r4;\n \
             mov.u32 %r12, 0;\n{body} ret;\n}}\n"
        )
    };
    let entries: String = bodies.into_iter().map(entry).collect();
    format!("{}.address_size 64\n{entries}", multiply.needs)
}

#[cfg(all(test, feature = "sim"))]
mod tests {
    use super::*;
    use ktwin_sim::{Buffer, Launch, Module, Options, Param};

    #[test]
    fn the_kernels_copy_read_and_multiply() {
        for factor in Factor::ALL {
            let module = Module::from_ptx(&text(factor)).unwrap_or_else(|e| panic!("{}", e.rendered));
            let from: Vec<u8> = (0..512u32).map(|i| (i % 251) as u8).collect();
            for work in [roofs::Work::Copy, roofs::Work::Read, roofs::Work::Multiply(factor)] {
                let mut launch = Launch::new([2, 1, 1]).entry(work.name()).block([8, 1, 1]);
                launch = launch.buffer(Buffer::input(0, 0, vec![0; 512])).buffer(Buffer::input(
                    0,
                    1,
                    from.clone(),
                ));
                launch = launch.param(Param::pointer(0)).param(Param::pointer(1));
                launch = launch.param(Param::bytes(32u32.to_le_bytes().to_vec()));
                launch = launch.param(Param::bytes(3u32.to_le_bytes().to_vec()));
                let run = module.run(&mut launch, &Options::default()).unwrap();
                assert!(run.findings.is_empty(), "{work:?}: {:?}", run.findings);
                assert_eq!(launch.buffers[0].bytes == from, work == roofs::Work::Copy, "{work:?}");
            }
        }
    }
}
