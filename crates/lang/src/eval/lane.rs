//! What a number is to the evaluator. Each implementation is one meaning: the exact value, the value with
//! its error bar,
//! the value as a kernel of some rung would round it, the value in double-double.

use super::value::{Reals, Truth};
use crate::func::Func;
use crate::node::Fold;

/// A meaning of numbers, over blocks of lanes.
pub trait Lane: Sync {
    /// Whether something stands beside each value (see `Reals`).
    const SECOND: bool;
    /// Whether that says what the value may be off by: integers made of such a value are then in doubt.
    const DOUBTS: bool = false;
    /// How the terms of a reduction are joined.
    type Joiner: Joiner + Clone + Send;

    /// A constant of the formula, or a scalar.
    fn constant(&self, x: f64) -> (f64, f64);
    /// What becomes of values as an input is read.
    fn input(&self, tensor: usize, values: &mut Reals);
    /// What becomes of inputs that go into an operation: languages may take subnormal operands for zero.
    fn operand(&self, _values: &mut Reals) {}
    /// What becomes of factors of a sum that are stored as code times scale plus these minima: kernels sum the two
    /// parts up apart.
    fn taken_apart(&self, _minima: &[f64], _values: &mut Reals) {}
    /// What becomes of integers that become reals and are sums of parts of these magnitudes: kernels may multiply the
    /// parts, and add them up then.
    fn added_up(&self, _magnitudes: &[f64], _values: &mut Reals) {}
    /// What becomes of a definition's values before others use them.
    fn stage(&self, stage: usize, values: &mut Reals);
    /// What becomes of an output's values as they are stored.
    fn output(&self, output: usize, values: &mut Reals);
    /// A function of one argument.
    fn unary(&self, func: Func, a: Reals) -> Reals;
    /// Whether the second argument of a function may be one number for all lanes.
    fn takes_one(&self, _func: Func) -> bool {
        false
    }
    /// A function of two arguments of as many lanes.
    fn binary(&self, func: Func, a: Reals, b: &Reals) -> Reals;
    /// `a * b + c`, or `a * b - c` with `minus`, where the lane type fuses; none where it does not.
    fn fused(&self, _a: &Reals, _b: &Reals, _c: &Reals, _minus: bool) -> Option<Reals> {
        None
    }
    /// What two operands that are added carry more where either is a sum of several terms, whose number is given: a
    /// kernel may add the terms of one onto the other.
    fn joined(&self, _a: (&mut Reals, usize), _b: (&mut Reals, usize)) {}
    /// A product that is a term of a sum; lanes that fuse leave it unrounded.
    fn term(&self, a: Reals, b: &Reals) -> Reals {
        self.binary(Func::Mul, a, b)
    }
    /// A comparison.
    fn compare(&self, func: Func, a: &Reals, b: &Reals) -> Vec<Truth>;
    /// `a` where true, `b` where false.
    fn select(&self, condition: &[Truth], a: Reals, b: &Reals) -> Reals;
    /// Starts a reduction of `n` terms; `plain` where they are numbers of an input as they are.
    fn join(&self, fold: Fold, n: usize, plain: bool) -> Self::Joiner;
    /// What may happen to the values of a recurrence whose steps are taken in another order; none where that does not
    /// matter.
    fn reordered(&self) -> Option<Reordered> {
        None
    }
    /// What the second part of a recurrence's value is at least.
    fn floor(&self) -> f64 {
        0.0
    }
    /// How sums of products may be taken as matrix products; none where each term must be seen.
    fn products(&self) -> Option<&dyn Products> {
        None
    }
}

/// What a kernel may do to the values of a recurrence when it takes the steps in another order.
pub struct Reordered {
    /// What part of its magnitude a value may be off by at each step.
    pub unit: f64,
    /// What a product of the factors of several steps may lose to underflow.
    pub tiny: f64,
    /// The largest number that the kernel can hold on the way.
    pub most: f64,
}

/// Joins the terms of one reduction, in order.
pub trait Joiner {
    /// More terms; the first of them is the `first`-th value of the reduction's index.
    fn add(&mut self, v: &[f64], b: &[f64], first: i64);
    /// A term that may or may not be part of the reduction.
    fn maybe(&mut self, v: f64, b: f64, at: i64);
    /// The result.
    fn finish(self) -> (f64, f64);
}

/// How a lane type takes a sum of `n` products: the value alone, or with what its bar needs.
pub trait Products: Sync {
    /// Whether bars are wanted at all.
    fn bars(&self) -> bool;
    /// Whether the worst case (sum of magnitudes) decides a sum of `n` terms, rather than its 2-norm.
    fn worst_case(&self, n: usize) -> bool;
    /// The bars of sums of `n` products, in the place of what their terms carry.
    fn of_sums(&self, n: usize, sums: &Sums, carried: &mut [f64]);
}

/// Sums of products, as many of each.
pub struct Sums<'s> {
    /// What they come to.
    pub values: &'s [f64],
    /// The sums of magnitudes, or of squares.
    pub scales: &'s [f64],
    /// The largest partial sums seen.
    pub partials: &'s [f64],
}
