//! What a card does at most: bytes read and copied, multiply-adds in f32.

use std::ffi::CString;

use ktwin_check::Failure;
use ktwin_check::bench::Roof;

use super::Work;
use super::library::{Handle, Start, Status};
use super::run::Card;
use crate::child::roofs::{self, CHAINS, Kernels};

/// Lanes of a block, and blocks of a multiprocessor.
const LANES: u32 = 256;
const BLOCKS: u32 = 8;

/// Measures the roof for a case of so many bytes.
pub fn roof(work: &Work, bytes: usize) -> Result<Roof, Failure> {
    roofs::measure(&mut Roofs::of(&Card::open(work.number)?)?, bytes)
}

struct Roofs<'a> {
    card: &'a Card,
    kernels: Vec<(String, Handle)>,
    blocks: u32,
    moments: (Handle, Handle),
}

impl<'a> Roofs<'a> {
    fn of(card: &'a Card) -> Result<Roofs<'a>, Failure> {
        let text = CString::new(text()).unwrap_or_default();
        let module = card.api.module(&text).map_err(|(status, _)| of(card)(status))?;
        let kernels = card.api.functions(module).map_err(of(card))?;
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

    fn operations(&self) -> f64 {
        2.0 * f64::from(self.blocks) * f64::from(LANES) * CHAINS as f64
    }
}

fn of(card: &Card) -> impl Fn(Status) -> Failure {
    |status| card.api.failure(status, "measuring the roof")
}

// Three kernels of the same parameters: where to, where from, pieces of 16 bytes, turns.
fn text() -> String {
    let all: String = (0..CHAINS).map(|i| format!(" fma.rn.f32 %f{i}, %f{i}, %f30, %f31;\n")).collect();
    let start: String =
        (0..CHAINS).map(|i| format!(" add.f32 %f{i}, %f29, 0f3F80000{:X};\n", i % 16)).collect();
    let sum: String = (1..CHAINS).map(|i| format!(" add.f32 %f0, %f0, %f{i};\n")).collect();
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
    let bodies = [
        ("copy", walk(" st.global.v4.u32 [%rd5], {%r8, %r9, %r10, %r11};\n")),
        ("gather", walk(gather) + never),
        (
            "multiply",
            format!(
                " cvt.rn.f32.u32 %f29, %r3;\n mov.f32 %f30, 0f3F7FFFFF;\n mov.f32 %f31, 0f33800000;\n{start}TURN:\n\
                 {all} sub.u32 %r2, %r2, 1;\n setp.ne.u32 %p2, %r2, 0;\n @%p2 bra TURN;\n{sum} \
                 mov.b32 %r12, %f0;\n{never}"
            ),
        ),
    ];
    let entry = |(name, body): (&str, String)| {
        format!(
            ".visible .entry {name}(.param .u64 to, .param .u64 from, .param .u32 pieces, .param .u32 turns)\n{{\n \
             .reg .pred %p<4>;\n .reg .b32 %r<13>;\n .reg .b64 %rd<6>;\n .reg .f32 %f<32>;\n \
             ld.param.u64 %rd1, [to];\n ld.param.u64 %rd2, [from];\n ld.param.u32 %r1, [pieces];\n \
             ld.param.u32 %r2, [turns];\n cvta.to.global.u64 %rd1, %rd1;\n cvta.to.global.u64 %rd2, %rd2;\n \
             mov.u32 %r3, %ctaid.x;\n mov.u32 %r4, %ntid.x;\n mov.u32 %r5, %tid.x;\n \
             mad.lo.u32 %r3, %r3, %r4, %r5;\n mov.u32 %r6, %nctaid.x;\n mul.lo.u32 %r6, %r6, %r4;\n \
             mov.u32 %r12, 0;\n{body} ret;\n}}\n"
        )
    };
    let entries: String = bodies.into_iter().map(entry).collect();
    format!(".version 6.0\n.target sm_50\n.address_size 64\n{entries}")
}

#[cfg(all(test, feature = "sim"))]
mod tests {
    use super::*;
    use ktwin_sim::{Buffer, Launch, Module, Options, Param};

    #[test]
    fn the_kernels_copy_read_and_multiply() {
        let module = Module::from_ptx(&text()).unwrap_or_else(|e| panic!("{}", e.rendered));
        let from: Vec<u8> = (0..512u32).map(|i| (i % 251) as u8).collect();
        for (kernel, written) in [("copy", true), ("gather", false), ("multiply", false)] {
            let mut launch = Launch::new([2, 1, 1]).entry(kernel).block([8, 1, 1]);
            launch =
                launch.buffer(Buffer::input(0, 0, vec![0; 512])).buffer(Buffer::input(0, 1, from.clone()));
            launch = launch.param(Param::pointer(0)).param(Param::pointer(1));
            launch = launch.param(Param::bytes(32u32.to_le_bytes().to_vec()));
            launch = launch.param(Param::bytes(3u32.to_le_bytes().to_vec()));
            let run = module.run(&mut launch, &Options::default()).unwrap();
            assert!(run.findings.is_empty(), "{kernel}: {:?}", run.findings);
            assert_eq!(launch.buffers[0].bytes == from, written, "{kernel}");
        }
    }
}
