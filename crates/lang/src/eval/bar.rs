//! The lane that keeps an error bar beside every value: the most that an honest kernel of the promised rung
//! may differ from
//! it, to first order in the roundoffs. Reductions are in `bar_fold`, functions of one argument in
//! `bar_function`.

use ktwin_num::{Accuracy, DType, Float, Function, Language, accuracy, math};

use super::bar_fold::BarFold;
use super::exact;
use super::lane::{Lane, Products, Reordered};
use super::rung::{CHUNK, Lanes, Rung, padded};
use super::simd::vectorised;
use super::sum_rule::SumRule;
use super::value::{EITHER, Reals, Truth};
use crate::fold::compare;
use crate::func::Func;
use crate::node::Fold;
use crate::rounds::Rounds;
use crate::writing::Writing;

/// Whole exponents up to this are multiplied out by some.
const WHOLE: f64 = 65536.0;

/// What decides bars: the promised rungs, the kernel's language, how inputs were filled, what is rounded
/// further.
#[derive(Clone, Debug)]
pub struct Promise {
    pub language: Language,
    /// Whose functions are as accurate as the kernel's: the language's, or those of a device that promises more.
    pub functions: Language,
    pub compute: Float,
    pub accumulate: Float,
    /// Whether roundings may conspire: sums are then bounded by the worst case.
    pub structured: bool,
    /// What the kernel rounds further.
    pub rounds: Rounds,
    /// Storage of each output; none where it is not rounded.
    pub outputs: Vec<Option<ktwin_num::DType>>,
    /// Storage of each input that holds reals.
    pub inputs: Vec<Option<Float>>,
    /// Whether sums of products of integers that are stored as integers are exact.
    pub integers: bool,
}

/// The value with its error bar.
pub struct Bars {
    pub promise: Promise,
    pub compute: Rung,
    pub sums: SumRule,
    pub(super) divides: Accuracy,
    /// What of its operands' magnitudes a sum of two may be off by.
    slack: f64,
    /// The outputs that come out exactly, in whatever order they are summed up.
    exact: Vec<bool>,
    /// Those of them in which no integer is in doubt either.
    sure: Vec<bool>,
    /// Those that are whole as long as no integer overflows.
    whole: Vec<bool>,
}

/// Another way of writing a formula may round what this one happens to compute exactly, or before it cancels:
/// `a (b - c)` as `a b - a c`, a mean as the sum of scaled terms. So the operands of a sum count as off by so many
/// roundings of their own, wherever there is another way. Products carry that along: one sum is taken apart by it,
/// the square of a sum never is.
const SLACK: f64 = 3.0;

impl Bars {
    pub fn new(promise: Promise, writing: &Writing) -> Bars {
        let several = |rung: Rung| if writing.several { rung.of_several(SLACK * rung.unit) } else { rung };
        let compute = several(Rung::new(promise.compute, promise.language));
        let accumulate = several(Rung::new(promise.accumulate, promise.language));
        let slack = if writing.several { SLACK * compute.unit } else { 0.0 };
        let scaled = if writing.flat { 0.0 } else { slack };
        let sums = SumRule { compute, accumulate, structured: promise.structured, slack: scaled };
        let divides = accuracy(promise.functions, Function::Div, promise.compute);
        let integers =
            promise.outputs.iter().map(|o| promise.integers && matches!(o, Some(DType::Int { .. })));
        let whole = writing.whole(&promise.outputs).into_iter().zip(integers).map(|(whole, is)| whole && is);
        let (whole, exact) = (whole.collect(), writing.exact(&compute, &accumulate));
        let sure = exact.iter().zip(writing.placed()).map(|(exact, placed)| *exact && placed).collect();
        Bars { promise, compute, sums, divides, slack, exact, sure, whole }
    }

    /// Whether there is one operation alone: what it happens to compute exactly, every kernel does.
    pub(super) fn lone(&self) -> bool {
        self.slack == 0.0
    }

