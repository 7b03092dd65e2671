//! Evaluates one expression over one block of lanes.

use std::sync::atomic::{AtomicBool, Ordering};

use ktwin_num::Tensor;

use super::blocks::Block;
use super::driver::Progress;
use super::ints;
use super::lane::Lane;
use super::plane::Plane;
use super::value::{EITHER, FALSE, Ints, Reals, TRUE, Truth, Truths, Val};
use crate::code::{Code, CodeKind, ReadCode};
use crate::diagnostic::Span;
use crate::func::Func;
use crate::node::{Source, Ty};

/// Why an evaluation stopped.
#[derive(Clone, Debug)]
pub enum Trouble {
    /// A read outside what it reads: which read, which of its indices, the value and the bounds.
    Outside { span: Span, source: Source, index: usize, value: i64, lo: i64, extent: usize },
    /// Integer arithmetic overflowed or divided by zero.
    Arithmetic,
    /// A definition's integer is too large to be kept.
    Large,
    /// `mean`, `argmax` or `argmin` over nothing.
    Empty(&'static str),
    /// The caller asked to stop.
    Cancelled,
}

impl Trouble {
    pub(crate) fn outside(read: &ReadCode, index: usize, value: i64, lo: i64, extent: usize) -> Trouble {
        Trouble::Outside { span: read.span, source: read.source, index, value, lo, extent }
    }
}

/// An input with what addressing it needs.
pub struct TensorView<'a> {
    pub data: &'a Tensor,
    /// A bar for each storage element; empty where there are none.
    pub bars: &'a [f64],
    /// The minima below the numbers, laid out like them.
    pub minima: Option<&'a Tensor>,
    pub strides: Vec<i64>,
    pub first: i64,
}

/// What an expression is evaluated with: the inputs, the stages computed so far, the meaning of numbers.
pub struct Machine<'a, L: Lane> {
    pub lane: &'a L,
    pub tensors: &'a [TensorView<'a>],
    /// Stages that are the same for the whole run.
    pub shared: &'a [Option<Plane>],
    /// Stages computed for the present panel.
    pub local: Vec<Option<Plane>>,
    /// Set where an integer came out of something in doubt: integers carry no bars, so what is made of it
    /// is unbounded.
    pub doubt: AtomicBool,
    /// Whether to go on; long reductions look at it.
    pub progress: &'a Progress,
}

