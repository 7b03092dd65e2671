//! Sums of products as matrix products: where the factors of a sum's terms fall into two groups that share
//! only the summed
//! indices (and perhaps some outer ones), the sums of a whole box are one matrix product, their bars another.

use ndarray::linalg::general_mat_mul;
use ndarray::{Array2, ArrayView2};

use super::blocks::Blocks;
use super::lane::{Lane, Products, Sums};
use super::plane::Plane;
use super::run::{Machine, Trouble};
use super::stage::point;
use super::value::Reals;
use crate::case::Axis;
use crate::code::{Code, CodeKind, vars, walk};
use crate::func::Func;
use crate::node::{Source, Ty};

/// Terms taken at once: their operands stay in cache, and partial sums are seen this often.
const CHUNK: usize = 512;
/// Smaller products are not worth a matrix.
const LEAST: [usize; 3] = [4, 8, 16];

/// Sizes below this part of the largest count as this: their products stay normal in f32.
const LEAST_SIZE: f64 = 1e-18;

/// A reduction as the contraction sees it.
pub struct Sum<'a> {
    pub over: &'a [Axis],
    pub term: &'a Code,
    /// Whether it is a plain sum of reals, without condition or guard.
    pub plain: bool,
}

/// The two groups of factors and of indices.
struct Split<'a> {
    left: Side<'a>,
    right: Side<'a>,
    batch: Vec<Axis>,
}

/// A group of factors and the indices that are theirs alone.
pub struct Side<'a> {
    pub factors: Vec<&'a Code>,
    pub axes: Vec<Axis>,
    /// Whether its reads step less along the summed index than along its own.
    pub summed_inner: bool,
}

/// A side's values over its own indices and a chunk of the summed ones.
pub struct Matrix {
    pub values: Reals,
    own: usize,
    summed: usize,
    summed_inner: bool,
}

impl Matrix {
    /// `data` laid out like the values, as own x summed.
    fn view<'m, T>(&self, data: &'m [T]) -> Option<ArrayView2<'m, T>> {
        match self.summed_inner {
            true => ArrayView2::from_shape((self.own, self.summed), data).ok(),
            false => ArrayView2::from_shape((self.summed, self.own), data).ok().map(|a| a.reversed_axes()),
        }
    }

    /// Magnitudes or their squares over the largest of them, and that one.
    fn sizes(&self, worst: bool) -> (Vec<f32>, f64) {
        let top = self.values.v.iter().fold(0.0f64, |m, x| m.max(x.abs()));
        let by = if top > 0.0 && top.is_finite() { 1.0 / top } else { 1.0 };
        let size = |x: &f64| {
            let m = (x * by).abs();
            let size = if worst { m } else { m * m };
            (if *x == 0.0 { 0.0 } else { size.max(LEAST_SIZE) }) as f32
        };
        let scale = if worst { 1.0 / by } else { 1.0 / (by * by) };
        (self.values.v.iter().map(size).collect(), scale)
    }

    fn mapped(&self, f: impl Fn(f64) -> f64) -> Vec<f64> {
        self.values.v.iter().map(|x| f(*x)).collect()
    }

    fn has_bars(&self) -> bool {
        self.values.b.iter().any(|b| *b != 0.0)
    }
}

/// What is summed up for every element of the product.
struct Totals {
    value: Array2<f64>,
    scale: Array2<f64>,
    carried: Array2<f64>,
    partial: Array2<f64>,
}

pub fn factors(code: &Code) -> Vec<&Code> {
    match &code.kind {
        CodeKind::Apply(Func::Mul, args) if code.ty == Ty::Real => args.iter().flat_map(factors).collect(),
        _ => vec![code],
    }
}

