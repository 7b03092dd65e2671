//! From the register code to steps: handlers chosen, operands turned into places in the files.

use super::cuts::{firsts, is_seen, is_shared, mask_known, returns};
use super::lanes::{ROW, Regs, Row};
use super::machine::Shape;
use super::mem;
use super::mem::site::Site;
use super::rough::{self, Rough};
use super::setup::Compiled;
use super::step::{Pair, Step};
use super::workgroup::Random;
use super::{alu, compared};
use super::{scalar, special, subgroup, warp};
use crate::api::counts::OpKind;
use crate::api::error::RunError;
use crate::api::options::{Mode, Options};
use crate::ir::scalar::Scalar;
use crate::ir::{AtomicFun, Bin, Fmt, Gather, Ins, MemSpace, NONE, Op, Program, Reg, Scan, Term, Ty, Warp};
use crate::pass::alloc::{NOWHERE, Places, file};
use crate::pass::classify;
use crate::pass::legal::{Split, index_stays, runs_shared};
use crate::pass::order::retarget;

/// How a decoded block ends.
#[derive(Clone, Copy, Debug)]
pub enum End {
    Jump(u32),
    /// All lanes go one way.
    Uniform(u32, u32, u32),
    /// Each lane goes its way.
    Divergent(u32, u32, u32),
    Barrier {
        shared: bool,
        global: bool,
        next: u32,
    },
    Named {
        id: u32,
        count: u32,
        next: u32,
    },
    Return,
}

/// A decoded block.
#[derive(Clone, Copy, Debug)]
pub struct CodeBlock {
    pub start: u32,
    pub end: u32,
    pub term: End,
    pub at: u32,
    /// The innermost loop around it that waits for other lanes, as a range of blocks; empty where there is none.
    pub spin: (u32, u32),
    /// Lanes of a subgroup meet in it.
    pub meets: bool,
    /// PTX: the mask that names them.
    pub mask: u32,
    /// It begins with what other workgroups see, and ends a turn.
    pub touches: bool,
    /// PTX: other lanes may see what it does.
    pub stores: bool,
    /// PTX: lanes that go the one way at its end, or the other, return from the kernel there.
    pub returns: [bool; 2],
}

/// A program ready to run on gangs of so many rows.
#[derive(Default)]
pub struct Code {
    pub blocks: Vec<CodeBlock>,
    pub steps: Vec<Step>,
    /// Registers of a gang, with the constants in place.
    pub regs: Regs,
    pub sites: Vec<Site>,
    pub formats: Vec<Fmt>,
    pub atomics: Vec<(AtomicFun, Ty)>,
    pub scans: Vec<(Scan, Bin, Ty)>,
    pub gathers: Vec<Gather>,
    pub roughs: Vec<Rough>,
    pub scalars: Vec<(Scalar, u64)>,
    pub warps: Vec<Warp>,
    /// Comparisons that are watched.
    pub compared: Vec<compared::Site>,
    /// The step that each instruction became, block by block.
    pub step_of: Vec<Vec<u32>>,
}

struct Decoder<'a> {
    prog: &'a Program,
    split: &'a Split,
    places: &'a Places,
    divergent: &'a [bool],
    rows: u32,
    warp: u32,
    mode: Mode,
    seed: u64,
    code: Code,
    /// The decoded block that each block of the program begins with.
    first: Vec<u32>,
}

/// Registers of each file, beyond those of the program, for operands whose subnormals are flushed.
const SPARE: usize = 3;

