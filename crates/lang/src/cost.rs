//! The cost of a case: its floating-point operations, and the fewest bytes that must move. Counted from the
//! stages; where a
//! condition over indices decides, at sample points of its space.

use std::collections::BTreeMap;

use ktwin_num::{DType, math};

use crate::case::{Axis, BoundKind, BoundStage, Case};
use crate::code::{Code, CodeKind, Compiler, Index, ReadCode, walk};
use crate::fold;
use crate::func::Func;
use crate::node::{Fold, Source, Ty};
use crate::op::{Role, Value};

/// Points of a space at which conditions are looked at; smaller spaces are walked whole.
const SAMPLES: usize = 4096;

/// What a case costs.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Cost {
    /// Additions, multiplications, divisions, powers, minima, maxima and calls of functions. Comparisons,
    /// negations and
    /// conversions are not counted.
    pub flops: f64,
    /// How many of them are calls of each function, by name.
    pub calls: BTreeMap<&'static str, f64>,
    /// Bytes of inputs that must be read, each once.
    pub read: f64,
    /// Bytes of outputs that must be written.
    pub written: f64,
    /// Whether data decide what is computed, so that the figures are what it may take at most.
    pub at_most: bool,
}

impl Cost {
    /// The fewest bytes that must move.
    pub fn bytes(&self) -> f64 {
        self.read + self.written
    }
}

impl Case<'_> {
    /// The cost with inputs and outputs of these storage types, in the op's order.
    pub fn cost(&self, inputs: &[DType], outputs: &[DType]) -> Cost {
        let mut count = Count { reads: vec![0.0; self.input_shapes.len()], ..Count::default() };
        let mut kept = vec![0.0; self.op.outputs.len()];
        for (number, stage) in self.stages.iter().enumerate() {
            let outputs = self.op.output_stages.iter().zip(&self.op.outputs).enumerate();
            let in_place = outputs.filter(|(_, (s, info))| **s == number && info.role == Role::InPlace);
            let keeps: Vec<usize> = in_place.filter_map(|(_, (_, info))| self.op.input(&info.name)).collect();
            // the evaluator drops conditions that no read needs; a kernel saves the work all the same
            let stage = &BoundStage { guard: self.guard(number), ..stage.clone() };
            let points = Points::of(stage);
            count.kept = 0.0;
            count.stage(stage, &points, keeps.first().copied());
            for (at, s) in self.op.output_stages.iter().enumerate() {
                kept[at] = if *s == number { count.kept } else { kept[at] };
            }
        }
        let sizes = |shapes: &[Vec<usize>]| -> Vec<f64> {
            shapes.iter().map(|shape| shape.iter().product::<usize>() as f64).collect()
        };
        let read = sizes(&self.input_shapes).into_iter().zip(&count.reads).map(|(size, n)| size.min(*n));
        let written = sizes(&self.output_shapes).into_iter().zip(kept).map(|(size, kept)| size - kept);
        let bytes =
            |counts: Vec<f64>, types: &[DType]| counts.iter().zip(types).map(|(n, t)| n * width(*t)).sum();
        Cost {
            flops: count.flops.round(),
            calls: count.calls,
            read: bytes(read.collect(), inputs),
            written: bytes(written.collect(), outputs),
            at_most: count.at_most,
        }
    }
}

impl Case<'_> {
    /// The condition under which a stage is needed.
    fn guard(&self, stage: usize) -> Option<Code> {
        let guard = self.op.stages[stage].guard.as_ref()?;
        let spaces: Vec<Vec<Axis>> = self.stages.iter().map(|s| s.space.clone()).collect();
        let (inputs, stages) = (&self.input_shapes, &self.stages);
        let compiler = Compiler { inputs, spaces: &spaces, stages, axes: &spaces[stage] };
        Some(compiler.compile(&fold::bind(guard, &self.known())))
    }
}

/// Bytes of one element.
fn width(dtype: DType) -> f64 {
    dtype.bytes_per_block() as f64 / dtype.elements_per_block() as f64
}

/// Points of a stage's space (and of what it reduces over), each standing for `weight` of them.
struct Points {
    vars: Vec<usize>,
    places: Vec<Vec<i64>>,
    weight: f64,
    /// Elements of the space alone.
    space: f64,
}

