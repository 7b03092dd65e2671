//! Bound expressions in the form the evaluator walks: indices as affine forms where they are, reads known
//! to stay inside
//! told apart from those that must be checked.

use crate::bits::Bit;
use crate::case::{Axis, BoundStage};
use crate::diagnostic::Span;
use crate::fold::function_of_integers;
use crate::func::Func;
use crate::node::{Node, NodeKind, Source, Ty};

/// A bound expression.
#[derive(Clone, Debug)]
pub(crate) struct Code {
    pub kind: CodeKind,
    pub ty: Ty,
    /// How many terms it adds up, where it is a sum or such a one with a constant factor; else 1.
    pub terms: usize,
    /// Whether no honest kernel computes it as less than zero.
    pub above: bool,
}

#[derive(Clone, Debug)]
pub(crate) enum CodeKind {
    Int(i64),
    Real(f64),
    Bool(bool),
    Var(usize),
    Read(Box<ReadCode>),
    Apply(Func, Vec<Code>),
    If(Box<[Code; 3]>),
}

impl Code {
    /// What a sum of integers adds up, signs aside; itself alone where it is none.
    pub fn parts<'c>(&'c self, out: &mut Vec<&'c Code>) {
        match &self.kind {
            CodeKind::Apply(Func::Add | Func::Sub | Func::Neg, args) if self.ty == Ty::Int => {
                args.iter().for_each(|arg| arg.parts(out));
            }
            _ => out.push(self),
        }
    }

    /// Whether an input or another stage is read in it.
    pub fn reads(&self) -> bool {
        let mut reads = false;
        walk(self, &mut |code| reads |= matches!(code.kind, CodeKind::Read(_)));
        reads
    }
}

/// A read of an input or of another stage.
#[derive(Clone, Debug)]
pub(crate) struct ReadCode {
    pub source: Source,
    pub indices: Vec<Index>,
    /// First value and extent of each dimension of what is read.
    pub bounds: Vec<(i64, usize)>,
    /// Whether no index can leave its bounds, whatever the variables are.
    pub inside: bool,
    pub otherwise: Option<Code>,
    /// Whether what is read is a factor of a sum's terms.
    pub factor: bool,
    /// Whether what is read goes into an operation, rather than being handed on.
    pub operand: bool,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub(crate) struct Index {
    pub affine: Option<Affine>,
    pub code: Code,
}

/// `constant + sum of coefficient * variable`
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Affine {
    pub constant: i64,
    pub terms: Vec<(usize, i64)>,
}

impl Affine {
    /// The factor of a variable.
    pub fn coefficient(&self, var: usize) -> i64 {
        self.terms.iter().find(|(v, _)| *v == var).map_or(0, |(_, c)| *c)
    }

    fn add(mut self, other: Affine, sign: i64) -> Option<Affine> {
        self.constant = self.constant.checked_add(other.constant.checked_mul(sign)?)?;
        for (var, coefficient) in other.terms {
            let coefficient = coefficient.checked_mul(sign)?;
            match self.terms.iter_mut().find(|(v, _)| *v == var) {
                Some((_, have)) => *have = have.checked_add(coefficient)?,
                None => self.terms.push((var, coefficient)),
            }
        }
        self.terms.retain(|(_, c)| *c != 0);
        Some(self)
    }