/// Decodes a program. Every access to memory that all workgroups write gets a block of its own where they are to run
/// `apart`: blocks are what a turn consists of.
pub fn decode(compiled: &Compiled, shape: &Shape, options: &Options, apart: bool) -> Result<Code, RunError> {
    let (prog, split, places) = (&*compiled.prog, &compiled.split, &compiled.places);
    let (divergent, rows, warp) = (&compiled.divergent, shape.gang, shape.warp);
    let code = Code { regs: registers(prog, split, places, rows), ..Code::default() };
    let rows = rows as u32;
    let (mode, seed) = (options.mode, options.seed);
    let cuts = |ins: &Ins| apart && is_shared(prog, ins);
    let first = firsts(prog, cuts);
    let mut decoder = Decoder { prog, split, places, divergent, rows, warp, mode, seed, code, first };
    for block in &prog.blocks {
        let mut step_of = Vec::with_capacity(block.ins.len());
        let mut piece = CodeBlock {
            start: decoder.code.steps.len() as u32,
            end: 0,
            term: End::Return,
            at: block.at,
            spin: (0, 0),
            meets: block.ins.iter().any(|ins| ins.op.kind() == OpKind::Subgroup),
            mask: NONE,
            touches: block.ins.first().is_some_and(&cuts),
            stores: prog.rules.parks && block.ins.iter().any(|ins| is_seen(prog, ins)),
            returns: returns(prog, block),
        };
        for (number, ins) in block.ins.iter().enumerate() {
            if number > 0 && cuts(ins) {
                let (end, next) = (decoder.code.steps.len() as u32, decoder.code.blocks.len() as u32 + 1);
                decoder.code.blocks.push(CodeBlock { end, term: End::Jump(next), ..piece });
                (piece.start, piece.touches, piece.mask) = (end, true, NONE);
            }
            let step = decoder.step(ins)?;
            if let Some(slot) = mask_known(&block.ins, number).filter(|_| piece.mask == NONE) {
                piece.mask = step.src[slot];
            }
            if options.compares {
                compared::watch(&mut decoder.code, ins, &step);
            }
            step_of.push(decoder.add(ins, step));
        }
        decoder.code.step_of.push(step_of);
        let (end, term) = (decoder.code.steps.len() as u32, decoder.term(block.term));
        decoder.code.blocks.push(CodeBlock { end, term, ..piece });
    }
    let mut spinning = if prog.spins { classify::spinning(prog) } else { Vec::new() };
    spinning.sort_by_key(|(start, end)| std::cmp::Reverse(end - start));
    for (start, end) in spinning {
        let end = decoder.first.get(end as usize).copied().unwrap_or(decoder.code.blocks.len() as u32);
        let start = decoder.first[start as usize];
        let blocks = &mut decoder.code.blocks[start as usize..end as usize];
        blocks.iter_mut().for_each(|block| block.spin = (start, end));
    }
    Ok(decoder.code)
}

/// The registers of a gang, with the constants in place.
fn registers(prog: &Program, split: &Split, places: &Places, rows: usize) -> Regs {
    let [rows32, rows64, ones32, ones64] = places.sizes.map(|n| n as usize);
    let mut regs = Regs {
        rows32: vec![Row([0; ROW]); (rows32 + SPARE) * rows],
        rows64: vec![Row([0; ROW]); rows64 * rows],
        ones32: vec![0; ones32 + SPARE],
        ones64: vec![0; ones64],
        ..Regs::default()
    };
    for &(reg, bits) in prog.consts.iter().chain(&split.consts) {
        let place = places.place[reg as usize];
        if place == NOWHERE {
            continue;
        }
        let place = place as usize;
        match file(prog, &split.shared, reg) {
            0 => regs
                .rows32
                .iter_mut()
                .skip(place * rows)
                .take(rows)
                .for_each(|r| *r = Row([bits as u32; ROW])),
            1 => regs.rows64.iter_mut().skip(place * rows).take(rows).for_each(|r| *r = Row([bits; ROW])),
            2 => regs.ones32.iter_mut().skip(place).take(1).for_each(|r| *r = bits as u32),
            _ => regs.ones64.iter_mut().skip(place).take(1).for_each(|r| *r = bits),
        }
    }
    regs
}

