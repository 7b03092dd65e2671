//! Whether anything depends on what a read gave that went wrong. A run in detail carries marks along with the values of
//! every lane: each represents one such read. `select` passes on those of the value it takes; stores, branches,
//! atomics and what other lanes see make a mark count. Reads whose marks never count are dropped.

use super::decode::{Code, CodeBlock, End};
use super::lanes::{ROW, Raw, Regs, Row};
use super::machine::{MOST_ROWS, Machine};
use super::report::Key;
use super::setup::Compiled;
use super::step::Step;
use crate::ir::{Ins, NONE, Op};
use crate::pass::alloc::{NOWHERE, file};

/// Set in the place of a value that all lanes share.
const SHARED: u32 = 1 << 31;
/// The last mark represents all reads beyond it.
const LAST: usize = 63;

/// What an instruction does with marks.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Flow {
    Nothing,
    Pass,
    Select,
    Sink,
}

/// Where the marks of an instruction's operands are kept.
#[derive(Clone, Copy)]
struct Trace {
    flow: Flow,
    dst: [u32; 4],
    src: [u32; 5],
}

/// The marks that a step's results get, by row.
type Marks = [[u64; ROW]; MOST_ROWS];

/// What is known of reads that went wrong.
pub struct Watch {
    traces: Vec<Trace>,
    /// The finding that each mark represents.
    keys: Vec<Key>,
    used: u64,
}

fn flow(op: Op) -> Flow {
    match op {
        Op::Select(_) => Flow::Select,
        Op::Store(_) | Op::Atomic(..) | Op::AssertUniform | Op::CheckIndex => Flow::Sink,
        Op::SubgroupScan(..) | Op::SubgroupAll | Op::SubgroupAny => Flow::Sink,
        Op::SubgroupBallot | Op::SubgroupGather(..) | Op::Warp(_) => Flow::Sink,
        _ => Flow::Pass,
    }
}

/// Whether the program can drop a value that it read.
pub fn can_drop(compiled: &Compiled) -> bool {
    let mut all = compiled.prog.blocks.iter().flat_map(|block| &block.ins);
    compiled.prog.rules.defined && all.any(|ins| matches!(ins.op, Op::Select(_)))
}

/// Room for the marks of a gang's registers.
pub fn make_room(regs: &mut Regs) {
    regs.marks = vec![Row([0; ROW]); regs.rows32.len() + regs.rows64.len()];
    regs.one_marks = vec![0; regs.ones32.len() + regs.ones64.len()];
}

impl Watch {
    /// For gangs of so many rows.
    pub fn new(compiled: &Compiled, code: &Code, rows: usize) -> Watch {
        let nothing = Trace { flow: Flow::Nothing, dst: [NONE; 4], src: [NONE; 5] };
        let mut traces = vec![nothing; code.steps.len()];
        for (block, step_of) in compiled.prog.blocks.iter().zip(&code.step_of) {
            for (ins, &at) in block.ins.iter().zip(step_of) {
                traces[at as usize] = trace(compiled, code, rows as u32, ins);
            }
        }
        Watch { traces, keys: Vec::new(), used: 0 }
    }

    /// The findings that nothing depends on.
    pub fn dropped(&self) -> impl Iterator<Item = Key> {
        let unused = self.keys.iter().enumerate().filter(|(i, _)| self.used >> (*i).min(LAST) & 1 == 0);
        unused.map(|(_, key)| *key)
    }

    fn mark(&mut self, key: Key) -> u64 {
        let at = self.keys.iter().position(|k| *k == key).unwrap_or_else(|| {
            self.keys.push(key);
            self.keys.len() - 1
        });
        1 << at.min(LAST)
    }

    fn step(&mut self, m: &mut Machine, code: &Code, at: u32) {
        let step = &code.steps[at as usize];
        let trace = self.traces[at as usize];
        if self.keys.is_empty() {
            run(m, step);
            if m.vain.as_ref().is_none_or(Vec::is_empty) {
                return; // there are no marks yet
            }
            let mut marks = [[0; ROW]; MOST_ROWS];
            self.fresh(m, &mut marks);
            put(m, &trace, &marks);
            return;
        }
        let mut marks = before(m, &trace);
        if trace.flow == Flow::Sink {
            self.used |= marks.iter().flatten().fold(0, |all, mark| all | mark);
            marks = [[0; ROW]; MOST_ROWS];
        }
        run(m, step);
        self.fresh(m, &mut marks);
        put(m, &trace, &marks);
    }

