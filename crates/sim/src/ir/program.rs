//! Instructions, blocks, memory objects and the whole program of one entry point.

use super::op::{Op, Ty};
use super::rules::{Rules, together};

/// A virtual register.
pub type Reg = u32;

/// No register.
pub const NONE: Reg = u32::MAX;

/// One instruction.
#[derive(Clone, Copy, Debug)]
pub struct Ins {
    pub op: Op,
    pub dst: [Reg; 4],
    pub src: [Reg; 5],
    pub imm: u32,
    pub imm2: u32,
    /// The memory object that it touches.
    pub mem: u32,
    /// Where in the source it comes from: an index into [`Source::places`].
    pub at: u32,
    /// Lanes that are not active must keep the old value of the destination.
    pub masked: bool,
    /// Accesses: another lane may conflict before the next barrier, so the shadow memory must know.
    pub tracked: bool,
}

impl Ins {
    pub fn new(op: Op, dst: &[Reg], src: &[Reg], at: u32) -> Ins {
        let mut ins = Ins {
            op,
            dst: [NONE; 4],
            src: [NONE; 5],
            imm: 0,
            imm2: 0,
            mem: NONE,
            at,
            masked: false,
            tracked: true,
        };
        ins.dst[..dst.len()].copy_from_slice(dst);
        ins.src[..src.len()].copy_from_slice(src);
        ins
    }

    pub fn defs(&self) -> impl Iterator<Item = Reg> + use<> {
        self.dst.into_iter().filter(|&r| r != NONE)
    }

    pub fn uses(&self) -> impl Iterator<Item = Reg> + use<> {
        self.src.into_iter().filter(|&r| r != NONE)
    }
}

/// How a block ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Term {
    Jump(u32),
    /// To the first where the register is true, else to the second.
    Branch(Reg, u32, u32),
    /// Waits for all lanes of the workgroup; orders accesses to workgroup memory and to buffers, as the flags
    /// say.
    Barrier {
        shared: bool,
        global: bool,
        next: u32,
    },
    /// Waits until `count` lanes (0: all of the workgroup) are at barrier `id`.
    Named {
        id: u32,
        count: u32,
        next: u32,
    },
    Return,
}

impl Term {
    pub fn targets(self) -> impl Iterator<Item = u32> {
        let (a, b) = match self {
            Term::Jump(next) | Term::Barrier { next, .. } | Term::Named { next, .. } => (Some(next), None),
            Term::Branch(_, yes, no) => (Some(yes), Some(no)),
            Term::Return => (None, None),
        };
        a.into_iter().chain(b)
    }
}

/// Straight code and its end.
#[derive(Clone, Debug)]
pub struct Block {
    pub ins: Vec<Ins>,
    pub term: Term,
    pub at: u32,
}

/// What is known of a register.
#[derive(Clone, Copy, Debug)]
pub struct RegInfo {
    pub ty: Ty,
    /// Written in more than one place; else one instruction defines it.
    pub var: bool,
}

/// Which memory an object lies in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemSpace {
    /// A buffer bound by the launch.
    Global,
    /// One for each workgroup.
    Shared,
    /// One for each lane.
    Private,
    /// The same for all, known at compile time.
    Constant,
}

/// A variable in memory.
#[derive(Clone, Debug)]
pub struct MemObject {
    pub name: String,
    pub space: MemSpace,
    /// `(group, binding)` of a buffer.
    pub binding: Option<(u32, u32)>,
    /// Bytes; for a buffer that ends in a runtime-sized array, those of one element of it.
    pub size: u32,
    /// Whether the language sets it to zero before the workgroup starts.
    pub zeroed: bool,
    /// Whether the kernel may write it.
    pub writable: bool,
    /// Whether the launch says how large it is.
    pub dynamic: bool,
    /// Whether all that a lane loads from it is what it, or the lane that it is a copy of, stores to the same place.
    pub in_place: bool,
    /// Contents of a constant.
    pub words: Vec<u32>,
}

/// Where instructions come from.
#[derive(Clone, Debug, Default)]
pub struct Source {
    /// Line, counted from 1; 0 unknown.
    pub places: Vec<u32>,
    /// The text, by lines.
    pub lines: Vec<String>,
}