impl Points {
    fn of(stage: &BoundStage) -> Points {
        let mut axes = stage.space.clone();
        if let BoundKind::Reduce { over, .. } = &stage.kind {
            axes.extend(over);
        }
        let size = |axes: &[Axis]| axes.iter().map(|a| a.extent as f64).product::<f64>();
        let (total, vars) = (size(&axes), axes.iter().map(|a| a.var).collect());
        let places: Vec<Vec<i64>> = match () {
            _ if total == 0.0 => Vec::new(),
            _ if !branches(stage) => vec![axes.iter().map(|a| a.lo).collect()],
            _ if total <= SAMPLES as f64 => (0..total as usize).map(|at| place(&axes, at)).collect(),
            _ => (0..SAMPLES).map(|at| spread(&axes, at)).collect(),
        };
        let weight = if places.is_empty() { 0.0 } else { total / places.len() as f64 };
        Points { vars, places, weight, space: size(&stage.space) }
    }
}

/// The place of this number in row-major order.
fn place(axes: &[Axis], mut at: usize) -> Vec<i64> {
    let mut out: Vec<i64> = Vec::new();
    for axis in axes.iter().rev() {
        out.push(axis.lo + (at % axis.extent) as i64);
        at /= axis.extent;
    }
    out.reverse();
    out
}

/// The place of this number in a sequence that fills the space evenly: each coordinate steps by its own
/// irrational
/// share of its extent, powers of the root of `x^(d + 1) = x + 1`.
fn spread(axes: &[Axis], at: usize) -> Vec<i64> {
    let power = 1.0 / (axes.len() as f64 + 1.0);
    let root = (0..64).fold(1.5f64, |x, _| math::pow(1.0 + x, power));
    let mut share = 1.0;
    let coordinate = |axis: &Axis| {
        share /= root;
        let part = (0.5 + at as f64 * share).fract();
        axis.lo + ((part * axis.extent as f64) as i64).min(axis.extent as i64 - 1)
    };
    axes.iter().map(coordinate).collect()
}

/// Whether anything in a stage depends on where in its space it is.
fn branches(stage: &BoundStage) -> bool {
    let mut found = stage.guard.is_some();
    let mut look = |code: &Code| {
        walk(code, &mut |c| {
            found |= match &c.kind {
                CodeKind::If(_) => true,
                CodeKind::Read(read) => read.otherwise.is_some(),
                _ => false,
            };
        })
    };
    match &stage.kind {
        BoundKind::Map(code) => look(code),
        BoundKind::Reduce { condition, term, .. } => {
            look(term);
            found |= condition.is_some();
        }
    }
    found
}

type Place<'p> = &'p [i64];

#[derive(Clone, Default)]
struct Count {
    flops: f64,
    calls: BTreeMap<&'static str, f64>,
    reads: Vec<f64>,
    /// Elements of an in-place output that stay as they are.
    kept: f64,
    at_most: bool,
}

/// Where in a stage the count is: its variables, what a point stands for, the input it may leave untouched.
#[derive(Clone, Copy)]
struct Around<'a> {
    vars: &'a [usize],
    weight: f64,
    keeps: Option<usize>,
}

impl Count {
    fn stage(&mut self, stage: &BoundStage, points: &Points, keeps: Option<usize>) {
        let around = Around { vars: &points.vars, weight: points.weight, keeps };
        let mut places: Vec<Place> = points.places.iter().map(Vec::as_slice).collect();
        if let Some(guard) = &stage.guard {
            let (yes, _, open) = split(guard, &places, around);
            self.at_most |= !open.is_empty();
            places = [yes, open].concat();
        }
        match &stage.kind {
            BoundKind::Map(code) => self.code(code, &places, around),
            BoundKind::Reduce { fold, condition, term, .. } => {
                let around = Around { keeps: None, ..around };
                if let Some(condition) = condition {
                    self.code(condition, &places, around);
                    let (yes, _, open) = split(condition, &places, around);
                    self.at_most |= !open.is_empty();
                    places = [yes, open].concat();
                }
                self.code(term, &places, around);
                if term.ty == Ty::Real && *fold != Fold::Any {
                    self.flops += places.len() as f64 * around.weight;
                    self.flops += if *fold == Fold::Mean { points.space } else { 0.0 };
                }
            }
        }
    }

