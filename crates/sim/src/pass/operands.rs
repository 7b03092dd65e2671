//! Which registers each operation takes and gives: how many, and in which file they are.

use crate::ir::{Bin, Fmt, Gather, Ins, NONE, Op, Program, Reg, Ty, Un, Warp};
use File::{Any, Narrow, Wide};

/// The file of an operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum File {
    Narrow,
    Wide,
    Any,
}

/// The operands of an operation, in order; those past the least number may be missing.
struct Operands {
    dst: Vec<File>,
    least_dst: usize,
    src: Vec<File>,
    least_src: usize,
}

fn exactly(dst: &[File], src: &[File]) -> Operands {
    Operands { dst: dst.to_vec(), least_dst: dst.len(), src: src.to_vec(), least_src: src.len() }
}

fn of(ty: Ty) -> File {
    wide(ty.wide())
}

fn wide(wide: bool) -> File {
    if wide { Wide } else { Narrow }
}

fn operands(op: Op) -> Operands {
    match op {
        Op::Bin(bin, ty) => match bin {
            Bin::Eq | Bin::Ne | Bin::Lt | Bin::Le | Bin::Gt | Bin::Ge => exactly(&[Narrow], &[of(ty); 2]),
            // an amount to shift by, or an exponent, has a type of its own
            Bin::Shl | Bin::Shr | Bin::ShlFixed | Bin::ShrFixed | Bin::Ldexp => {
                exactly(&[of(ty)], &[of(ty), Any])
            }
            Bin::DotI8 | Bin::DotU8 | Bin::PackHalf => exactly(&[Narrow], &[Narrow; 2]),
            _ => exactly(&[of(ty)], &[of(ty); 2]),
        },
        Op::Un(Un::IsNan | Un::IsInf | Un::FrexpExp, ty) => exactly(&[Narrow], &[of(ty)]),
        Op::Un(_, ty) => exactly(&[of(ty)], &[of(ty)]),
        Op::Fma(ty) | Op::MulAdd(ty) => exactly(&[of(ty)], &[of(ty); 3]),
        Op::Select(is) => exactly(&[wide(is)], &[Narrow, wide(is), wide(is)]),
        Op::Move(is) | Op::Splat(is) => exactly(&[wide(is)], &[wide(is)]),
        Op::Convert(from, to) | Op::Bitcast(from, to) => exactly(&[of(to)], &[of(from)]),
        Op::Index => exactly(&[Narrow], &[Narrow; 2]),
        Op::Special(_) | Op::ArrayLength => exactly(&[Narrow], &[]),
        Op::Load(fmt) => {
            let file = wide(fmt == Fmt::Wide);
            Operands { dst: vec![file; 4], least_dst: 1, src: vec![Narrow], least_src: 1 }
        }
        Op::Store(fmt) => {
            let file = wide(fmt == Fmt::Wide);
            let src = vec![Narrow, file, file, file, file];
            Operands { dst: Vec::new(), least_dst: 0, src, least_src: 2 }
        }
        Op::Atomic(_, ty) => Operands {
            dst: vec![of(ty), Narrow],
            least_dst: 0,
            src: vec![Narrow, of(ty), of(ty)],
            least_src: 1,
        },
        Op::AssertUniform | Op::CheckIndex => exactly(&[], &[Narrow]),
        Op::SubgroupScan(_, _, ty) => exactly(&[of(ty)], &[of(ty)]),
        Op::SubgroupAll | Op::SubgroupAny => exactly(&[Narrow], &[Narrow]),
        Op::SubgroupBallot => exactly(&[Narrow; 4], &[Narrow]),
        Op::SubgroupGather(gather, is) => {
            let by = !matches!(gather, Gather::First | Gather::QuadX | Gather::QuadY | Gather::QuadDiagonal);
            let src = vec![wide(is), Narrow];
            Operands { dst: vec![wide(is)], least_dst: 1, src, least_src: 1 + usize::from(by) }
        }
        Op::Scalar(_) => Operands { dst: vec![Any], least_dst: 1, src: vec![Any; 3], least_src: 1 },
        Op::Warp(warp) => of_warp(warp),
    }
}

fn of_warp(warp: Warp) -> Operands {
    match warp {
        Warp::Fence | Warp::Arrive | Warp::Commit | Warp::Wait | Warp::Trap => exactly(&[], &[]),
        Warp::Active => exactly(&[Narrow], &[]),
        Warp::Match(is) => exactly(&[Narrow], &[wide(is), Narrow]),
        Warp::MatchAll(is) => {
            Operands { dst: vec![Narrow; 2], least_dst: 0, src: vec![wide(is), Narrow], least_src: 2 }
        }
        // fragments of 64-bit numbers are put down whole
        Warp::PutDown => Operands { dst: Vec::new(), least_dst: 0, src: vec![Any; 5], least_src: 1 },
        Warp::TakeUp => Operands { dst: vec![Any; 4], least_dst: 1, src: Vec::new(), least_src: 0 },
        Warp::Mma => exactly(&[], &[]),
        Warp::Filled => Operands { dst: Vec::new(), least_dst: 0, src: vec![Narrow; 5], least_src: 1 },
        _ => Operands { dst: vec![Narrow; 2], least_dst: 0, src: vec![Narrow; 4], least_src: 0 },
    }
}

/// What is wrong with the registers of an instruction, all of which exist.
pub fn check(prog: &Program, ins: &Ins) -> Result<(), String> {
    let operands = operands(ins.op);
    list(prog, &ins.dst, &operands.dst, operands.least_dst, "results")?;
    list(prog, &ins.src, &operands.src, operands.least_src, "operands")
}

fn list(prog: &Program, regs: &[Reg], files: &[File], least: usize, what: &str) -> Result<(), String> {
    let given = regs.iter().filter(|&&reg| reg != NONE).count();
    if given > files.len() || given < least {
        let most = if files.len() > least { format!(" to {}", files.len()) } else { String::new() };
        return Err(format!("{given} {what}, expected {least}{most}"));
    }
    for (at, (&reg, &file)) in regs.iter().zip(files).enumerate().filter(|(_, (reg, _))| **reg != NONE) {
        if file != Any && (file == Wide) != prog.wide(reg) {
            let bits = if file == Wide { 64 } else { 32 };
            return Err(format!("r{reg}, number {at} of its {what}, must be in the file of {bits} bits"));
        }
    }
    Ok(())
}