impl Decoder<'_> {
    fn place(&self, reg: Reg) -> u32 {
        if reg == NONE {
            return NONE;
        }
        let scale = if self.split.shared[reg as usize] { 1 } else { self.rows };
        self.places.place[reg as usize] * scale
    }

    /// Adds a step, with steps around it that flush subnormals where the mode says so. Returns where it is.
    fn add(&mut self, ins: &Ins, mut step: Step) -> u32 {
        let flushed = match self.mode {
            Mode::Nearest => None,
            _ if !self.prog.rules.flush => None,
            Mode::Worst => rough::flushes(ins.op),
            Mode::Range => rough::flushes(ins.op).filter(|_| self.chance(ins) & 2 == 0),
        };
        let Some(ty) = flushed else {
            self.code.steps.push(step);
            return self.code.steps.len() as u32 - 1;
        };
        let pair = rough::flush_pair();
        let run = if step.once { pair.once } else { pair.lanes };
        let spare = if step.once { self.places.sizes[2] } else { self.places.sizes[0] * self.rows };
        let scale = if step.once { 1 } else { self.rows };
        let flush = Step { run, imm: u32::from(ty == Ty::F16), imm2: 0, float: 0, len: 1, ..step };
        for slot in 0..SPARE.min(ins.uses().count()) {
            let place = spare + slot as u32 * scale;
            let (mut dst, mut src) = ([NONE; 4], [NONE; 5]);
            (dst[0], src[0]) = (place, step.src[slot]);
            self.code.steps.push(Step { dst, src, masked: false, ..flush });
            step.src[slot] = place;
        }
        self.code.steps.push(step);
        let at = self.code.steps.len() as u32 - 1;
        let mut src = [NONE; 5];
        src[0] = step.dst[0];
        self.code.steps.push(Step { src, ..flush });
        at
    }

    /// A number drawn for an instruction.
    fn chance(&self, ins: &Ins) -> u64 {
        let place = u64::from(self.prog.source.line(ins.at)) << 32 | u64::from(ins.dst[0]);
        Random(self.seed ^ place.wrapping_mul(0x9e37_79b9_7f4a_7c15)).next()
    }

    fn term(&self, term: Term) -> End {
        match retarget(term, |block| self.first[block as usize]) {
            Term::Jump(next) => End::Jump(next),
            Term::Branch(condition, yes, no) if self.split.shared[condition as usize] => {
                End::Uniform(self.place(condition), yes, no)
            }
            Term::Branch(condition, yes, no) => End::Divergent(self.place(condition), yes, no),
            Term::Barrier { shared, global, next } => End::Barrier { shared, global, next },
            Term::Named { id, count, next } => End::Named { id, count, next },
            Term::Return => End::Return,
        }
    }

    fn step(&mut self, ins: &Ins) -> Result<Step, RunError> {
        let rough = rough::rough(ins.op, self.prog.rules.functions, self.mode, self.chance(ins));
        let pair = if rough.is_some() { Some(rough::pair()) } else { self.pair(ins) };
        let pair = pair.ok_or_else(|| {
            RunError::Unsupported(format!(
                "the simulator cannot do {:?} (line {})",
                ins.op,
                self.prog.source.line(ins.at)
            ))
        })?;
        let once = runs_shared(ins, self.divergent) && !matches!(ins.op, Op::Splat(_));
        let len = match ins.op {
            Op::Load(_) => ins.defs().count(),
            Op::Store(_) => ins.uses().count() - 1,
            _ => 1,
        };
        let imm = match ins.op {
            Op::Special(special) => special::code(special),
            _ => ins.imm,
        };
        let float = match ins.op {
            Op::Store(_) => self.prog.regs[ins.src[1] as usize].ty,
            op => op.float_result().unwrap_or(Ty::Bool),
        };
        let site = match rough {
            Some(rough) => {
                self.code.roughs.push(rough);
                self.code.roughs.len() as u32 - 1
            }
            None => self.site(ins, len as u32),
        };
        Ok(Step {
            run: if once { pair.once } else { pair.lanes },
            dst: ins.dst.map(|r| self.place(r)),
            src: ins.src.map(|r| self.place(r)),
            imm,
            imm2: match ins.op {
                Op::Scalar(_) => {
                    scalar::wide_bits(ins.uses().map(|r| self.prog.wide(r)), self.prog.wide(ins.dst[0]))
                }
                _ => ins.imm2,
            },
            mem: ins.mem,
            at: ins.at,
            site,
            len: len as u8,
            masked: ins.masked,
            tracked: ins.tracked,
            once,
            float: if float.is_float() { float.bits() as u8 } else { 0 },
        })
    }

    /// What an instruction needs beside its step.
    fn site(&mut self, ins: &Ins, len: u32) -> u32 {
        match ins.op {
            Op::Load(fmt) | Op::Store(fmt) => self.access(ins, fmt, len, (AtomicFun::Load, Ty::U32)),
            Op::Atomic(fun, ty) => {
                self.access(ins, if ty.wide() { Fmt::Wide } else { Fmt::Word }, 1, (fun, ty))
            }
            Op::SubgroupScan(scan, bin, ty) => {
                self.code.scans.push((scan, bin, ty));
                self.code.scans.len() as u32 - 1
            }
            Op::SubgroupGather(gather, _) => {
                self.code.gathers.push(gather);
                self.code.gathers.len() as u32 - 1
            }
            Op::Scalar(scalar) => {
                self.code.scalars.push((scalar, self.chance(ins)));
                self.code.scalars.len() as u32 - 1
            }
            Op::Warp(warp) => {
                self.code.warps.push(warp);
                self.code.warps.len() as u32 - 1
            }
            _ => NONE,
        }
    }

    fn access(&mut self, ins: &Ins, fmt: Fmt, len: u32, atomic: (AtomicFun, Ty)) -> u32 {
        let space = self.prog.mems[ins.mem as usize].space;
        let site = Site::new(fmt.bytes() * len, self.warp, space);
        self.code.sites.extend([site.clone(), site]);
        self.code.formats.push(fmt);
        self.code.atomics.push(atomic);
        self.code.formats.len() as u32 - 1
    }

    /// Whether a product and a sum are rounded once: an fma is, and in the inexact modes chance decides.
    fn contracts(&self, ins: &Ins) -> bool {
        match ins.op {
            Op::Fma(ty) | Op::MulAdd(ty)
                if self.prog.rules.contract && self.mode != Mode::Nearest && ty.is_float() =>
            {
                self.chance(ins) & 4 == 0
            }
            op => matches!(op, Op::Fma(_)),
        }
    }

    fn pair(&self, ins: &Ins) -> Option<Pair> {
        let private = ins.mem != NONE && self.prog.mems[ins.mem as usize].space == MemSpace::Private;
        Some(match ins.op {
            Op::Bin(bin, ty) => alu::binary(bin, ty)?,
            Op::Un(un, ty) => alu::unary(un, ty)?,
            Op::Fma(ty) | Op::MulAdd(ty) if self.contracts(ins) => alu::float::fused(ty)?,
            Op::Fma(ty) | Op::MulAdd(ty) => alu::float::mul_add(ty)?,
            Op::Select(wide) => alu::pick::select(wide),
            Op::Move(wide) => alu::pick::copy(wide),
            Op::Splat(wide) => alu::pick::spread(wide),
            Op::Convert(from, to) => alu::convert::convert(from, to),
            Op::Bitcast(from, to) => alu::convert::bitcast(from, to),
            Op::Index if index_stays(ins, self.divergent) => mem::index::shared_pair(),
            Op::Index => mem::index::pair(),
            Op::CheckIndex => mem::index::check(),
            Op::AssertUniform => mem::index::uniform(),
            Op::ArrayLength => mem::index::length(),
            Op::Special(_) => special::pair(),
            Op::Load(fmt) if private => mem::private::load(fmt),
            Op::Store(fmt) if private => mem::private::store(fmt),
            Op::Load(fmt) => mem::load::pair(fmt),
            Op::Store(fmt) => mem::store::pair(fmt),
            Op::Atomic(_, ty) => mem::atomic::pair(ty),
            Op::SubgroupScan(_, _, ty) => subgroup::scan_pair(ty),
            Op::SubgroupAll => subgroup::vote_pair(true),
            Op::SubgroupAny => subgroup::vote_pair(false),
            Op::SubgroupBallot => subgroup::ballot_pair(),
            Op::SubgroupGather(_, wide) => subgroup::gather_pair(wide),
            Op::Scalar(_) => scalar::pair(),
            Op::Warp(_) => warp::pair(),
        })
    }
}