    /// Value and bar of `a op b`, lane by lane; `b` may be one number for all. `f` gives them without what underflow
    /// adds, `own` roundings a lane; `infinite` says where an operand is.
    #[inline(always)]
    pub(super) fn zip(
        rung: &Rung,
        (a, b): (&mut Reals, &Reals),
        own: f64,
        f: impl Fn(f64, f64, f64, f64) -> (f64, f64),
        infinite: impl Fn(f64, f64) -> bool,
    ) {
        let (av, v_rest) = a.v.as_chunks_mut();
        let (ab, b_rest) = a.b.as_chunks_mut();
        let (bv, bv_rest) = b.v.as_chunks();
        let (bb, bb_rest) = b.b.as_chunks();
        let one = match (&b.v[..], &b.b[..]) {
            ([y], [by]) => Some(([*y; CHUNK], [*by; CHUNK])),
            _ => None,
        };
        for (at, (av, ab)) in av.iter_mut().zip(ab).enumerate() {
            let b = one.as_ref().map_or_else(|| (&bv[at], &bb[at]), |(v, b)| (v, b));
            Bars::zip_chunk(rung, (av, ab), b, own, &f, &infinite);
        }
        if !v_rest.is_empty() {
            let (mut v, mut bars) = (padded(v_rest, 1.0), padded(b_rest, 0.0));
            let b = one.unwrap_or_else(|| (padded(bv_rest, 1.0), padded(bb_rest, 0.0)));
            Bars::zip_chunk(rung, (&mut v, &mut bars), (&b.0, &b.1), own, &f, &infinite);
            v_rest.copy_from_slice(&v[..v_rest.len()]);
            b_rest.copy_from_slice(&bars[..b_rest.len()]);
        }
    }

    #[inline(always)]
    fn zip_chunk(
        rung: &Rung,
        (av, ab): (&mut Lanes, &mut Lanes),
        (bv, bb): (&Lanes, &Lanes),
        own: f64,
        f: &impl Fn(f64, f64, f64, f64) -> (f64, f64),
        infinite: &impl Fn(f64, f64) -> bool,
    ) {
        let (mut v, mut bar) = ([0.0; CHUNK], [0.0; CHUNK]);
        for i in 0..CHUNK {
            (v[i], bar[i]) = f(av[i], ab[i], bv[i], bb[i]);
        }
        let known = |i: usize| {
            let sure = (ab[i] < f64::INFINITY) & (bb[i] < f64::INFINITY);
            sure & (v[i].is_nan() | infinite(av[i], bv[i]))
        };
        rung.settle_lanes(&v, &mut bar, own, known);
        (*av, *ab) = (v, bar);
    }

    fn linear(&self, a: &mut Reals, b: &Reals, sign: f64) {
        let (rung, slack, lone) = (self.compute, self.slack, self.lone());
        vectorised!(a: &'a mut Reals, b: &'a Reals, rung: Rung, slack: f64, lone: bool, sign: f64 => {
            let f = |x: f64, bx: f64, y: f64, by: f64| {
                let v = x + sign * y;
                let carried = bx + by + slack * (x.abs() + y.abs());
                (v, carried + rung.inexact(v, lone & (carried == 0.0)))
            };
            Bars::zip(&rung, (a, b), 1.0, f, |x, y| x.is_infinite() | y.is_infinite())
        });
    }

    fn product(&self, a: &mut Reals, b: &Reals) {
        let (rung, lone) = (self.compute, self.lone());
        vectorised!(a: &'a mut Reals, b: &'a Reals, rung: Rung, lone: bool => {
            let f = |x: f64, bx: f64, y: f64, by: f64| {
                let v = x * y;
                let carried = x.abs() * by + y.abs() * bx + bx * by;
                let bar = if bx + by == 0.0 { 0.0 } else { carried };
                (v, bar + rung.inexact(v, lone & (bar == 0.0)))
            };
            Bars::zip(&rung, (a, b), 1.0, f, |x, y| x.is_infinite() | y.is_infinite())
        });
    }

    /// What a power may be off by where it is taken as `exp2(e log2 b)`, as libraries do: the roundings of the
    /// exponent there; or, where the exponent is whole, by squaring, which doubles what was rounded before. Of a
    /// negative base WGSL defines no power at all.
    fn rewritten(&self, func: Func, (base, bar): (f64, f64), exponent: f64, v: f64) -> f64 {
        match func {
            Func::Pow if base - bar < 0.0 && self.promise.language == Language::Wgsl => f64::INFINITY,
            Func::Pow if v != 0.0 && v.is_finite() => {
                let whole = exponent.fract() == 0.0 && exponent.abs() <= WHOLE;
                let squared = if whole { (exponent * v).abs() } else { 0.0 };
                self.compute.unit * (3.0 * (v * math::log(v.abs())).abs()).max(squared)
            }
            _ => 0.0,
        }
    }