impl<L: Lane> Machine<'_, L> {
    /// The values of a stage that was computed before.
    pub fn plane(&self, stage: usize) -> &Plane {
        const EMPTY: &Plane = &Plane { v: Vec::new(), b: Vec::new(), lo: Vec::new(), strides: Vec::new() };
        self.local[stage].as_ref().or(self.shared[stage].as_ref()).unwrap_or(EMPTY)
    }

    /// A machine with nothing computed yet for its panel.
    pub fn new<'a>(
        lane: &'a L,
        tensors: &'a [TensorView<'a>],
        shared: &'a [Option<Plane>],
        stages: usize,
        progress: &'a Progress,
    ) -> Machine<'a, L> {
        let doubt = AtomicBool::new(false);
        Machine { lane, tensors, shared, local: vec![None; stages], doubt, progress }
    }

    /// Says that an integer came out of something in doubt.
    pub fn doubted(&self) {
        self.doubt.store(true, Ordering::Relaxed);
    }

    /// Makes bars unbounded if integers were in doubt since the last call.
    pub fn settle_doubt(&self, bars: &mut [f64]) {
        if self.take_doubt() {
            bars.fill(f64::INFINITY);
        }
    }

    /// Whether integers were in doubt since the last call.
    pub fn take_doubt(&self) -> bool {
        self.doubt.swap(false, Ordering::Relaxed)
    }

    /// The value of an expression; lanes that `mask` leaves out do not count.
    pub fn eval(&self, code: &Code, block: &Block, mask: Option<&[Truth]>) -> Result<Val, Trouble> {
        match &code.kind {
            CodeKind::Int(v) => Ok(Val::Int(Ints::Uniform(*v))),
            CodeKind::Real(v) => Ok(Val::Real(Reals::uniform(self.lane.constant(*v), L::SECOND))),
            CodeKind::Bool(v) => Ok(Val::Bool(Truths::Uniform(Truth::from(*v)))),
            CodeKind::Var(var) => Ok(Val::Int(block.var(*var).clone())),
            CodeKind::Read(read) => self.read(read, code.ty, block, mask),
            CodeKind::If(parts) => {
                self.conditional(parts, block, mask, &|code, mask| self.eval(code, block, mask))
            }
            CodeKind::Apply(func, args) => match (func, code.ty) {
                (Func::And | Func::Or, _) => self.junction(*func, args, block, mask),
                (Func::Not, _) => {
                    let inner = self.truths(&args[0], block, mask)?;
                    Ok(Val::Bool(inner.negated()))
                }
                (func, _) if func.compares() => self.comparison(*func, args, block, mask),
                (_, Ty::Int) => self.integer(*func, args, block, mask).map(Val::Int),
                _ => self.real(*func, args, block, mask).map(Val::Real),
            },
        }
    }

    /// An expression as real numbers. An integer that was just cut from a real, or is chosen among such, keeps its
    /// error bar here.
    pub fn reals(&self, code: &Code, block: &Block, mask: Option<&[Truth]>) -> Result<Reals, Trouble> {
        let value = match &code.kind {
            CodeKind::Apply(Func::ToInt, args) => {
                let inner = self.reals(&args[0], block, mask)?;
                return Ok(self.lane.unary(Func::Trunc, inner));
            }
            CodeKind::Apply(func @ (Func::Min | Func::Max), args) if is_cut(code) => {
                let [a, b] = [0, 1].map(|at| self.numbers(&args[at], block, mask));
                let (a, b) = (a?.spread(block.n), b?.spread(block.n));
                return Ok(self.lane.binary(*func, a, &b));
            }
            CodeKind::If(parts) if is_cut(code) => self.conditional(parts, block, mask, &|code, mask| {
                self.reals(code, block, mask).map(Val::Real)
            })?,
            _ => self.eval(code, block, mask)?,
        };
        match value {
            Val::Real(reals) => Ok(reals),
            Val::Int(ints) => {
                let mut reals = whole::<L>(&ints, block.n);
                if L::DOUBTS
                    && let Some(magnitudes) = self.parts(code, block, mask)?
                {
                    self.lane.added_up(&magnitudes, &mut reals);
                }
                Ok(reals)
            }
            Val::Bool(truths) => {
                let v = (0..block.n).map(|lane| f64::from(truths.at(lane) & 1)).collect();
                Ok(Reals { v, b: if L::SECOND { vec![0.0; block.n] } else { Vec::new() } })
            }
        }
    }

    /// The same, with an integer that may be any in the place of a NaN. What an integer of 32 bits may not hold is in
    /// doubt too: languages cut it to different ones.
    fn numbers(&self, code: &Code, block: &Block, mask: Option<&[Truth]>) -> Result<Reals, Trouble> {
        let mut reals = self.reals(code, block, mask)?;
        let long = |(v, b): (&f64, &f64)| *b > 0.0 && v.abs() + b >= ktwin_num::pow2(31);
        if L::DOUBTS && (reals.v.iter().any(|v| v.is_nan()) || reals.v.iter().zip(&reals.b).any(long)) {
            self.doubted();
        }
        reals.v.iter_mut().filter(|value| value.is_nan()).for_each(|value| *value = 0.0);
        Ok(reals)
    }

    /// The magnitudes of what a sum of integers adds up, where that are data at least twice.
    fn parts(&self, code: &Code, block: &Block, mask: Option<&[Truth]>) -> Result<Option<Vec<f64>>, Trouble> {
        let mut parts = Vec::new();
        code.parts(&mut parts);
        if parts.iter().filter(|part| part.reads()).count() < 2 {
            return Ok(None);
        }
        let mut magnitudes = vec![0.0; block.n];
        for part in parts {
            let ints = self.ints(part, block, mask)?;
            magnitudes.iter_mut().zip(ints.to_reals(block.n)).for_each(|(sum, v)| *sum += v.abs());
        }
        Ok(Some(magnitudes))
    }

    /// An expression as integers.
    pub fn ints(&self, code: &Code, block: &Block, mask: Option<&[Truth]>) -> Result<Ints, Trouble> {
        match self.eval(code, block, mask)? {
            Val::Int(ints) => Ok(ints),
            Val::Real(reals) => Ok(Ints::Column(reals.spread(block.n).v.iter().map(|x| *x as i64).collect())),
            Val::Bool(truths) => {
                Ok(Ints::Column((0..block.n).map(|l| i64::from(truths.at(l) & 1)).collect()))
            }
        }
    }

    /// An expression as truth values.
    pub fn truths(&self, code: &Code, block: &Block, mask: Option<&[Truth]>) -> Result<Truths, Trouble> {
        match self.eval(code, block, mask)? {
            Val::Bool(truths) => Ok(truths),
            _ => Ok(Truths::Uniform(FALSE)),
        }
    }

    /// One of two branches in each lane, each evaluated by `eval`.
    fn conditional(
        &self,
        parts: &[Code; 3],
        block: &Block,
        mask: Option<&[Truth]>,
        eval: &dyn Fn(&Code, Option<&[Truth]>) -> Result<Val, Trouble>,
    ) -> Result<Val, Trouble> {
        let condition = self.truths(&parts[0], block, mask)?;
        if let Some(sure) = sure(&condition, mask) {
            let mut chosen = eval(&parts[if sure { 1 } else { 2 }], mask)?;
            let floor = self.lane.floor();
            if let Val::Real(values) = &mut chosen
                && floor > 0.0
            {
                values.b.iter_mut().for_each(|b| *b = b.max(floor));
            }
            return Ok(chosen);
        }
        let condition = condition.column(block.n);
        let active = |lane: usize| mask.is_none_or(|m| m[lane] & 1 == 1);
        let side = |truth: Truth| -> Vec<Truth> {
            (0..block.n).map(|l| Truth::from(active(l) && (condition[l] & 1 == truth))).collect()
        };
        let a = eval(&parts[1], Some(&side(TRUE)))?;
        let b = eval(&parts[2], Some(&side(FALSE)))?;
        self.select(Truths::Column(condition), a, b, block.n)
    }

    /// One of two values in each lane.
    pub fn select(&self, condition: Truths, a: Val, b: Val, n: usize) -> Result<Val, Trouble> {
        match (a, b) {
            (Val::Int(a), Val::Int(b)) => {
                let pick = |lane: usize| if condition.at(lane) & 1 == 1 { a.at(lane) } else { b.at(lane) };
                if (0..n).any(|lane| condition.at(lane) & EITHER != 0 && a.at(lane) != b.at(lane)) {
                    self.doubted();
                }
                Ok(Val::Int(Ints::Column((0..n).map(pick).collect())))
            }
            (Val::Bool(a), Val::Bool(b)) => {
                let pick = |lane: usize| {
                    let (c, a, b) = (condition.at(lane), a.at(lane), b.at(lane));
                    let picked = if c & 1 == 1 { a } else { b };
                    if c & EITHER != 0 && a != b { picked | EITHER } else { picked }
                };
                Ok(Val::Bool(Truths::Column((0..n).map(pick).collect())))
            }
            (a, b) => {
                let (a, b) = (as_reals::<L>(a, n).spread(n), as_reals::<L>(b, n).spread(n));
                Ok(Val::Real(self.lane.select(&condition.column(n), a, &b)))
            }
        }
    }

    fn junction(
        &self,
        func: Func,
        args: &[Code],
        block: &Block,
        mask: Option<&[Truth]>,
    ) -> Result<Val, Trouble> {
        let left = self.truths(&args[0], block, mask)?;
        let decided = if func == Func::And { FALSE } else { TRUE };
        if let Truths::Uniform(v) = left
            && v & EITHER == 0
        {
            return match v == decided {
                true => Ok(Val::Bool(left)),
                false => self.eval(&args[1], block, mask),
            };
        }
        let open: Vec<Truth> = (0..block.n)
            .map(|l| Truth::from(mask.is_none_or(|m| m[l] & 1 == 1) && (left.at(l) & 1 != decided)))
            .collect();
        let right = self.truths(&args[1], block, Some(&open))?;
        let joined = (0..block.n).map(|lane| {
            let (a, b) = (left.at(lane), right.at(lane));
            let value = if func == Func::And { a & b & 1 } else { (a | b) & 1 };
            let settled = |t: Truth| t & EITHER == 0 && t & 1 == decided;
            let doubt = (a | b) & EITHER != 0 && !settled(a) && !settled(b);
            value | if doubt { EITHER } else { 0 }
        });
        Ok(Val::Bool(Truths::Column(joined.collect())))
    }

    fn comparison(
        &self,
        func: Func,
        args: &[Code],
        block: &Block,
        mask: Option<&[Truth]>,
    ) -> Result<Val, Trouble> {
        if args[0].ty == Ty::Int {
            let (a, b) = (self.ints(&args[0], block, mask)?, self.ints(&args[1], block, mask)?);
            return Ok(Val::Bool(ints::comparison(func, &a, &b, block.n)));
        }
        let (a, b) = self.pair(args, block, mask)?;
        let mut truths = self.lane.compare(func, &a, &b);
        if crate::sign::is_settled(func, &args[0], &args[1]) {
            // what may overflow may become NaN
            let finite = |of: &Reals, lane: usize| {
                let lane = lane.min(of.len() - 1);
                of.v[lane].is_finite() && of.b.get(lane).is_none_or(|bar| bar.is_finite())
            };
            let lanes = truths.iter_mut().enumerate();
            lanes.filter(|(l, _)| finite(&a, *l) && finite(&b, *l)).for_each(|(_, truth)| *truth &= TRUE);
        }
        Ok(Val::Bool(if truths.len() == 1 { Truths::Uniform(truths[0]) } else { Truths::Column(truths) }))
    }
}

