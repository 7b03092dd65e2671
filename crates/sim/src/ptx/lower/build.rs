//! The state of lowering: objects in memory, registers, blocks, constants.

use super::copy::NEAR;
use super::objects::window;
use super::origin::{self, Origins, Set};
use crate::ir::{Block, Ins, Op, Program, Reg, Rules, Source, Term, Ty, Warp};
use crate::params::Layout;
use crate::pass::order::{self, Order};
use crate::ptx::ast::{Base, Func, Instr, Space, Type, Unit};
use crate::ptx::flat::{Flat, flatten};
use crate::ptx::parse::Res;
use crate::ptx::token::Fault;
use std::collections::{HashMap, HashSet};

/// Blocks at most.
const MOST_BLOCKS: usize = 1 << 17;

/// Something that has an address.
#[derive(Clone, Debug)]
pub struct Object {
    pub mem: u32,
    pub space: Space,
    /// Its generic address, and that within its space.
    pub generic: u64,
    pub raw: u64,
    pub size: u32,
}

/// The state of lowering one entry point.
pub struct Lower {
    pub prog: Program,
    pub flat: Flat,
    pub objects: Vec<Object>,
    /// The objects of variables of the function, and of the module by name.
    pub by_var: HashMap<u32, usize>,
    pub by_name: HashMap<String, usize>,
    pub sets: Vec<Set>,
    /// The registers of PTX, as registers here.
    pub regs: Vec<Reg>,
    /// Parameters of calls that were inlined, by variable and byte: the register and its bits.
    pub slots: HashMap<(u32, i64), (Reg, u32)>,
    pub order: Vec<u32>,
    pub current: u32,
    pub at: u32,
    pub line: u32,
    /// Whether the instruction orders accesses for the lanes of its block alone.
    pub near: bool,
    pub labels: Vec<u32>,
    /// Where the parameters begin, and how many there are.
    pub params: Vec<u32>,
    /// The carry flag of `add.cc`.
    pub carry: Option<Reg>,
    /// Registers that one `mov` of a number fills.
    pub fixed: HashMap<u32, u64>,
    /// Registers that something reads.
    pub read: HashSet<u32>,
    consts: HashMap<(Ty, u64), Reg>,
}

/// Lowers an entry point for a layout, with its parameters' beginnings and the size of all. `lines` are those that
/// findings show.
pub fn lower(
    unit: &Unit,
    func: &Func,
    layout: &Layout,
    (params, size): (Vec<u32>, u32),
    lines: Vec<String>,
) -> Res<Program> {
    let flat = flatten(unit, func)?;
    let prog = Program {
        workgroup: layout.block,
        rules: Rules::PTX,
        dynamic: layout.dynamic,
        source: Source { places: flat.places.clone(), lines },
        ..Program::default()
    };
    let mut lower = Lower {
        prog,
        objects: Vec::new(),
        by_var: HashMap::new(),
        by_name: HashMap::new(),
        sets: Vec::new(),
        regs: Vec::new(),
        slots: HashMap::new(),
        order: Vec::new(),
        current: 0,
        at: 0,
        line: func.line,
        near: false,
        labels: Vec::new(),
        params,
        carry: None,
        fixed: super::objects::fixed(&flat),
        read: super::objects::read(&flat),
        consts: HashMap::new(),
        flat,
    };
    lower.declare(unit, func, layout, size)?;
    lower.origins(func, layout);
    lower.registers();
    lower.labels = (0..lower.flat.labels).map(|_| lower.block()).collect();
    let first = lower.block();
    lower.open(first);
    let steps = std::mem::take(&mut lower.flat.steps);
    for step in &steps {
        lower.step(step)?;
    }
    lower.end(Term::Return);
    crate::pass::swapped::mark(&mut lower.prog);
    lower.prog.mark_written();
    let blocks = crate::pass::meets::split(&mut lower.prog, &lower.order);
    order::finish(lower.prog, &blocks, Order::Graph).map_err(|text| Fault::new(func.line, text))
}

/// The type of the register here that holds a register of PTX.
pub fn register_type(ty: Type) -> Ty {
    match (ty.base, ty.bits) {
        (Base::Pred, _) => Ty::Bool,
        (Base::Float, 32) if !ty.pair => Ty::F32,
        (Base::Float, 64) => Ty::F64,
        (_, 64) => Ty::U64,
        _ => Ty::U32,
    }
}