    fn code(&mut self, code: &Code, places: &[Place], around: Around) {
        if places.is_empty() {
            return;
        }
        match &code.kind {
            CodeKind::Read(read) => self.read(read, places, around),
            CodeKind::Apply(func, args) => {
                let inner = Around { keeps: None, ..around };
                args.iter().for_each(|a| self.code(a, places, inner));
                self.operation(*func, code, args, places.len() as f64 * around.weight);
            }
            CodeKind::If(parts) => {
                self.code(&parts[0], places, Around { keeps: None, ..around });
                let (yes, no, open) = split(&parts[0], places, around);
                self.code(&parts[1], &yes, around);
                self.code(&parts[2], &no, around);
                self.dearer(&parts[1], &parts[2], &open, around);
            }
            _ => {}
        }
    }

    /// Where data decide, the branch that costs more.
    fn dearer(&mut self, a: &Code, b: &Code, places: &[Place], around: Around) {
        if places.is_empty() {
            return;
        }
        let branch = |code: &Code| {
            let mut count = self.clone();
            count.code(code, places, around);
            count
        };
        let (a, b) = (branch(a), branch(b));
        let size = |c: &Count| (c.flops, c.reads.iter().sum::<f64>());
        *self = if size(&a) >= size(&b) { a } else { b };
        self.at_most = true;
    }

    fn read(&mut self, read: &ReadCode, places: &[Place], around: Around) {
        let inner = Around { keeps: None, ..around };
        read.indices.iter().for_each(|i| self.code(&i.code, places, inner));
        let mut inside = places.to_vec();
        if let Some(otherwise) = &read.otherwise {
            let (within, outside): (Vec<Place>, Vec<Place>) =
                places.iter().partition(|place| may_be_inside(read, around.vars, place));
            self.code(otherwise, &outside, inner);
            inside = within;
        }
        let Source::Tensor(tensor) = read.source else { return };
        let amount = inside.len() as f64 * around.weight;
        match around.keeps == Some(tensor) && in_place(read, around.vars) {
            true => self.kept += amount,
            false => self.reads[tensor] += amount,
        }
    }

    fn operation(&mut self, func: Func, code: &Code, args: &[Code], amount: f64) {
        if !counts(func) || code.ty != Ty::Real || args.iter().all(|a| a.ty != Ty::Real) && func != Func::Div
        {
            return;
        }
        self.flops += amount;
        if let Some(name) = func.name() {
            *self.calls.entry(name).or_default() += amount;
        }
    }
}

/// Whether an operation on reals is counted.
pub(crate) fn counts(func: Func) -> bool {
    !matches!(func, Func::Neg | Func::Abs | Func::Sign | Func::ToReal | Func::ToInt)
}

/// Where a condition over indices holds, where it does not, and where data decide.
fn split<'p>(
    condition: &Code,
    places: &[Place<'p>],
    around: Around,
) -> (Vec<Place<'p>>, Vec<Place<'p>>, Vec<Place<'p>>) {
    let mut out = (Vec::new(), Vec::new(), Vec::new());
    for place in places {
        match value(condition, around.vars, place) {
            Some(Value::Bool(true)) => out.0.push(*place),
            Some(Value::Bool(false)) => out.1.push(*place),
            _ => out.2.push(*place),
        }
    }
    out
}

/// The value of an expression over indices; none where data decide.
fn value(code: &Code, vars: &[usize], place: Place) -> Option<Value> {
    match &code.kind {
        CodeKind::Int(v) => Some(Value::Int(*v)),
        CodeKind::Real(v) => Some(Value::Real(*v)),
        CodeKind::Bool(v) => Some(Value::Bool(*v)),
        CodeKind::Var(var) => Some(Value::Int(place[vars.iter().position(|v| v == var)?])),
        CodeKind::Read(_) => None,
        CodeKind::If(parts) => match value(&parts[0], vars, place)? {
            Value::Bool(true) => value(&parts[1], vars, place),
            _ => value(&parts[2], vars, place),
        },
        CodeKind::Apply(func, args) => {
            let first = value(&args[0], vars, place);
            match (func, first) {
                (Func::And, Some(Value::Bool(false))) => return Some(Value::Bool(false)),
                (Func::Or, Some(Value::Bool(true))) => return Some(Value::Bool(true)),
                _ => {}
            }
            let rest = args[1..].iter().map(|a| value(a, vars, place));
            let all: Option<Vec<Value>> = std::iter::once(first).chain(rest).collect();
            fold::apply(*func, &all?)
        }
    }
}