impl<L: Lane> Machine<'_, L> {
    /// The sums over a box as matrix products; none where they are not such.
    pub fn contraction(&self, sum: &Sum, axes: &[Axis]) -> Result<Option<Plane>, Trouble> {
        let Some(products) = self.lane.products().filter(|_| sum.plain) else { return Ok(None) };
        let Some(split) = self.split(sum, axes) else { return Ok(None) };
        let mut plane = Plane::over(axes, L::SECOND);
        let batches: usize = split.batch.iter().map(|a| a.extent).product();
        for batch in 0..batches {
            self.go_on()?;
            let outer = point(&split.batch, batch);
            let mut totals = self.totals(&split, sum.over, &outer, products)?;
            scatter(&mut plane, axes, &split, &outer, &mut totals, sum, products);
        }
        Ok(Some(plane))
    }

    fn split<'a>(&self, sum: &Sum<'a>, axes: &[Axis]) -> Option<Split<'a>> {
        let last = axes.iter().rev().find(|a| a.extent > 1)?;
        let (right, left): (Vec<&Code>, Vec<&Code>) =
            factors(sum.term).into_iter().partition(|f| vars(f).contains(&last.var));
        let uses = |side: &[&Code], axis: &Axis| side.iter().any(|f| vars(f).contains(&axis.var));
        let covered = axes.iter().all(|a| a.extent == 1 || uses(&left, a) || uses(&right, a));
        let pick = |l: bool, r: bool| -> Vec<Axis> {
            axes.iter().filter(|a| uses(&left, a) == l && uses(&right, a) == r).copied().collect()
        };
        let (own_left, own_right, batch) = (pick(true, false), pick(false, true), pick(true, true));
        let count = |axes: &[Axis]| axes.iter().map(|a| a.extent).product::<usize>();
        let big =
            count(&own_left) >= LEAST[0] && count(&own_right) >= LEAST[1] && count(sum.over) >= LEAST[2];
        if left.is_empty() || right.is_empty() || !covered || !big {
            return None;
        }
        let summed = sum.over.last()?.var;
        Some(Split {
            left: self.side(left, own_left, summed),
            right: self.side(right, own_right, summed),
            batch,
        })
    }

    /// Factors over their own indices, with the orientation in which their reads run along memory.
    pub fn side<'a>(&self, factors: Vec<&'a Code>, axes: Vec<Axis>, summed: usize) -> Side<'a> {
        let own = axes.last().map_or(usize::MAX, |a| a.var);
        let summed_inner = self.step(&factors, summed) <= self.step(&factors, own);
        Side { factors, axes, summed_inner }
    }

    /// How far apart in memory a side's first read goes for one step of an index; far where that is not
    /// known.
    fn step(&self, factors: &[&Code], var: usize) -> u64 {
        let mut found = None;
        for factor in factors {
            walk(factor, &mut |code| {
                if let (CodeKind::Read(read), None) = (&code.kind, found) {
                    let strides: Vec<i64> = match read.source {
                        Source::Tensor(at) => self.tensors[at].strides.clone(),
                        Source::Stage(at) => self.plane(at).strides.clone(),
                    };
                    let steps = read.indices.iter().zip(&strides);
                    let step: i64 =
                        steps.map(|(i, s)| i.affine.as_ref().map_or(0, |a| a.coefficient(var)) * s).sum();
                    found = (step != 0).then_some(step.unsigned_abs());
                }
            });
        }
        found.unwrap_or(u64::MAX)
    }

    /// The values of a side over its own indices and a chunk of the summed ones.
    pub fn matrix(&self, side: &Side, chunk: &[Axis], outer: &[(usize, i64)]) -> Result<Matrix, Trouble> {
        let count = |axes: &[Axis]| axes.iter().map(|a| a.extent).product::<usize>();
        let axes: Vec<Axis> = match side.summed_inner {
            true => side.axes.iter().chain(chunk).copied().collect(),
            false => chunk.iter().chain(&side.axes).copied().collect(),
        };
        let mut values = Reals::default();
        values.v.reserve(count(&axes));
        for block in Blocks::new(outer, &axes, 1) {
            let mut product = self.reals(side.factors[0], &block, None)?.spread(block.n);
            for factor in &side.factors[1..] {
                product =
                    self.lane.binary(Func::Mul, product, &self.reals(factor, &block, None)?.spread(block.n));
            }
            values.v.extend_from_slice(&product.v);
            values.b.extend_from_slice(&product.b);
        }
        Ok(Matrix { values, own: count(&side.axes), summed: count(chunk), summed_inner: side.summed_inner })
    }

    fn totals(
        &self,
        split: &Split,
        over: &[Axis],
        outer: &[(usize, i64)],
        products: &dyn Products,
    ) -> Result<Totals, Trouble> {
        let mut totals: Option<Totals> = None;
        let n: usize = over.iter().map(|a| a.extent).product();
        for chunk in chunks(over) {
            self.go_on()?;
            let left = self.matrix(&split.left, &chunk, outer)?;
            let right = self.matrix(&split.right, &chunk, outer)?;
            let totals = totals.get_or_insert_with(|| Totals::new(left.own, right.own, products));
            totals.add(&left, &right, products, n);
        }
        Ok(totals.unwrap_or_else(|| Totals::new(0, 0, products)))
    }
}

/// The summed indices in pieces; only a single one is cut.
fn chunks(over: &[Axis]) -> Vec<Vec<Axis>> {
    let [axis] = over else { return vec![over.to_vec()] };
    let starts = (0..axis.extent).step_by(CHUNK);
    let piece =
        |at: usize| Axis { var: axis.var, lo: axis.lo + at as i64, extent: CHUNK.min(axis.extent - at) };
    starts.map(|at| vec![piece(at)]).collect()
}

