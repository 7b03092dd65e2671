//! `mbarrier`: barriers in shared memory, as atomics on a word of 64 bits. Bit 63 is the phase; the
//! lowest 20 bits count the arrivals that the phase still wants, the next 20 those that every phase wants.

use super::build::Lower;
use super::memory::U64;
use crate::ir::{AtomicFun, Bin, Ins, Op, Reg, Ty};
use crate::ptx::ast::{Arg, Instr, Space};
use crate::ptx::parse::Res;

/// Where the count of every phase begins.
const EVERY: u64 = 20;
const PHASE: u64 = 63;

const KNOWN: &[&str] = &[
    "init",
    "inval",
    "arrive",
    "test_wait",
    "try_wait",
    "parity",
    "shared",
    "shared::cta",
    "release",
    "acquire",
    "relaxed",
    "cta",
];

impl Lower {
    pub fn mbarrier(&mut self, ins: &Instr) -> Res<()> {
        self.allow(ins, KNOWN)?;
        let one = Arg::Int(1);
        match (ins.op.get(1).map_or("", |m| m), &ins.args[..]) {
            ("init", [address, count]) => {
                let count = self.src(count, U64)?;
                let every = self.wide(Bin::ShlFixed, count, EVERY);
                let word = self.emit(Op::Bin(Bin::Or, Ty::U64), Ty::U64, &[count, every]);
                self.word(ins, address, AtomicFun::Store, Some(word))?;
                Ok(())
            }
            ("inval", [_]) => Ok(()),
            ("arrive", [state, address]) => self.arrive(ins, state, address, &one),
            ("arrive", [state, address, count]) => self.arrive(ins, state, address, count),
            ("test_wait" | "try_wait", [done, address, phase] | [done, address, phase, _]) => {
                let now = self.word(ins, address, AtomicFun::Load, None)?;
                let now = self.wide(Bin::ShrFixed, now, PHASE);
                let before = if ins.has("parity") {
                    self.src(phase, U64)?
                } else {
                    let state = self.src(phase, U64)?;
                    self.wide(Bin::ShrFixed, state, PHASE)
                };
                let over = self.emit(Op::Bin(Bin::Ne, Ty::U64), Ty::Bool, &[now, before]);
                self.set(done, over)
            }
            _ => self.unsupported(format!("`{}` with these operands is not supported", ins.op.join("."))),
        }
    }

    /// One arrival whose state nobody asks for.
    pub fn arrive_once(&mut self, ins: &Instr, address: &Arg) -> Res<()> {
        let one = self.src(&Arg::Int(1), U64)?;
        self.word(ins, address, AtomicFun::Arrive, Some(one)).map(drop)
    }

    fn arrive(&mut self, ins: &Instr, state: &Arg, address: &Arg, count: &Arg) -> Res<()> {
        let count = self.src(count, U64)?;
        let before = self.word(ins, address, AtomicFun::Arrive, Some(count))?;
        self.set(state, before)
    }

    /// An operation of 64 bits with a number.
    fn wide(&mut self, bin: Bin, a: Reg, by: u64) -> Reg {
        let by = self.constant(Ty::U32, by); // shifts take their amount from 32 bits
        self.emit(Op::Bin(bin, Ty::U64), Ty::U64, &[a, by])
    }

    /// An atomic on the word of a barrier.
    fn word(&mut self, ins: &Instr, address: &Arg, fun: AtomicFun, value: Option<Reg>) -> Res<Reg> {
        let out = self.prog.reg(Ty::U64, false);
        let space = match self.space(ins) {
            Space::Generic => Space::Generic,
            _ => Space::Shared,
        };
        self.access(address, space, &mut |s, object, at, imm| {
            if object.space != Space::Shared {
                return s.fail("an mbarrier must lie in shared memory");
            }
            let src: Vec<Reg> = [at].into_iter().chain(value).collect();
            let mut atomic = Ins::new(Op::Atomic(fun, Ty::U64), &[out], &src, s.at);
            (atomic.imm, atomic.mem) = (imm, object.mem);
            s.push(atomic);
            Ok(())
        })?;
        Ok(out)
    }
}
