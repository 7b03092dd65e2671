//! From a lowered program and a launch to a worker's machine: passes run, buffers bound, limits held.

use super::decode::{Code, decode};
use super::machine::{Clock, MOST_ROWS, Machine, Shape};
use super::mem::early::Early;
use super::mem::object::{Mem, Words};
use super::mem::order::Knowledge;
use super::mem::shadow::Shadow;
use super::report::Reports;
use super::spare::Spare;
use crate::api::buffer::{Buffer, Init};
use crate::api::error::RunError;
use crate::api::launch::Launch;
use crate::api::options::Options;
use crate::ir::{AtomicFun, MemObject, MemSpace, Op, Program};
use crate::pass;
use crate::pass::alloc::Places;
use crate::pass::legal::Split;
use std::sync::Arc;

/// A program after all passes: what does not depend on a launch.
pub struct Compiled {
    pub prog: Arc<Program>,
    pub divergent: Vec<bool>,
    pub split: Split,
    pub places: Places,
    /// Bytes of the smallest access to each memory object, as a shift.
    pub grains: Vec<u32>,
    /// Whether any access to it may race with another.
    pub races: Vec<bool>,
    /// Whether a load may race with a store.
    pub reads: Vec<bool>,
    /// Memory of earlier launches.
    pub spare: Arc<Spare>,
}

impl Compiled {
    pub fn new(mut prog: Program, spare: Arc<Spare>) -> Result<Compiled, RunError> {
        pass::optimise(&mut prog).map_err(RunError::Broken)?;
        let graph = pass::graph::Graph::new(&prog);
        let mut divergent = pass::uniform::divergent(&prog, &graph);
        let split = pass::legal::split(&mut prog, &divergent);
        divergent.resize(prog.regs.len(), true);
        let places = pass::alloc::allocate(&prog, &split);
        let mut grains = vec![2; prog.mems.len()];
        let mut races = vec![false; prog.mems.len()];
        let mut reads = vec![false; prog.mems.len()];
        for ins in prog.blocks.iter().flat_map(|block| &block.ins) {
            if let Op::Load(fmt) | Op::Store(fmt) = ins.op {
                let grain = &mut grains[ins.mem as usize];
                *grain = (*grain).min(fmt.bytes().trailing_zeros());
            }
            if let Op::Load(_) = ins.op {
                reads[ins.mem as usize] |= ins.tracked;
            }
            if let Op::Store(_) | Op::Atomic(..) = ins.op {
                races[ins.mem as usize] = true;
            }
        }
        Ok(Compiled { prog: Arc::new(prog), divergent, split, places, grains, races, reads, spare })
    }

    /// How the lanes of a workgroup lie in rows, and which rows run together.
    pub fn shape(&self, launch: &Launch, options: &Options) -> Result<Shape, RunError> {
        let size = self.prog.workgroup;
        let lanes = size.iter().try_fold(1u32, |n, &s| n.checked_mul(s)).unwrap_or(u32::MAX);
        let most = options.limits.workgroup.min(MOST_ROWS as u32 * 32);
        if lanes == 0 || lanes > most {
            return Err(RunError::Limit(format!("a workgroup of {lanes} lanes: the limit is {most}")));
        }
        let warp = options.warp;
        if ![1, 4, 8, 16, 32, 64].contains(&warp) {
            return Err(RunError::Launch(format!("a warp of {warp} lanes: take 1, 4, 8, 16, 32 or 64")));
        }
        // a narrow warp has a row of its own only where warps go their own ways and there are rows enough
        let apart = options.seed != 0 && lanes.div_ceil(warp) <= MOST_ROWS as u32;
        let row_lanes = if apart { warp.min(32) } else { 32 };
        let rows = lanes.div_ceil(row_lanes) as usize;
        let gang = if options.seed == 0 { rows } else { (warp / row_lanes).max(1) as usize };
        Ok(Shape { size, grid: launch.grid, lanes, warp, row_lanes, rows, gang })
    }

    pub fn code(&self, shape: &Shape, options: &Options, apart: bool) -> Result<Code, RunError> {
        decode(self, shape, options, apart)
    }
}

/// The memory objects of a program, each with what is watched of it.
fn memories(
    compiled: &Compiled,
    shape: &Shape,
    launch: &Launch,
    common: &[Option<Arc<Vec<u32>>>],
    options: &Options,
    detail: bool,
) -> Vec<Mem> {
    let mut mems = Vec::new();
    for (i, object) in compiled.prog.mems.iter().enumerate() {
        let buffer = object.binding.and_then(|(group, binding)| launch.bound(group, binding));
        let watch = Watch {
            grain: compiled.grains[i],
            races: compiled.races[i] && options.checks,
            reads: compiled.reads[i],
            checks: options.checks,
            spare: &compiled.spare,
            undefined: compiled.prog.rules.undefined_locals,
            bytes: compiled.prog.rules.pointers,
            detail,
        };
        mems.push(match (object.space, &common[i]) {
            (MemSpace::Global, Some(words)) => bound(object, words, buffer, watch),
            (MemSpace::Constant, Some(words)) => {
                Mem { words: Words::Common(words.clone()), ..unbound(object, shape, watch) }
            }
            _ => unbound(object, shape, watch),
        });
    }
    mems
}

/// Before the first barrier and the first access.
const START: Clock = Clock { tick: 1, start: 1 };