impl Totals {
    fn new(m: usize, n: usize, products: &dyn Products) -> Totals {
        let (bm, bn) = if products.bars() { (m, n) } else { (0, 0) };
        Totals {
            value: Array2::zeros((m, n)),
            scale: Array2::zeros((bm, bn)),
            carried: Array2::zeros((bm, bn)),
            partial: Array2::zeros((bm, bn)),
        }
    }

    fn add(&mut self, left: &Matrix, right: &Matrix, products: &dyn Products, n: usize) {
        multiply(left, &left.values.v, right, &right.values.v, &mut self.value);
        if !products.bars() {
            return;
        }
        // what overflows in f64 out of finite numbers may do so in no kernel, or in every one
        if [left, right].iter().all(|m| m.values.v.iter().all(|x| x.is_finite())) {
            let over = |c: &mut f64, v: &f64| *c = if v.is_finite() { *c } else { f64::INFINITY };
            self.carried.zip_mut_with(&self.value, over);
        }
        let worst = products.worst_case(n);
        self.add_sizes(left, right, worst);
        if left.has_bars() {
            let right_size: Vec<f64> =
                right.values.v.iter().zip(&right.values.b).map(|(v, b)| v.abs() + b).collect();
            multiply(left, &left.values.b, right, &right_size, &mut self.carried);
        }
        if right.has_bars() {
            multiply(left, &left.mapped(f64::abs), right, &right.values.b, &mut self.carried);
        }
        if !worst {
            self.partial.zip_mut_with(&self.value, |p, v| *p = p.max(v.abs()));
        }
    }
}

impl Totals {
    /// Adds the magnitudes of the terms, or their squares. Three digits do for a bar, so this product is
    /// taken in f32: each
    /// side scaled by its largest, and what would underflow counted as a little more than it is.
    fn add_sizes(&mut self, left: &Matrix, right: &Matrix, worst: bool) {
        let ((a, by_left), (b, by_right)) = (left.sizes(worst), right.sizes(worst));
        let mut product = Array2::<f32>::zeros(self.scale.raw_dim());
        if let (Some(a), Some(b)) = (left.view(&a), right.view(&b)) {
            general_mat_mul(1.0, &a, &b.reversed_axes(), 0.0, &mut product);
        }
        // 1.0005 covers the roundings of a chunk's sum in f32
        let by = 1.0005 * by_left * by_right;
        self.scale.zip_mut_with(&product, |s, p| *s += by * f64::from(*p));
    }
}

fn multiply(left: &Matrix, a: &[f64], right: &Matrix, b: &[f64], into: &mut Array2<f64>) {
    if let (Some(a), Some(b)) = (left.view(a), right.view(b)) {
        general_mat_mul(1.0, &a, &b.reversed_axes(), 1.0, into);
    }
}

/// Writes the results where the box has them.
fn scatter(
    plane: &mut Plane,
    axes: &[Axis],
    split: &Split,
    outer: &[(usize, i64)],
    totals: &mut Totals,
    sum: &Sum,
    products: &dyn Products,
) {
    let stride = |var: usize| axes.iter().position(|a| a.var == var).map_or(0, |at| plane.strides[at]);
    let lo = |var: usize| axes.iter().find(|a| a.var == var).map_or(0, |a| a.lo);
    let offset =
        |at: &[(usize, i64)]| at.iter().map(|(v, value)| (value - lo(*v)) * stride(*v)).sum::<i64>() as usize;
    let offsets = |side: &Side| -> Vec<usize> {
        let count = side.axes.iter().map(|a| a.extent).product();
        (0..count).map(|at| offset(&point(&side.axes, at))).collect()
    };
    let (base, rows, columns) = (offset(outer), offsets(&split.left), offsets(&split.right));
    let n: usize = sum.over.iter().map(|a| a.extent).product();
    let in_a_row = columns.iter().enumerate().all(|(j, column)| j == *column);
    let put = |plane: &mut [f64], first: usize, of_row: &[f64]| match in_a_row {
        true => plane[first..first + of_row.len()].copy_from_slice(of_row),
        false => columns.iter().zip(of_row).for_each(|(column, v)| plane[first + column] = *v),
    };
    let across = columns.len();
    let Totals { value, scale, partial, carried } = totals;
    let [value, scale, partial] = [&*value, &*scale, &*partial].map(|a| a.as_slice().unwrap_or_default());
    let carried = carried.as_slice_mut().unwrap_or_default();
    for (i, row) in rows.iter().enumerate() {
        let part = i * across..(i + 1) * across;
        let values = &value[part.clone()];
        put(&mut plane.v, base + row, values);
        if products.bars() {
            let (scales, partials) = (&scale[part.clone()], &partial[part.clone()]);
            let bars = &mut carried[part];
            products.of_sums(n, &Sums { values, scales, partials }, bars);
            put(&mut plane.b, base + row, bars);
        }
    }
}