    fn scale(mut self, by: i64) -> Option<Affine> {
        self.constant = self.constant.checked_mul(by)?;
        for (_, coefficient) in &mut self.terms {
            *coefficient = coefficient.checked_mul(by)?;
        }
        self.terms.retain(|(_, c)| *c != 0);
        Some(self)
    }
}

/// The affine form of an integer expression, where it has one.
pub(crate) fn affine(code: &Code) -> Option<Affine> {
    match &code.kind {
        CodeKind::Int(v) => Some(Affine { constant: *v, terms: Vec::new() }),
        CodeKind::Var(var) => Some(Affine { constant: 0, terms: vec![(*var, 1)] }),
        CodeKind::Apply(Func::Neg, args) => affine(&args[0])?.scale(-1),
        CodeKind::Apply(func @ (Func::Add | Func::Sub), args) => {
            let sign = if *func == Func::Add { 1 } else { -1 };
            affine(&args[0])?.add(affine(&args[1])?, sign)
        }
        CodeKind::Apply(Func::Mul, args) => {
            let (a, b) = (affine(&args[0])?, affine(&args[1])?);
            match (a.terms.is_empty(), b.terms.is_empty()) {
                (true, _) => b.scale(a.constant),
                (_, true) => a.scale(b.constant),
                _ => None,
            }
        }
        CodeKind::Apply(Func::IntDiv, args) if matches!(args[1].kind, CodeKind::Int(1)) => affine(&args[0]),
        _ => None,
    }
}

/// The least and the greatest value of an integer expression over a box of its variables, where that is
/// known.
pub(crate) fn interval(code: &Code, axes: &dyn Fn(usize) -> Option<(i64, i64)>) -> Option<(i64, i64)> {
    match &code.kind {
        CodeKind::Int(v) => Some((*v, *v)),
        CodeKind::Var(var) => axes(*var),
        CodeKind::If(parts) => {
            let (a, b) = (interval(&parts[1], axes)?, interval(&parts[2], axes)?);
            Some((a.0.min(b.0), a.1.max(b.1)))
        }
        CodeKind::Apply(func, args) => {
            let parts = args.iter().map(|a| interval(a, axes)).collect::<Option<Vec<_>>>()?;
            interval_apply(*func, &parts)
        }
        _ => None,
    }
}

fn interval_apply(func: Func, args: &[(i64, i64)]) -> Option<(i64, i64)> {
    match (func, args) {
        (Func::Neg, [(lo, hi)]) => Some((hi.checked_neg()?, lo.checked_neg()?)),
        (Func::Mod, [_, (m, n)]) if m == n && *m > 0 => Some((0, m - 1)),
        (Func::Add | Func::Sub | Func::Mul | Func::Min | Func::Max, [a, b]) => corners(func, *a, *b),
        (Func::IntDiv, [a, b]) if b.0 > 0 => corners(func, *a, *b),
        (Func::Wrap { bits: bits @ 1..=32, signed: false }, _) => Some((0, (1 << bits) - 1)),
        (Func::Bit(Bit::Field), [_, _, (1.., count @ ..=32)]) => Some((0, (1 << count) - 1)),
        (Func::Bit(Bit::And), [_, (0.., top)] | [(0.., top), _]) => Some((0, *top)),
        (Func::Bit(Bit::Shr), [a, b]) if b.0 >= 0 => corners(func, *a, *b),
        _ => None,
    }
}

/// The range of an operation that takes its extremes at the corners.
fn corners(func: Func, a: (i64, i64), b: (i64, i64)) -> Option<(i64, i64)> {
    let mut out: Option<(i64, i64)> = None;
    for (x, y) in [(a.0, b.0), (a.0, b.1), (a.1, b.0), (a.1, b.1)] {
        let value = function_of_integers(func, &[x, y])?;
        out = Some(out.map_or((value, value), |(lo, hi)| (lo.min(value), hi.max(value))));
    }
    out
}

/// Whether no read in this expression can leave its tensor.
pub(crate) fn safe(code: &Code) -> bool {
    let mut safe = true;
    walk(code, &mut |c| {
        if let CodeKind::Read(read) = &c.kind {
            safe &= read.inside || read.otherwise.is_some();
        }
    });
    safe
}

/// Calls `see` on an expression and all below it, indices of reads included.
pub(crate) fn walk<'a>(code: &'a Code, see: &mut dyn FnMut(&'a Code)) {
    see(code);
    match &code.kind {
        CodeKind::Read(read) => {
            read.indices.iter().for_each(|i| walk(&i.code, see));
            read.otherwise.iter().for_each(|o| walk(o, see));
        }
        CodeKind::Apply(_, args) => args.iter().for_each(|a| walk(a, see)),
        CodeKind::If(parts) => parts.iter().for_each(|p| walk(p, see)),
        _ => {}
    }
}

/// The variables an expression uses.
pub(crate) fn vars(code: &Code) -> Vec<usize> {
    let mut out = Vec::new();
    walk(code, &mut |c| {
        if let CodeKind::Var(var) = c.kind
            && !out.contains(&var)
        {
            out.push(var);
        }
    });
    out
}

/// Compiles bound nodes of one stage.
pub(crate) struct Compiler<'a> {
    pub inputs: &'a [Vec<usize>],
    /// The index ranges of every stage, also of those that are not bound yet.
    pub spaces: &'a [Vec<Axis>],
    pub stages: &'a [BoundStage],
    pub axes: &'a [Axis],
}

