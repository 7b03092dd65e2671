//! Steps and control flow: guards, branches, ends; and which file lowers which instruction.

use super::build::Lower;
use crate::ir::scalar::{Cmp, Num, Scalar};
use crate::ir::{Ins, Op, Reg, Term, Ty, Un, Warp};
use crate::ptx::ast::{Base, Instr};
use crate::ptx::flat::Step;
use crate::ptx::parse::Res;

impl Lower {
    pub fn step(&mut self, step: &Step) -> Res<()> {
        match step {
            Step::Label(label) => {
                let block = self.labels[*label as usize];
                self.end(Term::Jump(block));
                self.open(block);
                Ok(())
            }
            Step::Branch { guard, label, place } => {
                self.at = *place;
                let target = self.labels[*label as usize];
                match guard {
                    Some((reg, not)) => {
                        let condition = self.condition(*reg)?;
                        self.cut(|next| {
                            if *not {
                                Term::Branch(condition, next, target)
                            } else {
                                Term::Branch(condition, target, next)
                            }
                        })
                    }
                    None => self.cut(|_| Term::Jump(target)),
                }
            }
            Step::Switch { by, labels, place } => {
                self.at = *place;
                let by = self.regs[*by as usize];
                for (i, label) in labels.iter().enumerate() {
                    let number = self.u32(i as u32);
                    let compare = Op::Scalar(Scalar::Compare(Cmp::Eq, Num::U32, false));
                    let same = self.emit(compare, Ty::Bool, &[by, number]);
                    let target = self.labels[*label as usize];
                    self.cut(|next| Term::Branch(same, target, next))?;
                }
                // an index past the table is undefined: the kernel stops
                self.trap(0)?;
                self.cut(|_| Term::Return)
            }
            Step::Instr(ins) => self.guarded(ins),
        }
    }

    pub fn trap(&mut self, kind: u32) -> Res<()> {
        let mut ins = Ins::new(Op::Warp(Warp::Trap), &[], &[], self.at);
        ins.imm = kind;
        self.push(ins);
        Ok(())
    }

    /// The predicate of a guard.
    fn condition(&self, reg: u32) -> Res<Reg> {
        match self.flat.regs[reg as usize].base {
            Base::Pred => Ok(self.regs[reg as usize]),
            _ => self.fail("the register after `@` is not a predicate"),
        }
    }

    /// The lanes whose guard holds go through the instruction, the others around it.
    fn guarded(&mut self, ins: &Instr) -> Res<()> {
        (self.at, self.line) = (ins.place, ins.line);
        let Some((reg, not)) = ins.guard else { return self.instr(ins) };
        let condition = self.condition(reg)?;
        let after = self.block();
        self.cut(|next| {
            if not { Term::Branch(condition, after, next) } else { Term::Branch(condition, next, after) }
        })?;
        self.instr(ins)?;
        self.end(Term::Jump(after));
        self.open(after);
        Ok(())
    }

    fn instr(&mut self, ins: &Instr) -> Res<()> {
        self.near = ins.has("cta");
        match ins.name() {
            "ret" | "exit" => self.cut(|_| Term::Return),
            "trap" | "brkpt" => {
                self.trap(u32::from(ins.has("assert")))?;
                self.cut(|_| Term::Return)
            }
            "nanosleep" | "pmevent" | "prefetch" | "prefetchu" | "griddepcontrol" | "applypriority"
            | "discard" | "createpolicy" | "setmaxnreg" => Ok(()),
            "mapa" | "getctarank" | "clusterlaunchcontrol" => self.clusters(ins),
            "barrier" | "fence" if ins.has("cluster") && !ins.has("acq_rel") => self.clusters(ins),
            "mov" | "ld" | "ldu" | "st" | "isspacep" | "cvta" | "atom" | "red" => self.memory(ins),
            "cvt" => self.convert(ins),
            "setp" | "set" | "selp" | "slct" => self.compare(ins),
            "bar" | "barrier" | "membar" | "fence" | "shfl" | "vote" | "match" | "redux" | "activemask"
            | "elect" => self.sync(ins),
            "mma" | "wmma" | "ldmatrix" | "stmatrix" | "movmatrix" => self.matrix(ins),
            "cp" => self.copy(ins),
            "mbarrier" => self.mbarrier(ins),
            name => {
                if self.int(ins)? || self.float(ins)? {
                    return Ok(());
                }
                let hint = match name {
                    "wgmma" => " (warp-group matrix products of sm_90 are not simulated)",
                    "tcgen05" => " (tensor memory of sm_100 is not simulated)",
                    "tex" | "suld" | "sust" | "tld4" | "txq" | "sured" => {
                        " (textures and surfaces are not simulated)"
                    }
                    _ => "",
                };
                self.unsupported(format!("`{}` is not supported{hint}", ins.op.join(".")))
            }
        }
    }

    fn clusters(&self, ins: &Instr) -> Res<()> {
        self.unsupported(format!(
            "`{}` is not supported (clusters of sm_90 are not simulated)",
            ins.op.join(".")
        ))
    }

    pub fn not(&mut self, value: Reg) -> Reg {
        self.emit(Op::Un(Un::Not, Ty::Bool), Ty::Bool, &[value])
    }
}