impl Source {
    /// The line of a place.
    pub fn line(&self, at: u32) -> u32 {
        self.places.get(at as usize).copied().unwrap_or(0)
    }

    /// The text of a line.
    pub fn text(&self, line: u32) -> String {
        match line {
            0 => String::new(),
            n => self.lines.get(n as usize - 1).map_or_else(String::new, |l| l.trim().to_owned()),
        }
    }
}

/// One entry point, lowered.
#[derive(Clone, Debug, Default)]
pub struct Program {
    pub blocks: Vec<Block>,
    pub regs: Vec<RegInfo>,
    /// Registers that hold a constant.
    pub consts: Vec<(Reg, u64)>,
    pub mems: Vec<MemObject>,
    /// The matrix products, by number.
    pub mmas: Vec<super::mma::Mma>,
    /// Loops as ranges of blocks: the first is the header, the one before it leads in.
    pub loops: Vec<(u32, u32)>,
    pub workgroup: [u32; 3],
    pub rules: Rules,
    /// PTX: the buffers that pointers point into, by number; the memory of the parameters, and where each begins.
    pub bindings: Vec<u32>,
    pub param_mem: Option<u32>,
    pub param_starts: Vec<u32>,
    pub dynamic: u32,
    /// PTX: variables of the module in global and constant memory, which live longer than a launch, by their names.
    pub globals: Vec<(u32, String)>,
    /// Lanes of a warp wait for each other somewhere, or trade values; some pass fences; PTX: some lanes wait in loops
    /// for what others write.
    pub warp_syncs: bool,
    pub warp_meets: bool,
    pub fences: bool,
    /// PTX: some atomic operations are atomic for the lanes of a block alone.
    pub near: bool,
    /// PTX: it asks for a launch of all workgroups at once, which has a barrier for all of them.
    pub together: bool,
    pub spins: bool,
    /// Some lanes may be rounds of a loop ahead of others: they spin, or pass barriers that others do not come to.
    pub apart: bool,
    pub source: Source,
}

impl Program {
    /// A new register.
    pub fn reg(&mut self, ty: Ty, var: bool) -> Reg {
        self.regs.push(RegInfo { ty, var });
        self.regs.len() as Reg - 1
    }

    /// The register that holds a constant.
    pub fn constant(&mut self, ty: Ty, bits: u64) -> Reg {
        let reg = self.reg(ty, false);
        self.consts.push((reg, bits));
        reg
    }

    /// The memory of the parameters as a launch fills it.
    pub fn params(&self, launch: &crate::api::launch::Launch) -> Vec<u32> {
        let size = self.param_mem.and_then(|mem| self.mems.get(mem as usize)).map_or(0, |mem| mem.size);
        let place = |binding: u32| self.bindings.iter().position(|&b| b == binding);
        crate::params::words(&self.param_starts, size, launch, place)
    }

    /// What an earlier launch has left in a variable of the module, or a host has put there.
    pub fn kept<'a>(&self, mem: usize, launch: &'a crate::api::launch::Launch) -> Option<&'a Vec<u32>> {
        let (_, name) = self.globals.iter().find(|(at, _)| *at as usize == mem)?;
        let len = self.mems.get(mem)?.words.len();
        launch
            .globals
            .iter()
            .find(|(other, words)| other == name && words.len() == len)
            .map(|(_, words)| words)
    }

    /// Says of each memory object whether anything writes it.
    pub fn mark_written(&mut self) {
        for mem in &mut self.mems {
            mem.writable = mem.space != MemSpace::Global;
        }
        for ins in self.blocks.iter().flat_map(|block| &block.ins) {
            if let Op::Store(_) | Op::Atomic(..) = ins.op {
                self.mems[ins.mem as usize].writable = true;
            }
        }
    }

    /// How many workgroups of it may wait for each other.
    pub fn resident(&self) -> u64 {
        match self.together {
            true => together(self.workgroup.iter().map(|&lanes| u64::from(lanes)).product()),
            false => self.rules.resident,
        }
    }

    /// Whether lanes that come to a barrier wait there while others still run.
    pub fn parks(&self) -> bool {
        self.rules.parks || self.spins
    }

    pub fn wide(&self, reg: Reg) -> bool {
        self.regs[reg as usize].ty.wide()
    }
}
