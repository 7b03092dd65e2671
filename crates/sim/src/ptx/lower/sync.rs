//! Barriers, fences, and what the lanes of a warp do together.

use super::build::Lower;
use super::memory::U32;
use crate::ir::{AtomicFun, Bin, Gather, Ins, NONE, Op, Reg, Term, Ty, Warp};
use crate::ptx::ast::{Arg, Base, Instr, Type};
use crate::ptx::parse::Res;

/// The name of the memory in which `barrier.red` counts.
pub const VOTES: &str = "%votes";

/// How many barriers a block has.
const BARRIERS: u32 = 16;

const PRED: Type = Type::new(Base::Pred, 1);

impl Lower {
    pub fn sync(&mut self, ins: &Instr) -> Res<()> {
        match ins.name() {
            "bar" | "barrier" => self.barrier(ins),
            "membar" | "fence" => {
                if ins.has("proxy") || ins.op.iter().any(|m| m.starts_with("proxy") || m.contains("mbarrier"))
                {
                    return self.unsupported(format!(
                        "`{}` is not supported (asynchronous copies by TMA are not simulated)",
                        ins.op.join(".")
                    ));
                }
                self.fence();
                Ok(())
            }
            "shfl" => self.shfl(ins),
            "vote" => self.vote(ins),
            "match" => self.matches(ins),
            "redux" => self.redux(ins),
            "activemask" => {
                let [dst] = self.args(ins)?;
                let value = self.emit(Op::Warp(Warp::Active), Ty::U32, &[]);
                self.set(dst, value)
            }
            _ => {
                let [dst, mask] = self.args(ins)?;
                let mask = self.src(mask, U32)?;
                let (lane, is) = (self.prog.reg(Ty::U32, false), self.prog.reg(Ty::Bool, false));
                self.push(Ins::new(Op::Warp(Warp::Elect), &[lane, is], &[mask], self.at));
                self.pair(dst, lane, is)
            }
        }
    }

    /// Results that go to `a|p`.
    fn pair(&mut self, dst: &Arg, value: Reg, truth: Reg) -> Res<()> {
        match dst {
            Arg::Pair(a, p) => {
                self.set(a, value)?;
                self.set(p, truth)
            }
            _ => self.set(dst, value),
        }
    }

    fn barrier(&mut self, ins: &Instr) -> Res<()> {
        self.allow(ins, &["sync", "warp", "cta", "aligned", "arrive", "red", "popc", "and", "or"])?;
        if ins.has("warp") {
            let [mask] = self.args(ins)?;
            let mask = self.src(mask, U32)?;
            self.push(Ins::new(Op::Warp(Warp::Sync), &[], &[mask], self.at));
            return Ok(());
        }
        if ins.has("red") {
            return self.vote_of_all(ins);
        }
        let (id, count) = match &ins.args[..] {
            [id] => (id, 0),
            [id, count] => (id, self.number(count)?),
            _ => return self.fail("wrong number of operands"),
        };
        let arrives = ins.has("arrive");
        match self.known_number(id) {
            Some(id) if id >= BARRIERS => {
                self.fail(format!("barrier {id}: there are {BARRIERS}, numbered from 0"))
            }
            Some(id) => {
                let next = self.block();
                self.come(id, count, arrives, next);
                self.open(next);
                Ok(())
            }
            None => self.barrier_by_number(id, count, arrives),
        }
    }

    /// Ends the block at a barrier, or where lanes only arrive at it, and goes on at `next`.
    fn come(&mut self, id: u32, count: u32, arrives: bool, next: u32) {
        if arrives {
            let mut arrive = Ins::new(Op::Warp(Warp::Arrive), &[], &[], self.at);
            arrive.imm = id;
            self.push(arrive);
            return self.end(Term::Jump(next));
        }
        self.end(match (id, count) {
            (0, 0) => Term::Barrier { shared: true, global: true, next },
            _ => Term::Named { id, count, next },
        });
    }

    /// A barrier whose number a register holds: one of all that there are.
    fn barrier_by_number(&mut self, id: &Arg, count: u32, arrives: bool) -> Res<()> {
        let number = self.src(id, U32)?;
        let next = self.block();
        for id in 0..BARRIERS {
            let this = self.u32(id);
            let is = self.emit(Op::Bin(Bin::Eq, Ty::U32), Ty::Bool, &[number, this]);
            let (here, other) = (self.block(), self.block());
            self.end(Term::Branch(is, here, other));
            self.open(here);
            self.come(id, count, arrives, next);
            self.open(other);
        }
        self.push(Ins::new(Op::Warp(Warp::Trap), &[], &[], self.at));
        self.end(Term::Jump(next));
        self.open(next);
        Ok(())
    }

    /// The value of an operand, where it is a number or a register that only ever holds one.
    fn known_number(&self, arg: &Arg) -> Option<u32> {
        let known = match arg {
            Arg::Int(value) => Some(*value),
            Arg::Reg(reg) => self.fixed.get(reg).copied(),
            _ => None,
        };
        known.and_then(|value| u32::try_from(value).ok())
    }

    fn number(&self, arg: &Arg) -> Res<u32> {
        match self.known_number(arg) {
            Some(value) => Ok(value),
            None => self.fail("how many lanes a barrier waits for must be a constant"),
        }
    }

