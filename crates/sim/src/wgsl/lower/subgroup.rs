//! Subgroup operations.

use super::build::{Lower, Res};
use super::frame::{Frame, Item};
use crate::ir::{Bin, Gather, Op, Reg, Scan, Ty};
use naga::{CollectiveOperation, Direction, Expression, GatherMode, Handle, SubgroupOperation};

impl<'a> Lower<'a> {
    pub fn ballot(
        &mut self,
        frame: &mut Frame<'a>,
        result: Handle<Expression>,
        predicate: Option<Handle<Expression>>,
    ) -> Res<()> {
        let predicate = match predicate {
            Some(predicate) => self.one(frame, predicate)?,
            None => self.constant(Ty::Bool, 1),
        };
        let dst: Vec<Reg> = (0..4).map(|_| self.prog.reg(Ty::U32, false)).collect();
        self.add(Op::SubgroupBallot, &dst, &[predicate])?;
        frame.items.insert(result, Item::Value(dst));
        Ok(())
    }

    pub fn gather(
        &mut self,
        frame: &mut Frame<'a>,
        mode: &GatherMode,
        argument: Handle<Expression>,
        result: Handle<Expression>,
    ) -> Res<()> {
        let (gather, index) = match *mode {
            GatherMode::BroadcastFirst => (Gather::First, None),
            GatherMode::Broadcast(index) => (Gather::Broadcast, Some(index)),
            GatherMode::Shuffle(index) => (Gather::Shuffle, Some(index)),
            GatherMode::ShuffleDown(index) => (Gather::Down, Some(index)),
            GatherMode::ShuffleUp(index) => (Gather::Up, Some(index)),
            GatherMode::ShuffleXor(index) => (Gather::Xor, Some(index)),
            GatherMode::QuadBroadcast(index) => (Gather::QuadBroadcast, Some(index)),
            GatherMode::QuadSwap(Direction::X) => (Gather::QuadX, None),
            GatherMode::QuadSwap(Direction::Y) => (Gather::QuadY, None),
            GatherMode::QuadSwap(Direction::Diagonal) => (Gather::QuadDiagonal, None),
        };
        let index = match index {
            Some(index) => self.one(frame, index)?,
            None => self.u32(0),
        };
        let mut out = Vec::new();
        for value in self.value(frame, argument)? {
            let ty = self.prog.regs[value as usize].ty;
            out.push(self.emit(Op::SubgroupGather(gather, ty.wide()), ty, &[value, index])?);
        }
        frame.items.insert(result, Item::Value(out));
        Ok(())
    }

    pub fn collective(
        &mut self,
        frame: &mut Frame<'a>,
        op: SubgroupOperation,
        collective: CollectiveOperation,
        argument: Handle<Expression>,
        result: Handle<Expression>,
    ) -> Res<()> {
        let ty = self.scalar_of(frame, argument)?;
        let scan = match collective {
            CollectiveOperation::Reduce => Scan::Reduce,
            CollectiveOperation::InclusiveScan => Scan::Inclusive,
            CollectiveOperation::ExclusiveScan => Scan::Exclusive,
        };
        let bin = match op {
            SubgroupOperation::All => return self.vote(frame, Op::SubgroupAll, argument, result),
            SubgroupOperation::Any => return self.vote(frame, Op::SubgroupAny, argument, result),
            SubgroupOperation::Add => Bin::Add,
            SubgroupOperation::Mul => Bin::Mul,
            SubgroupOperation::Min => Bin::Min,
            SubgroupOperation::Max => Bin::Max,
            SubgroupOperation::And => Bin::And,
            SubgroupOperation::Or => Bin::Or,
            SubgroupOperation::Xor => Bin::Xor,
        };
        let mut out = Vec::new();
        for value in self.value(frame, argument)? {
            out.push(self.emit(Op::SubgroupScan(scan, bin, ty), ty, &[value])?);
        }
        frame.items.insert(result, Item::Value(out));
        Ok(())
    }

    fn vote(
        &mut self,
        frame: &mut Frame<'a>,
        op: Op,
        argument: Handle<Expression>,
        result: Handle<Expression>,
    ) -> Res<()> {
        let value = self.one(frame, argument)?;
        let out = self.emit(op, Ty::Bool, &[value])?;
        frame.items.insert(result, Item::Value(vec![out]));
        Ok(())
    }
}