    /// Functions of two arguments other than arithmetic.
    fn other(&self, func: Func, a: &mut Reals, b: &Reals) {
        let table = match func {
            Func::Pow => accuracy(self.promise.functions, Function::Pow, self.promise.compute),
            Func::Atan2 => accuracy(self.promise.functions, Function::Atan2, self.promise.compute),
            _ => Accuracy::Exact,
        };
        for i in 0..a.v.len() {
            let (x, bx, y, by) = (a.v[i], a.b[i], b.v[i], b.b[i]);
            let v = crate::scalar::binary(func, x, y);
            let carried = spread(func, v, (x, bx), (y, by));
            let own = table.error(self.promise.compute, x, y, v) + self.rewritten(func, (x, bx), y, v);
            let known = bx + by < f64::INFINITY && (v.is_nan() | x.is_infinite() | y.is_infinite());
            a.v[i] = v;
            a.b[i] = self.compute.settle(v, carried + own, known);
        }
    }
}

/// What the arguments' bars do to a function of two arguments.
fn spread(func: Func, v: f64, (x, bx): (f64, f64), (y, by): (f64, f64)) -> f64 {
    match func {
        Func::Min | Func::Max => {
            let apart = (x - y).abs() > bx + by;
            let first = (v == x) && !(v == y && by > bx);
            if apart { if first { bx } else { by } } else { bx.max(by) }
        }
        _ if bx + by == 0.0 => 0.0,
        Func::Pow => {
            let by_base = if x == 0.0 { f64::INFINITY } else { (y * v / x).abs() * bx };
            let by_exponent = if x > 0.0 { (v * math::log(x)).abs() * by } else { f64::INFINITY };
            let side = |b: f64, by: f64| if b == 0.0 { 0.0 } else { by };
            1.1 * (side(bx, by_base) + side(by, by_exponent))
        }
        Func::Atan2 => {
            let r2 = x * x + y * y;
            let bar = (y.abs() * bx + x.abs() * by) / r2;
            if bar.is_nan() { f64::INFINITY } else { (1.1 * bar).min(std::f64::consts::TAU) }
        }
        _ => f64::INFINITY,
    }
}

impl Lane for Bars {
    const SECOND: bool = true;
    const DOUBTS: bool = true;
    type Joiner = BarFold;

    fn constant(&self, x: f64) -> (f64, f64) {
        match x.is_finite() {
            true => (x, self.compute.settle(x, self.compute.rounding(x, true), false)),
            // e4m3 has no infinity: what a kernel puts in its place is its own
            false if self.compute.float.round(x).is_nan() && !x.is_nan() => (x, f64::INFINITY),
            false => (x, 0.0),
        }
    }

    fn input(&self, tensor: usize, values: &mut Reals) {
        // integers that become integers never leave them
        let whole = |output: &Option<DType>| matches!(output, Some(DType::Int { .. }));
        let stays = self.promise.integers && self.promise.outputs.iter().all(whole);
        if stays && self.promise.inputs[tensor].is_none() {
            return;
        }
        let coarser = self.promise.inputs[tensor]
            .is_none_or(|storage| storage.unit_roundoff() < self.promise.compute.unit_roundoff());
        if coarser {
            for (v, b) in values.v.iter().zip(&mut values.b) {
                let bar = *b + self.compute.rounding(*v, true);
                *b = self.compute.settle(*v, bar, true);
            }
        }
    }

    fn operand(&self, values: &mut Reals) {
        let (least, flushes) = (self.compute.min_normal, self.compute.tiny == self.compute.min_normal);
        if !flushes {
            return;
        }
        let (v, b, found) = (values.v.as_slice(), values.b.as_mut_slice(), &mut false);
        vectorised!(v: &'a [f64], least: f64, found: &'a mut bool => {
            let mut any = false;
            for v in v {
                any |= (v.abs() < least) & (*v != 0.0);
            }
            *found = any;
        });
        if *found {
            for (v, b) in v.iter().zip(b) {
                *b += if v.abs() < least { v.abs() } else { 0.0 };
            }
        }
    }

    fn taken_apart(&self, minima: &[f64], values: &mut Reals) {
        // scale, product, minimum and their sum: each part may be far larger than the two together
        let unit = 4.0 * self.compute.unit;
        for ((v, b), m) in values.v.iter().zip(&mut values.b).zip(minima) {
            *b += if *m == 0.0 { 0.0 } else { unit * ((v - m).abs() + m.abs()) };
        }
    }