/// What a condition is in every lane that counts, where that is sure.
fn sure(condition: &Truths, mask: Option<&[Truth]>) -> Option<bool> {
    match condition {
        Truths::Uniform(v) => (v & EITHER == 0).then_some(v & 1 == 1),
        Truths::Column(values) => {
            let active = |lane: usize| mask.is_none_or(|m| m[lane] & 1 == 1);
            let mut seen = values.iter().enumerate().filter(|(lane, _)| active(*lane)).map(|(_, v)| *v);
            let first = seen.next()?;
            (first & EITHER == 0 && seen.all(|v| v == first)).then_some(first == TRUE)
        }
    }
}

fn whole<L: Lane>(ints: &Ints, n: usize) -> Reals {
    let v = ints.to_reals(n);
    let b = if L::SECOND { vec![0.0; v.len()] } else { Vec::new() };
    Reals { v, b }
}

fn as_reals<L: Lane>(val: Val, n: usize) -> Reals {
    match val {
        Val::Real(reals) => reals,
        Val::Int(ints) => whole::<L>(&ints, n),
        Val::Bool(_) => Reals::default(),
    }
}

/// Whether an integer is cut from a real, or may be one that is: of those the bars are kept.
pub fn is_cut(code: &Code) -> bool {
    match &code.kind {
        CodeKind::Apply(Func::ToInt, _) => true,
        CodeKind::Apply(Func::Min | Func::Max, args) if code.ty == Ty::Int => args.iter().any(is_cut),
        CodeKind::If(parts) if code.ty == Ty::Int => parts[1..].iter().any(is_cut),
        _ => false,
    }
}