    /// Marks for what the step has just read in vain.
    fn fresh(&mut self, m: &mut Machine, marks: &mut Marks) {
        for (lane, key) in m.vain.as_mut().map(std::mem::take).unwrap_or_default() {
            let mark = self.mark(key);
            match lane {
                None => self.used |= mark,
                Some(lane) => {
                    let row = (lane / m.shape.row_lanes) as usize - m.first_row;
                    marks[row][(lane % m.shape.row_lanes) as usize] |= mark;
                }
            }
        }
    }

    fn branch(&mut self, m: &Machine, term: End) {
        match term {
            End::Uniform(condition, ..) => self.used |= m.regs.one_marks[condition as usize],
            End::Divergent(condition, ..) => {
                active(m, |row, i| self.used |= m.regs.marks[condition as usize + row][i]);
            }
            _ => {}
        }
    }
}

fn trace(compiled: &Compiled, code: &Code, rows: u32, ins: &Ins) -> Trace {
    let place = |reg: u32| {
        let known = compiled.places.place.get(reg as usize).copied().unwrap_or(NOWHERE);
        if reg == NONE || known == NOWHERE {
            return NONE;
        }
        match file(&compiled.prog, &compiled.split.shared, reg) {
            0 => known * rows,
            1 => code.regs.rows32.len() as u32 + known * rows,
            2 => SHARED | known,
            _ => SHARED | (code.regs.ones32.len() as u32 + known),
        }
    };
    Trace { flow: flow(ins.op), dst: ins.dst.map(place), src: ins.src.map(place) }
}

/// Every active lane, by row and place in it.
fn active(m: &Machine, mut f: impl FnMut(usize, usize)) {
    for k in 0..m.live_len {
        let row = m.live[k] as usize;
        (0..ROW).filter(|i| m.mask[row] >> i & 1 == 1).for_each(|i| f(row, i));
    }
}

fn mark_of(m: &Machine, place: u32, row: usize, i: usize) -> u64 {
    match place {
        NONE => 0,
        shared if shared & SHARED != 0 => m.regs.one_marks[(shared & !SHARED) as usize],
        place => m.regs.marks[place as usize + row][i],
    }
}

/// The marks of what a step takes in.
fn before(m: &Machine, trace: &Trace) -> Marks {
    let mut marks = [[0; ROW]; MOST_ROWS];
    if trace.flow == Flow::Nothing {
        return marks;
    }
    active(m, |row, i| {
        let of = |slot: usize| mark_of(m, trace.src[slot], row, i);
        marks[row][i] = match trace.flow {
            Flow::Select => of(0) | if truth(m, trace.src[0], row, i) { of(1) } else { of(2) },
            _ => (0..trace.src.len()).fold(0, |all, slot| all | of(slot)),
        };
    });
    marks
}

fn truth(m: &Machine, place: u32, row: usize, i: usize) -> bool {
    let bits = match place & SHARED {
        0 => u32::rows(&m.regs)[place as usize + row][i],
        _ => m.regs.ones32[(place & !SHARED) as usize],
    };
    bits & 1 == 1
}

fn put(m: &mut Machine, trace: &Trace, marks: &Marks) {
    for &place in trace.dst.iter().filter(|&&place| place != NONE) {
        if place & SHARED != 0 {
            let all = marks.iter().flatten().fold(0, |all, mark| all | mark);
            m.regs.one_marks[(place & !SHARED) as usize] = all;
            continue;
        }
        for k in 0..m.live_len {
            let row = m.live[k] as usize;
            for i in (0..ROW).filter(|i| m.mask[row] >> i & 1 == 1) {
                m.regs.marks[place as usize + row][i] = marks[row][i];
            }
        }
    }
}

fn run(m: &mut Machine, step: &Step) {
    if step.float != 0 {
        super::births::run(m, step);
    } else {
        (step.run)(m, step);
    }
}

/// Runs the steps of a block and carries their marks along.
pub fn block(m: &mut Machine, code: &Code, body: CodeBlock) {
    let Some(mut watch) = m.watch.take() else { return };
    for at in body.start..body.end {
        watch.step(m, code, at);
    }
    watch.branch(m, body.term);
    m.watch = Some(watch);
}