    /// `barrier.red`: counted in memory of its own, between barriers.
    fn vote_of_all(&mut self, ins: &Instr) -> Res<()> {
        let (dst, id, p) = match &ins.args[..] {
            [dst, id, p] => (dst, id, p),
            _ => return self.unsupported("`barrier.red` of part of a block is not supported"),
        };
        if self.known_number(id) != Some(0) {
            return self.unsupported("`barrier.red` is supported for barrier 0 only");
        }
        let Some(&object) = self.by_name.get(VOTES) else { return self.fail("no memory for the votes") };
        let mem = self.objects[object].mem;
        let p = self.src(p, PRED)?;
        let zero = self.u32(0);
        let truth = self.emit(Op::Convert(Ty::U32, Ty::U32), Ty::U32, &[p]);
        let atomic = |s: &mut Lower, fun: AtomicFun, value: Option<Reg>| {
            let dst = s.prog.reg(Ty::U32, false);
            let src: Vec<Reg> = [zero].into_iter().chain(value).collect();
            let mut ins = Ins::new(Op::Atomic(fun, Ty::U32), &[dst], &src, s.at);
            ins.mem = mem;
            s.push(ins);
            dst
        };
        atomic(self, AtomicFun::Store, Some(zero));
        self.cut(|next| Term::Barrier { shared: true, global: true, next })?;
        atomic(self, AtomicFun::Add, Some(truth));
        self.cut(|next| Term::Barrier { shared: true, global: true, next })?;
        let count = atomic(self, AtomicFun::Load, None);
        self.cut(|next| Term::Barrier { shared: true, global: true, next })?;
        let value = if ins.has("popc") {
            count
        } else if ins.has("or") {
            self.emit(Op::Bin(Bin::Ne, Ty::U32), Ty::Bool, &[count, zero])
        } else {
            let lanes = self.prog.workgroup.iter().product();
            let lanes = self.u32(lanes);
            self.emit(Op::Bin(Bin::Eq, Ty::U32), Ty::Bool, &[count, lanes])
        };
        self.set(dst, value)
    }

    fn shfl(&mut self, ins: &Instr) -> Res<()> {
        self.allow(ins, &["sync", "up", "down", "bfly", "idx"])?;
        let gather = ins.op.iter().skip(1).find_map(|m| match m.as_str() {
            "up" => Some(Gather::Up),
            "down" => Some(Gather::Down),
            "bfly" => Some(Gather::Xor),
            "idx" => Some(Gather::Shuffle),
            _ => None,
        });
        let Some(gather) = gather else { return self.fail("`shfl` without a mode") };
        let (dst, rest) = match &ins.args[..] {
            [dst, rest @ ..] if rest.len() == 4 || rest.len() == 3 && !ins.has("sync") => (dst, rest),
            _ => return self.fail("wrong number of operands"),
        };
        let mut src = vec![self.src(&rest[0], Type::new(Base::Bits, 32))?];
        for arg in &rest[1..] {
            src.push(self.src(arg, U32)?);
        }
        let (value, is) = (self.prog.reg(Ty::U32, false), self.prog.reg(Ty::Bool, false));
        let with_truth = matches!(dst, Arg::Pair(..));
        let dsts = if with_truth { vec![value, is] } else { vec![value] };
        self.push(Ins::new(Op::Warp(Warp::Shuffle(gather)), &dsts, &src, self.at));
        self.pair(dst, value, is)
    }

    /// The result of a vote by the lanes of a mask.
    fn with_mask(&mut self, warp: Warp, ty: Ty, value: Reg, mask: Option<&Arg>) -> Res<Reg> {
        let mask = match mask {
            Some(mask) => self.src(mask, U32)?,
            None => NONE,
        };
        let src: Vec<Reg> = [value, mask].into_iter().filter(|&r| r != NONE).collect();
        Ok(self.emit(Op::Warp(warp), ty, &src))
    }

    fn vote(&mut self, ins: &Instr) -> Res<()> {
        self.allow(ins, &["sync", "all", "any", "uni", "ballot"])?;
        let [dst, p, mask] = self.args(ins)?;
        let (warp, ty) = match ins.op.iter().skip(1).find(|m| *m != "sync").map_or("", |m| m) {
            "all" => (Warp::All, Ty::Bool),
            "any" => (Warp::Any, Ty::Bool),
            "uni" => (Warp::Uni, Ty::Bool),
            _ => (Warp::Ballot, Ty::U32),
        };
        let p = self.src(p, PRED)?;
        let value = self.with_mask(warp, ty, p, Some(mask))?;
        self.set(dst, value)
    }

    fn matches(&mut self, ins: &Instr) -> Res<()> {
        self.allow(ins, &["sync", "any", "all"])?;
        let [dst, a, mask] = self.args(ins)?;
        let ty = self.ty(ins)?;
        let (value, mask) = (self.src(a, ty)?, self.src(mask, U32)?);
        let wide = ty.bits == 64;
        let (out, is) = (self.prog.reg(Ty::U32, false), self.prog.reg(Ty::Bool, false));
        let (warp, dsts) = if ins.has("all") {
            (Warp::MatchAll(wide), vec![out, is])
        } else {
            (Warp::Match(wide), vec![out])
        };
        self.push(Ins::new(Op::Warp(warp), &dsts, &[value, mask], self.at));
        self.pair(dst, out, is)
    }

    fn redux(&mut self, ins: &Instr) -> Res<()> {
        self.allow(ins, &["sync", "add", "min", "max", "and", "or", "xor"])?;
        let [dst, a, mask] = self.args(ins)?;
        let ty = self.ty(ins)?;
        if ty.is_float() {
            return self.unsupported_op(ins);
        }
        let kind = if ty.signed() { Ty::I32 } else { Ty::U32 };
        let bin = match ins.op.iter().skip(1).find(|m| *m != "sync").map_or("", |m| m) {
            "add" => Bin::Add,
            "min" => Bin::Min,
            "max" => Bin::Max,
            "and" => Bin::And,
            "or" => Bin::Or,
            _ => Bin::Xor,
        };
        let value = self.src(a, ty)?;
        let value = self.with_mask(Warp::Reduce(bin, kind), Ty::U32, value, Some(mask))?;
        self.set(dst, value)
    }
}
