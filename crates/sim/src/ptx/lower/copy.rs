//! `cp.async`: the copy is made at once, and what it wrote counts as unwritten until its group is waited for.

use super::build::Lower;
use super::memory::U32;
use crate::ir::{Bin, Fmt, Ins, Op, Reg, Term, Ty, Warp};
use crate::ptx::ast::{Arg, Instr, Space};
use crate::ptx::parse::Res;

/// Set in `imm2` of a store that a group must be waited for.
pub const IN_FLIGHT: u32 = 1 << 31;
/// Set in `imm2` of a load through the cache of what the kernel does not write.
pub const READ_ONLY: u32 = 1 << 30;
/// Set in `imm2` of an atomic operation that is one for the lanes of its block alone, and in `imm` of such a fence.
pub const NEAR: u32 = 1 << 29;

/// The parts of a vector, from this bit of `imm2` on, that nobody reads.
const IDLE: u32 = 24;
const PARTS: u32 = 0xf << IDLE;

/// The mark in `imm2` of a load for a part of a vector that nobody reads.
pub fn idle(part: usize) -> u32 {
    1 << IDLE << part & PARTS
}

/// The size in `imm2` of an access: that of a vector, or 0.
pub fn vector_size(imm2: u32) -> u32 {
    imm2 & !(IN_FLIGHT | READ_ONLY | PARTS)
}

impl Lower {
    pub fn copy(&mut self, ins: &Instr) -> Res<()> {
        let refused = |s: &Lower, hint: &str| {
            s.unsupported(format!("`{}` is not supported ({hint})", ins.op.join(".")))
        };
        if ins.has("bulk") || ins.has("reduce") {
            return refused(self, "bulk and tensor copies, TMA, are not simulated");
        }
        if !ins.has("async") {
            return refused(self, "only `cp.async` is simulated");
        }
        if ins.has("mbarrier") {
            return self.arrive_after_copies(ins);
        }
        if ins.has("commit_group") {
            self.push(Ins::new(Op::Warp(Warp::Commit), &[], &[], self.at));
            return Ok(());
        }
        if ins.has("wait_group") || ins.has("wait_all") {
            let kept = match ins.args.first() {
                Some(Arg::Int(n)) => *n as u32,
                _ => u32::MAX,
            };
            self.wait_for_copies(kept);
            return Ok(());
        }
        self.allow(
            ins,
            &["async", "ca", "cg", "shared", "shared::cta", "global", "L2::64B", "L2::128B", "L2::256B"],
        )?;
        let (to, from, size, given) = match &ins.args[..] {
            [to, from, Arg::Int(size)] => (to, from, *size as u32, None),
            [to, from, Arg::Int(size), given] => (to, from, *size as u32, Some(given)),
            _ => return refused(self, "with these operands"),
        };
        if ![4, 8, 16].contains(&size) {
            return self.fail("`cp.async` copies 4, 8 or 16 bytes");
        }
        let count = size / 4;
        let words: Vec<Reg> = (0..count).map(|_| self.prog.reg(Ty::U32, false)).collect();
        match given {
            None => self.fetch(from, &words)?,
            Some(given) => self.fetch_some(from, &words, given)?,
        }
        self.access(to, Space::Shared, &mut |s, object, at, imm| {
            s.store(Fmt::Word, &words, (object, at, imm), false)?;
            let block = &mut s.prog.blocks[s.current as usize];
            if let Some(store) = block.ins.last_mut() {
                store.imm2 = size | IN_FLIGHT;
            }
            Ok(())
        })
    }

    /// Waits until all groups have come but so many; for all copies, where the number is the largest.
    fn wait_for_copies(&mut self, kept: u32) {
        let mut wait = Ins::new(Op::Warp(Warp::Wait), &[], &[], self.at);
        wait.imm = kept;
        self.push(wait);
    }

    /// `cp.async.mbarrier.arrive`: an arrival once all copies of this lane have come, which is at once here. Without
    /// `noinc` the phase wants one more for it, so that nothing is left of either.
    fn arrive_after_copies(&mut self, ins: &Instr) -> Res<()> {
        self.allow(ins, &["async", "mbarrier", "arrive", "noinc", "shared", "shared::cta", "b64"])?;
        let [address] = self.args(ins)?;
        self.wait_for_copies(u32::MAX);
        if ins.has("noinc") { self.arrive_once(ins, address) } else { Ok(()) }
    }

    fn fetch(&mut self, from: &Arg, words: &[Reg]) -> Res<()> {
        self.access(from, Space::Global, &mut |s, object, at, imm| {
            let values = s.load(Fmt::Word, U32, words.len(), (object, at, imm), false)?;
            for (&to, value) in words.iter().zip(values) {
                s.push(Ins::new(Op::Move(false), &[to], &[value], s.at));
            }
            Ok(())
        })
    }

    /// Only so many bytes are read; the others are zero.
    fn fetch_some(&mut self, from: &Arg, words: &[Reg], given: &Arg) -> Res<()> {
        let given = self.src(given, U32)?;
        let zero = self.u32(0);
        for &to in words {
            self.push(Ins::new(Op::Move(false), &[to], &[zero], self.at));
        }
        let full = self.u32(4 * words.len() as u32);
        let all = self.emit(Op::Bin(Bin::Ge, Ty::U32), Ty::Bool, &[given, full]);
        let (some, after) = (self.block(), self.block());
        self.cut(|next| Term::Branch(all, next, some))?;
        self.fetch(from, words)?;
        self.end(Term::Jump(after));
        self.open(some);
        let Arg::Addr(base, offset) = from else { return self.fail("expected an address in brackets") };
        for (i, &to) in words.iter().enumerate() {
            for byte in 0..4u32 {
                let at = 4 * i as u32 + byte;
                let limit = self.u32(at);
                let has = self.emit(Op::Bin(Bin::Gt, Ty::U32), Ty::Bool, &[given, limit]);
                let skip = self.block();
                self.cut(|next| Term::Branch(has, next, skip))?;
                let place = Arg::Addr(base.clone(), offset.wrapping_add(i64::from(at)));
                self.access(&place, Space::Global, &mut |s, object, at, imm| {
                    let value = s.load(Fmt::Byte, U32, 1, (object, at, imm), false)?[0];
                    let by = s.u32(8 * byte);
                    let value = s.emit(Op::Bin(Bin::ShlFixed, Ty::U32), Ty::U32, &[value, by]);
                    let value = s.emit(Op::Bin(Bin::Or, Ty::U32), Ty::U32, &[to, value]);
                    s.push(Ins::new(Op::Move(false), &[to], &[value], s.at));
                    Ok(())
                })?;
                self.end(Term::Jump(skip));
                self.open(skip);
            }
        }
        self.end(Term::Jump(after));
        self.open(after);
        Ok(())
    }
}