impl Lower {
    pub fn fail<T>(&self, message: impl Into<String>) -> Res<T> {
        let source = self.prog.source.line(self.at);
        Err(Fault { source, ..Fault::new(self.line, message) })
    }

    /// The same for what is not simulated.
    pub fn unsupported<T>(&self, message: impl Into<String>) -> Res<T> {
        self.fail(message).map_err(|fault| Fault { unsupported: true, ..fault })
    }

    /// The same for an instruction.
    pub fn unsupported_op<T>(&self, ins: &Instr) -> Res<T> {
        self.unsupported(format!("`{}` is not supported", ins.op.join(".")))
    }

    fn origins(&mut self, func: &Func, layout: &Layout) {
        let entry_params = func.params.len() as u32;
        let (by_var, by_name, params) = (&self.by_var, &self.by_name, &self.params);
        let bit = |at: usize| 1u128 << at;
        let last = self.objects.len() - 1;
        let var = |v: u32| if v < entry_params { bit(last) } else { by_var.get(&v).map_or(0, |&at| bit(at)) };
        let name = |n: &str| by_name.get(n).map_or(0, |&at| bit(at));
        let pointer = |at: i64| {
            let found = layout.pointers.iter().find(|p| i64::from(p.0) == at)?;
            Some(bit(self.prog.bindings.iter().position(|&b| b == found.1)?))
        };
        let param = |v: u32, offset: i64| {
            let start = params.get(v as usize).filter(|_| v < entry_params)?;
            Some(pointer(i64::from(*start) + offset).unwrap_or(0))
        };
        let origins = Origins { var: &var, name: &name, param: &param };
        self.sets = origin::sets(&self.flat, &origins);
    }

    fn registers(&mut self) {
        let types: Vec<Ty> = self.flat.regs.iter().map(|&ty| register_type(ty)).collect();
        self.regs = types.into_iter().map(|ty| self.prog.reg(ty, false)).collect();
    }

    /// A block that is not yet opened.
    pub fn block(&mut self) -> u32 {
        self.prog.blocks.push(Block { ins: Vec::new(), term: Term::Return, at: self.at });
        self.prog.blocks.len() as u32 - 1
    }

    pub fn open(&mut self, block: u32) {
        self.order.push(block);
        self.current = block;
        self.prog.blocks[block as usize].at = self.at;
    }

    pub fn end(&mut self, term: Term) {
        let block = &mut self.prog.blocks[self.current as usize];
        block.term = term;
        block.at = self.at;
    }

    /// Ends the current block and goes on in a new one.
    pub fn cut(&mut self, term: impl FnOnce(u32) -> Term) -> Res<()> {
        if self.prog.blocks.len() > MOST_BLOCKS {
            return self.fail(format!("more than {MOST_BLOCKS} blocks"));
        }
        let next = self.block();
        self.end(term(next));
        self.open(next);
        Ok(())
    }

    pub fn push(&mut self, mut ins: Ins) {
        match ins.op {
            Op::Atomic(..) if self.near => ins.imm2 |= NEAR,
            Op::Warp(Warp::Fence) if self.near => ins.imm = NEAR,
            _ => {}
        }
        self.prog.blocks[self.current as usize].ins.push(ins);
    }

    pub fn emit(&mut self, op: Op, ty: Ty, src: &[Reg]) -> Reg {
        let dst = self.prog.reg(ty, false);
        let ins = Ins::new(op, &[dst], src, self.at);
        self.push(ins);
        dst
    }

    pub fn constant(&mut self, ty: Ty, bits: u64) -> Reg {
        if let Some(&reg) = self.consts.get(&(ty, bits)) {
            return reg;
        }
        let reg = self.prog.constant(ty, bits);
        self.consts.insert((ty, bits), reg);
        reg
    }

    pub fn u32(&mut self, value: u32) -> Reg {
        self.constant(Ty::U32, u64::from(value))
    }

    /// The bits of a register that holds a constant.
    pub fn known(&self, reg: Reg) -> Option<u64> {
        self.prog.consts.binary_search_by_key(&reg, |&(r, _)| r).ok().map(|i| self.prog.consts[i].1)
    }

    /// The window of the space that an access names.
    pub fn base(&self, object: &Object, space: Space) -> u64 {
        if space == Space::Generic || window(space) == 0 { object.generic } else { object.raw }
    }
}
