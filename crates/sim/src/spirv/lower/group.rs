//! What the lanes of a subgroup do together.

use super::Lower;
use crate::emit::{Res, Value};
use crate::ir::{Bin, Gather, Ins, Op as Code, Reg, Scan, Special, Ty, Un};
use crate::spirv::decode::Inst;
use crate::spirv::types::{Scalar, broken};
use spirv::{GroupOperation, Op, Scope};

impl Lower<'_> {
    pub fn group(&mut self, inst: &Inst) -> Res<()> {
        if self.consts.u32(inst.arg(0))? != Scope::Subgroup as u32 {
            return self.unsupported("the simulator has it for subgroups alone");
        }
        if let Some((bin, signed)) = reduction(inst.op) {
            return self.reduce(inst, bin, signed);
        }
        match inst.op {
            Op::GroupNonUniformElect => {
                let lane = self.lane()?;
                let zero = self.u32(0);
                let first = self.emit(Code::SubgroupGather(Gather::First, false), Ty::U32, &[lane, zero])?;
                let out = self.bin(Bin::Eq, Ty::U32, lane, first)?;
                self.set(inst, vec![out])
            }
            Op::GroupNonUniformAll | Op::GroupNonUniformAny | Op::GroupAll | Op::GroupAny => {
                let value = self.one(inst.arg(1))?;
                let op = if matches!(inst.op, Op::GroupNonUniformAll | Op::GroupAll) {
                    Code::SubgroupAll
                } else {
                    Code::SubgroupAny
                };
                let out = self.emit(op, Ty::Bool, &[value])?;
                self.set(inst, vec![out])
            }
            Op::GroupNonUniformAllEqual => self.all_equal(inst),
            Op::GroupNonUniformBallot => {
                let value = self.one(inst.arg(1))?;
                let dst: Value = (0..4).map(|_| self.prog.reg(Ty::U32, false)).collect();
                self.add(Code::SubgroupBallot, &dst, &[value])?;
                self.set(inst, dst)
            }
            Op::GroupNonUniformInverseBallot => {
                let lane = self.lane()?;
                self.ballot_bit(inst, lane)
            }
            Op::GroupNonUniformBallotBitExtract => {
                let lane = self.one(inst.arg(2))?;
                self.ballot_bit(inst, lane)
            }
            Op::GroupNonUniformBallotBitCount => self.ballot_count(inst),
            Op::GroupNonUniformBallotFindLSB | Op::GroupNonUniformBallotFindMSB => self.ballot_find(inst),
            _ => self.gather(inst),
        }
    }

    fn lane(&mut self) -> Res<Reg> {
        self.emit(Code::Special(Special::SubgroupLane), Ty::U32, &[])
    }

    fn gather(&mut self, inst: &Inst) -> Res<()> {
        let (value, _) = self.vector(inst.arg(1))?;
        let (gather, index) = match inst.op {
            Op::GroupNonUniformBroadcastFirst => (Gather::First, self.u32(0)),
            Op::GroupNonUniformBroadcast | Op::GroupBroadcast => {
                (Gather::Broadcast, self.index(inst.arg(2))?)
            }
            Op::GroupNonUniformShuffle => (Gather::Shuffle, self.index(inst.arg(2))?),
            Op::GroupNonUniformShuffleXor => (Gather::Xor, self.index(inst.arg(2))?),
            Op::GroupNonUniformShuffleUp => (Gather::Up, self.index(inst.arg(2))?),
            Op::GroupNonUniformShuffleDown => (Gather::Down, self.index(inst.arg(2))?),
            Op::GroupNonUniformQuadBroadcast => (Gather::QuadBroadcast, self.index(inst.arg(2))?),
            Op::GroupNonUniformQuadSwap => {
                let way = self.consts.u32(inst.arg(2))?;
                let gather = match way {
                    0 => Gather::QuadX,
                    1 => Gather::QuadY,
                    2 => Gather::QuadDiagonal,
                    _ => return Err(broken(format!("direction {way} of a swap"))),
                };
                (gather, self.u32(0))
            }
            Op::GroupNonUniformRotateKHR => (Gather::Shuffle, self.rotated(inst)?),
            _ => return self.unsupported("the simulator does not have it"),
        };
        let mut out = Vec::new();
        for &v in &value {
            let ty = self.prog.regs[v as usize].ty;
            out.push(self.emit(Code::SubgroupGather(gather, ty.wide()), ty, &[v, index])?);
        }
        self.set(inst, out)
    }

    /// The lane that is so many further on in its cluster.
    fn rotated(&mut self, inst: &Inst) -> Res<Reg> {
        let (lane, by) = (self.lane()?, self.index(inst.arg(2))?);
        let size = match inst.args.get(3) {
            Some(&size) => {
                let size = self.cluster(size)?;
                self.u32(size)
            }
            None => self.emit(Code::Special(Special::SubgroupSize), Ty::U32, &[])?,
        };
        let one = self.u32(1);
        let mask = self.bin(Bin::Sub, Ty::U32, size, one)?;
        let sum = self.bin(Bin::Add, Ty::U32, lane, by)?;
        let within = self.bin(Bin::And, Ty::U32, sum, mask)?;
        let outside = self.un(Un::Not, Ty::U32, mask)?;
        let first = self.bin(Bin::And, Ty::U32, lane, outside)?;
        self.bin(Bin::Or, Ty::U32, first, within)
    }

    /// The size of a cluster: a constant power of two.
    fn cluster(&mut self, id: u32) -> Res<u32> {
        let size = self.consts.u32(id)?;
        if !size.is_power_of_two() || size > 128 {
            return Err(broken(format!("clusters of {size} lanes: the size is a power of two")));
        }
        Ok(size)
    }

    fn all_equal(&mut self, inst: &Inst) -> Res<()> {
        let (value, of) = self.vector(inst.arg(1))?;
        let zero = self.u32(0);
        let mut same = self.constant(Ty::Bool, 1);
        for &v in &value {
            let ty = self.prog.regs[v as usize].ty;
            let first = self.emit(Code::SubgroupGather(Gather::First, ty.wide()), ty, &[v, zero])?;
            let equal = self.bin(Bin::Eq, if of == Scalar::Bool { Ty::U32 } else { ty }, v, first)?;
            same = self.bin(Bin::And, Ty::Bool, same, equal)?;
        }
        let out = self.emit(Code::SubgroupAll, Ty::Bool, &[same])?;
        self.set(inst, vec![out])
    }

    /// The four words of a mask.
    fn mask(&mut self, id: u32) -> Res<Value> {
        let value = self.value(id)?;
        if value.len() != 4 { Err(broken(format!("%{id} is not a mask of four words"))) } else { Ok(value) }
    }

    fn ballot_bit(&mut self, inst: &Inst, lane: Reg) -> Res<()> {
        let mask = self.mask(inst.arg(1))?;
        let (zero, one, low, five) = (self.u32(0), self.u32(1), self.u32(31), self.u32(5));
        let number = self.bin(Bin::ShrFixed, Ty::U32, lane, five)?;
        let first = self.bin(Bin::Eq, Ty::U32, number, zero)?;
        let word = self.pick(first, mask[0], mask[1])?;
        let by = self.bin(Bin::And, Ty::U32, lane, low)?;
        let moved = self.bin(Bin::ShrFixed, Ty::U32, word, by)?;
        let bit = self.bin(Bin::And, Ty::U32, moved, one)?;
        let out = self.bin(Bin::Ne, Ty::U32, bit, zero)?;
        self.set(inst, vec![out])
    }

    fn ballot_count(&mut self, inst: &Inst) -> Res<()> {
        let operation = GroupOperation::from_u32(inst.arg(1));
        let mut mask = self.mask(inst.arg(2))?;
        mask.truncate(2);
        if operation != Some(GroupOperation::Reduce) {
            // of the lanes up to this one, or before it
            let lane = self.lane()?;
            for (i, word) in mask.iter_mut().enumerate() {
                let below = self.below(lane, i as u32, operation == Some(GroupOperation::InclusiveScan))?;
                *word = self.bin(Bin::And, Ty::U32, *word, below)?;
            }
        }
        let low = self.un(Un::CountOnes, Ty::U32, mask[0])?;
        let high = self.un(Un::CountOnes, Ty::U32, mask[1])?;
        let out = self.bin(Bin::Add, Ty::U32, low, high)?;
        self.set(inst, vec![out])
    }

    /// The bits of word `i` that stand for lanes below this one, or for it too.
    fn below(&mut self, lane: Reg, i: u32, own: bool) -> Res<Reg> {
        let (zero, one, ones, low) = (self.u32(0), self.u32(1), self.u32(u32::MAX), self.u32(31));
        let (first, past) = (self.u32(32 * i), self.u32(32 * i + 32));
        let by = self.bin(Bin::And, Ty::U32, lane, low)?;
        let bit = self.bin(Bin::ShlFixed, Ty::U32, one, by)?;
        let under = self.bin(Bin::Sub, Ty::U32, bit, one)?;
        let here = if own { self.bin(Bin::Or, Ty::U32, under, bit)? } else { under };
        let before = self.bin(Bin::Lt, Ty::U32, lane, first)?;
        let after = self.bin(Bin::Ge, Ty::U32, lane, past)?;
        let here = self.pick(before, zero, here)?;
        self.pick(after, ones, here)
    }

    fn ballot_find(&mut self, inst: &Inst) -> Res<()> {
        let mask = self.mask(inst.arg(1))?;
        let (zero, more) = (self.u32(0), self.u32(32));
        let lowest = inst.op == Op::GroupNonUniformBallotFindLSB;
        let un = if lowest { Un::FirstTrailing } else { Un::FirstLeading };
        let (low, high) = (self.un(un, Ty::U32, mask[0])?, self.un(un, Ty::U32, mask[1])?);
        let high = self.bin(Bin::Add, Ty::U32, high, more)?;
        let out = if lowest {
            let any = self.bin(Bin::Ne, Ty::U32, mask[0], zero)?;
            self.pick(any, low, high)?
        } else {
            let any = self.bin(Bin::Ne, Ty::U32, mask[1], zero)?;
            self.pick(any, high, low)?
        };
        self.set(inst, vec![out])
    }

    /// Reductions and scans, of the whole subgroup or of clusters.
    fn reduce(&mut self, inst: &Inst, bin: Bin, signed: bool) -> Res<()> {
        let (scan, cluster) = match GroupOperation::from_u32(inst.arg(1)) {
            Some(GroupOperation::Reduce) => (Scan::Reduce, 0),
            Some(GroupOperation::InclusiveScan) => (Scan::Inclusive, 0),
            Some(GroupOperation::ExclusiveScan) => (Scan::Exclusive, 0),
            Some(GroupOperation::ClusteredReduce) => (Scan::Reduce, self.cluster(inst.arg(3))?),
            _ => return self.unsupported("the simulator has reductions, scans and clustered reductions"),
        };
        let (value, of) = self.vector(inst.arg(2))?;
        let ty = if let Scalar::Float { .. } = of { of.ty() } else { super::arith::whole_type(of, signed) };
        let mut out = Vec::new();
        for &v in &value {
            let v = if signed { self.widened(of, v)? } else { v };
            let dst = self.prog.reg(ty, false);
            let mut ins = Ins::new(Code::SubgroupScan(scan, bin, ty), &[dst], &[v], self.at);
            ins.imm = cluster;
            self.push(ins)?;
            out.push(self.cut_to(of, dst)?);
        }
        self.set(inst, out)
    }
}

/// What a reduction joins with, and whether its integers are signed.
fn reduction(op: Op) -> Option<(Bin, bool)> {
    use Op::*;
    Some(match op {
        GroupNonUniformIAdd | GroupNonUniformFAdd | GroupIAdd | GroupFAdd => (Bin::Add, false),
        GroupNonUniformIMul | GroupNonUniformFMul => (Bin::Mul, false),
        GroupNonUniformSMin | GroupSMin => (Bin::Min, true),
        GroupNonUniformUMin | GroupNonUniformFMin | GroupUMin | GroupFMin => (Bin::Min, false),
        GroupNonUniformSMax | GroupSMax => (Bin::Max, true),
        GroupNonUniformUMax | GroupNonUniformFMax | GroupUMax | GroupFMax => (Bin::Max, false),
        GroupNonUniformBitwiseAnd | GroupNonUniformLogicalAnd => (Bin::And, false),
        GroupNonUniformBitwiseOr | GroupNonUniformLogicalOr => (Bin::Or, false),
        GroupNonUniformBitwiseXor | GroupNonUniformLogicalXor => (Bin::Xor, false),
        _ => return None,
    })
}