/// The state of a worker before anything ran. `common` holds the words of each bound buffer.
pub fn machine(
    compiled: &Compiled,
    code: &Code,
    shape: &Shape,
    launch: &Launch,
    common: &[Option<Arc<Vec<u32>>>],
    options: &Options,
    detail: bool,
) -> Machine {
    let mems = memories(compiled, shape, launch, common, options, detail);
    Machine {
        arch: pulp::Arch::new(),
        prog: compiled.prog.clone(),
        shape: shape.clone(),
        regs: Default::default(),
        mask: [0; MOST_ROWS],
        ended: [0; MOST_ROWS],
        live: [0; MOST_ROWS],
        live_len: 0,
        first_row: 0,
        group: [0; 3],
        group_index: 0,
        sites: code.sites.clone(),
        formats: code.formats.clone(),
        atomics: code.atomics.clone(),
        scans: code.scans.clone(),
        gathers: code.gathers.clone(),
        roughs: code.roughs.clone(),
        scalars: code.scalars.clone(),
        warps: code.warps.clone(),
        mode: options.mode,
        tray: Vec::new(),
        early: early(code, &mems, common, options),
        mems,
        flights: Default::default(),
        knowledge: Knowledge::new(shape.warp),
        shared_clock: START,
        global_clock: START,
        barrier_tick: 1,
        arrived: Default::default(),
        history: Vec::new(),
        reports: Reports::default(),
        astray: Default::default(),
        detail,
        counts: options.counts,
        odd_stored: false,
        notes: options.notes,
        seed: options.seed,
        watch: None,
        vain: None,
        active_lanes: 0,
        active_warps: 0,
        blocks: vec![(0, 0); code.blocks.len()],
        barriers: vec![0; code.blocks.len()],
        compared: code.compared.clone(),
        budget: 0,
        used: 0,
        touched: false,
    }
}

/// What was there before the launch, where a schedule may make atomic loads early.
fn early(code: &Code, mems: &[Mem], common: &[Option<Arc<Vec<u32>>>], options: &Options) -> Early {
    let loads = options.seed != 0 && code.atomics.iter().any(|(fun, _)| *fun == AtomicFun::Load);
    if loads { Early::new(mems, common) } else { Early::default() }
}

/// What the shadow of a memory object must see.
#[derive(Clone, Copy)]
struct Watch<'a> {
    spare: &'a Spare,
    grain: u32,
    races: bool,
    reads: bool,
    checks: bool,
    /// Arrays of a lane begin with nothing in them.
    undefined: bool,
    /// A buffer ends where its last byte does; else bindings are of whole words.
    bytes: bool,
    detail: bool,
}

fn bound(object: &MemObject, words: &Arc<Vec<u32>>, buffer: Option<&Buffer>, watch: Watch<'_>) -> Mem {
    let Watch { spare, grain, races, reads, checks, detail, .. } = watch;
    let whole = words.len() * 4;
    let bytes = buffer.filter(|_| watch.bytes).map_or(whole, |buffer| buffer.bytes.len()) as u32;
    let grains = whole >> grain;
    let owned = object.writable;
    let init = match buffer.map(|b| (&b.init, b.bytes.len())) {
        Some((Init::None, len)) if checks => {
            // what fills up the last word counts as written
            let mut init = vec![0; grains];
            init[len.div_ceil(1 << grain).min(grains)..].fill(1);
            Some(init)
        }
        Some((Init::Bytes(set), len)) if checks => {
            Some(marks(grains, grain, |at| at >= len || set.contains(at)))
        }
        _ => None,
    };
    Mem {
        words: if owned { Words::Own(spare.copy(words)) } else { Words::Common(words.clone()) },
        bytes,
        space: MemSpace::Global,
        shadow: races.then(|| Box::new(Shadow::new(spare, grains, reads, detail))),
        init,
        filled: Vec::new(),
        grain,
        stride: 1,
    }
}

/// A grain is initialised when all its bytes are.
fn marks(grains: usize, grain: u32, is: impl Fn(usize) -> bool) -> Vec<u8> {
    let size = 1usize << grain;
    (0..grains).map(|g| u8::from((g * size..(g + 1) * size).all(&is))).collect()
}

fn unbound(object: &MemObject, shape: &Shape, watch: Watch<'_>) -> Mem {
    let Watch { spare, grain, races, reads, checks, detail, .. } = watch;
    let words = object.size.div_ceil(4) as usize;
    let lanes = shape.rows * 32;
    let private = object.space == MemSpace::Private;
    let undefined = watch.undefined && !object.zeroed;
    let contents = match object.space {
        MemSpace::Constant => object.words.clone(),
        MemSpace::Private => vec![0; words * lanes],
        _ => vec![0; words],
    };
    let grains = words << (2 - grain);
    let shared = object.space == MemSpace::Shared;
    Mem {
        words: Words::Own(contents),
        bytes: words as u32 * 4,
        space: object.space,
        shadow: (shared && races).then(|| Box::new(Shadow::new(spare, grains, reads, detail))),
        init: (shared && checks && !object.zeroed).then(|| vec![0; grains]),
        filled: if private && checks && undefined { vec![0; words * lanes] } else { Vec::new() },
        grain,
        stride: if private { lanes as u32 } else { 1 },
    }
}