    fn added_up(&self, magnitudes: &[f64], values: &mut Reals) {
        // a part that is rounded as it becomes a real is a mistake that the sum of integers does not make
        let exact = |magnitude: f64| magnitude <= 1.0 / self.compute.unit;
        for (b, magnitude) in values.b.iter_mut().zip(magnitudes).filter(|(_, magnitude)| exact(**magnitude))
        {
            *b += self.slack * magnitude;
        }
    }

    fn stage(&self, stage: usize, values: &mut Reals) {
        let Some(float) = self.promise.rounds.stages[stage] else { return };
        for (v, b) in values.v.iter().zip(&mut values.b) {
            if v.is_finite() {
                *b += if *b == 0.0 && float.round(*v) == *v { 0.0 } else { float.half_ulp(v.abs() + *b) };
            }
        }
    }

    fn output(&self, output: usize, values: &mut Reals) {
        if self.sure[output] {
            values.b.fill(0.0);
        } else if self.exact[output] || self.whole[output] {
            values.b.iter_mut().filter(|b| b.is_finite()).for_each(|b| *b = 0.0);
        }
        if let Some(dtype) = self.promise.outputs[output] {
            super::storing::store(dtype, self.promise.functions, values);
        }
    }

    fn unary(&self, func: Func, a: Reals) -> Reals {
        super::bar_function::unary(self, func, a)
    }

    fn takes_one(&self, func: Func) -> bool {
        matches!(func, Func::Add | Func::Sub | Func::Mul | Func::Div)
    }

    fn binary(&self, func: Func, mut a: Reals, b: &Reals) -> Reals {
        match func {
            Func::Add => self.linear(&mut a, b, 1.0),
            Func::Sub => self.linear(&mut a, b, -1.0),
            Func::Mul => self.product(&mut a, b),
            Func::Div => self.quotient(&mut a, b),
            _ => self.other(func, &mut a, b),
        }
        a
    }

    fn joined(&self, (a, terms_a): (&mut Reals, usize), (b, terms_b): (&mut Reals, usize)) {
        for (reals, others) in [(a, terms_b), (b, terms_a)] {
            if others > 2 {
                let roundings = self.sums.onto(others);
                // a NaN or an infinity is what it is, however often it is rounded
                let finite = reals.v.iter().zip(&mut reals.b).filter(|(v, _)| v.is_finite());
                finite.for_each(|(v, b)| *b += roundings * v.abs());
            }
        }
    }

    fn compare(&self, func: Func, a: &Reals, b: &Reals) -> Vec<Truth> {
        let lanes = (0..a.v.len()).map(|i| {
            let truth = Truth::from(compare(func, a.v[i], b.v[i]) == Some(true));
            let reach = a.b[i] + b.b[i];
            // equal infinities and exact values leave no doubt
            let doubt =
                reach > 0.0 && (a.v[i] - b.v[i]).abs() <= reach && a.v[i].is_finite() && b.v[i].is_finite();
            truth | if doubt { EITHER } else { 0 }
        });
        lanes.collect()
    }

    fn select(&self, condition: &[Truth], mut a: Reals, b: &Reals) -> Reals {
        for (i, c) in condition.iter().enumerate() {
            let (first, second) = ((a.v[i], a.b[i]), (b.v[i], b.b[i]));
            let (taken, other) = if c & 1 == 1 { (first, second) } else { (second, first) };
            let reach = match c & EITHER != 0 && taken.0 != other.0 {
                true => taken.1.max((other.0 - taken.0).abs() + other.1),
                false => taken.1,
            };
            (a.v[i], a.b[i]) = (taken.0, if reach.is_nan() { f64::INFINITY } else { reach });
        }
        a
    }

    fn join(&self, fold: Fold, n: usize, plain: bool) -> BarFold {
        BarFold::new(self.sums, self.divides, fold, n).of_plain_terms(plain)
    }

    fn reordered(&self) -> Option<Reordered> {
        // in any order, what came in at a step is rounded at most twice for each step since
        let Rung { unit, tiny, max, .. } = self.compute;
        Some(Reordered { unit: 2.0 * unit, tiny, most: max })
    }

    fn products(&self) -> Option<&dyn Products> {
        Some(self)
    }
}

impl Bars {
    /// The value alone of a function, on every lane.
    pub fn values(func: Func, v: &mut [f64]) {
        exact::unary(func, v);
    }
}