impl Compiler<'_> {
    pub fn compile(&self, node: &Node) -> Code {
        let kind = match &node.kind {
            NodeKind::Int(v) => CodeKind::Int(*v),
            NodeKind::Real(v) => CodeKind::Real(*v),
            NodeKind::Bool(v) => CodeKind::Bool(*v),
            NodeKind::Var(var) => CodeKind::Var(*var),
            NodeKind::Read(read) => CodeKind::Read(Box::new(self.read(read, node.span))),
            NodeKind::Apply(func, args) => {
                CodeKind::Apply(*func, args.iter().map(|a| self.compile(a)).collect())
            }
            NodeKind::If(parts) => {
                let [c, a, b] = parts.as_ref();
                CodeKind::If(Box::new([self.compile(c), self.compile(a), self.compile(b)]))
            }
            // bound and hoisted before this point
            NodeKind::Dim(_) | NodeKind::Scalar(_) | NodeKind::Reduce(_) => CodeKind::Real(f64::NAN),
        };
        let (terms, above) = (self.terms(&kind), kind.above(self.stages));
        Code { kind, ty: node.ty, terms, above }
    }

    fn terms(&self, kind: &CodeKind) -> usize {
        let constant = |code: &Code| matches!(code.kind, CodeKind::Real(_));
        match kind {
            CodeKind::Read(read) => match read.source {
                Source::Stage(at) => self.stages.get(at).map_or(1, |s| s.terms),
                Source::Tensor(_) => 1,
            },
            CodeKind::Apply(Func::Neg, args) => args[0].terms,
            CodeKind::Apply(Func::Add | Func::Sub, args) => args[0].terms.saturating_add(args[1].terms),
            CodeKind::Apply(Func::Mul, args) if constant(&args[0]) => args[1].terms,
            CodeKind::Apply(Func::Mul, args) if constant(&args[1]) => args[0].terms,
            _ => 1,
        }
    }

    fn read(&self, read: &crate::node::Read, span: Span) -> ReadCode {
        let indices: Vec<Index> = read
            .indices
            .iter()
            .map(|n| {
                let code = self.compile(n);
                Index { affine: affine(&code), code }
            })
            .collect();
        let bounds: Vec<(i64, usize)> = match read.source {
            Source::Tensor(at) => self.inputs[at].iter().map(|size| (0, *size)).collect(),
            Source::Stage(at) => self.spaces[at].iter().map(|axis| (axis.lo, axis.extent)).collect(),
        };
        let ranges = |var: usize| {
            let axis = self.axes.iter().find(|a| a.var == var)?;
            Some((axis.lo, axis.lo + axis.extent as i64 - 1))
        };
        let inside = indices.iter().zip(&bounds).all(|(index, (first, extent))| {
            interval(&index.code, &ranges).is_some_and(|(lo, hi)| lo >= *first && hi < first + *extent as i64)
        });
        let otherwise = read.otherwise.as_ref().map(|n| self.compile(n));
        ReadCode {
            source: read.source,
            indices,
            bounds,
            inside,
            otherwise,
            factor: false,
            operand: false,
            span,
        }
    }
}

/// Marks what goes into operations: of a whole expression, or (`inner`) of what an operation takes.
pub(crate) fn mark_operands(code: &mut Code, inner: bool) {
    match &mut code.kind {
        CodeKind::Apply(_, args) => args.iter_mut().for_each(|a| mark_operands(a, true)),
        CodeKind::If(parts) => {
            mark_operands(&mut parts[0], true);
            parts[1..].iter_mut().for_each(|p| mark_operands(p, inner));
        }
        CodeKind::Read(read) => {
            read.operand = inner;
            if let Some(otherwise) = &mut read.otherwise {
                mark_operands(otherwise, inner);
            }
        }
        _ => {}
    }
}

/// Marks what a sum's term reads as its factors.
pub(crate) fn mark_factors(term: &mut Code) {
    match &mut term.kind {
        CodeKind::Apply(crate::func::Func::Mul, factors) => factors.iter_mut().for_each(mark_factors),
        CodeKind::Read(read) => read.factor = true,
        _ => {}
    }
}