/// Whether a padded read may fall inside what it reads.
fn may_be_inside(read: &ReadCode, vars: &[usize], place: Place) -> bool {
    read.indices.iter().zip(&read.bounds).all(|(index, (lo, extent))| match value(&index.code, vars, place) {
        Some(Value::Int(at)) => (*lo..*lo + *extent as i64).contains(&at),
        _ => true,
    })
}

/// Whether a read is of the very element that is written.
fn in_place(read: &ReadCode, vars: &[usize]) -> bool {
    let same = |(index, var): (&Index, &usize)| matches!(index.code.kind, CodeKind::Var(v) if v == *var);
    read.indices.len() <= vars.len() && read.indices.iter().zip(vars).all(same)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::op::Op;

    fn cost(text: &str, dims: &[(&str, i64)]) -> Cost {
        let op = Op::parse("a.op", text).unwrap_or_else(|e| panic!("{e}"));
        let case = op.bind(dims, &[]).unwrap();
        case.cost(&vec![DType::F32; op.inputs.len()], &vec![DType::F32; op.outputs.len()])
    }

    #[test]
    fn a_product_of_matrices() {
        let text = "op a(a[M, K], b[K, N]) -> c[M, N]\n\nc[m, n] = sum[k](a[m, k] * b[k, n])";
        let cost = cost(text, &[("M", 8), ("K", 16), ("N", 4)]);
        assert_eq!((cost.flops, cost.at_most), (2.0 * 8.0 * 16.0 * 4.0, false));
        assert_eq!(cost.bytes(), 4.0 * (8.0 * 16.0 + 16.0 * 4.0 + 8.0 * 4.0));
    }

    #[test]
    fn gathers_read_rows_and_conditions_cut() {
        let gather = "op a(ids[T] in 0..V, table[V, D]) -> y[T, D]\n\ny[t, d] = table[ids[t], d]";
        let bytes = cost(gather, &[("T", 2), ("V", 1000), ("D", 8)]);
        assert_eq!((bytes.flops, bytes.read, bytes.written), (0.0, 4.0 * (2.0 + 16.0), 64.0));
        let scan = "op a(x[N]) -> y[N]\n\ny[n] = sum[m in N where m <= n](x[m])";
        assert_eq!(cost(scan, &[("N", 10)]).flops, 55.0);
        let large = cost(scan, &[("N", 1000)]).flops;
        assert!((large / 500_500.0 - 1.0).abs() < 0.005, "{large}");
        let choice = "op a(x[N]) -> y[N]\n\ny[n] = if x[n] > 0 then exp(x[n]) + 1 else 0";
        let most = cost(choice, &[("N", 10)]);
        assert_eq!((most.flops, most.at_most, most.calls["exp"]), (20.0, true, 10.0));
    }

    #[test]
    fn a_causal_attention_costs_half() {
        let text = "op a(q[H, S, D], k[H, S, D]) -> z[H, S, S]\n\n\
            z[h, s, t in S] = if t > s then 0.0 else sum[d](q[h, s, d] * k[h, t, d])";
        let cost = cost(text, &[("H", 4), ("S", 512), ("D", 64)]).flops;
        let exact = 4.0 * (512.0 * 513.0 / 2.0) * 64.0 * 2.0;
        assert!((cost / exact - 1.0).abs() < 0.005, "{cost} {exact}");
    }

    #[test]
    fn what_stays_in_place_moves_nothing() {
        let write =
            "op a(c[T, D], x[S, D]) -> c[T, D]\nwhere S <= T\n\nc[t, d] = if t < S then x[t, d] else c[t, d]";
        let cost = cost(write, &[("T", 100), ("S", 2), ("D", 4)]);
        assert_eq!((cost.read, cost.written), (32.0, 32.0));
    }
}
