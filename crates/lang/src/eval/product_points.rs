//! Chosen elements of a matrix product: the operands are laid out a chunk of the summed index at a time,
//! then each element is
//! a short dot product of two rows in cache.

use rayon::prelude::*;

use super::contract::factors;
use super::driver::{Run, Values};
use super::lane::{Lane, Sums};
use super::plain_fold::total;
use super::run::{Machine, Trouble};
use super::simd::vectorised;
use super::value::Reals;
use crate::case::{Axis, BoundKind, BoundStage};
use crate::code::{Code, CodeKind, vars, walk};
use crate::node::{Fold, Source, Ty};

/// Terms of each row laid out at once.
const CHUNK: usize = 512;
/// Fewer elements than this are not worth laying out.
const LEAST: usize = 256;

/// One operand: its factor, and for each wanted element the number of its row.
pub struct Operand<'a> {
    pub factor: &'a Code,
    pub axes: Vec<Axis>,
    pub rows: Vec<usize>,
    pub of_element: Vec<u32>,
}

/// What is summed up for one element.
#[derive(Clone, Copy, Default)]
struct Total {
    value: f64,
    size: f64,
    partial: f64,
    carried: f64,
}

impl<L: Lane> Run<'_, L> {
    /// Chosen elements of a plain product of two inputs; none where the stage is something else.
    pub fn product_elements(
        &self,
        output: usize,
        stage: usize,
        places: &[usize],
    ) -> Result<Option<Values>, Trouble> {
        let Some(products) = self.lane.products().filter(|_| places.len() >= LEAST) else { return Ok(None) };
        let Some((axis, operands)) = self.operands(stage, places) else { return Ok(None) };
        let [left, right] = &operands;
        let n = axis.extent;
        let worst = products.worst_case(n);
        let mut totals = vec![Total::default(); places.len()];
        for first in (0..n).step_by(CHUNK) {
            let chunk = Axis { var: axis.var, lo: axis.lo + first as i64, extent: CHUNK.min(n - first) };
            let (a, b) = (self.rows(left, &chunk)?, self.rows(right, &chunk)?);
            add_chunk(&mut totals, &operands, (&a.v, &b.v), chunk.extent, worst);
            if a.b.iter().chain(&b.b).any(|bar| *bar != 0.0) {
                add_carried(&mut totals, &operands, (&a, &b), chunk.extent);
            }
        }
        let mut values = Reals { v: totals.iter().map(|t| t.value).collect(), b: Vec::new() };
        if products.bars() {
            values.b = totals.iter().map(|t| t.carried).collect();
            let scales: Vec<f64> = totals.iter().map(|t| t.size).collect();
            let partials: Vec<f64> = totals.iter().map(|t| t.partial).collect();
            let sums = Sums { values: &values.v, scales: &scales, partials: &partials };
            products.of_sums(n, &sums, &mut values.b);
        }
        self.lane.stage(stage, &mut values);
        self.lane.output(output, &mut values);
        Ok(Some((values.v, values.b)))
    }

    /// The summed index and the two operands of a product, with the rows that these elements need.
    fn operands<'s>(&'s self, stage: usize, places: &[usize]) -> Option<(Axis, [Operand<'s>; 2])> {
        let (axis, [a, b]) = product(&self.stages[stage])?;
        let stage = &self.stages[stage];
        let operand = |factor: &'s Code| {
            let used = vars(factor);
            let axes: Vec<Axis> = stage.space.iter().filter(|a| used.contains(&a.var)).copied().collect();
            let number = |place: usize| row_of(place, &stage.space, &axes);
            let mut rows: Vec<usize> = places.iter().map(|p| number(*p)).collect();
            let of = rows.clone();
            rows.sort_unstable();
            rows.dedup();
            let of_element = of.iter().map(|r| rows.binary_search(r).unwrap_or(0) as u32).collect();
            Operand { factor, axes, rows, of_element }
        };
        Some((axis, [operand(a), operand(b)]))
    }

    /// The wanted rows of an operand over a chunk of the summed index, one after another.
    pub(super) fn rows(&self, operand: &Operand, chunk: &Axis) -> Result<Reals, Trouble> {
        let machine = Machine::new(self.lane, self.tensors, &[], 0, self.progress);
        let group = self.rows_at_once(operand, chunk);
        let parts: Vec<Reals> = operand
            .rows
            .par_chunks(group)
            .map(|rows| row_group(&machine, operand, rows, chunk))
            .collect::<Result<_, _>>()?;
        let mut out = Reals::default();
        for part in parts {
            out.v.extend_from_slice(&part.v);
            out.b.extend_from_slice(&part.b);
        }
        Ok(out)
    }

    fn rows_at_once(&self, operand: &Operand, _chunk: &Axis) -> usize {
        operand.rows.len().div_ceil(rayon::current_num_threads() * 4).max(1)
    }
}

/// The summed index and the two factors of a stage that sums products of two reads of inputs.
pub fn product(stage: &BoundStage) -> Option<(Axis, [&Code; 2])> {
    let BoundKind::Reduce { fold: Fold::Sum, over, condition: None, term } = &stage.kind else {
        return None;
    };
    let factors = factors(term);
    let ([axis], [a, b]) = (over.as_slice(), factors.as_slice()) else { return None };
    if stage.ty != Ty::Real || stage.guard.is_some() || !of_inputs(a) || !of_inputs(b) {
        return None;
    }
    Some((*axis, [*a, *b]))
}

/// The number of an operand's row for an element: its place in the box of the operand's own indices.
pub fn row_of(place: usize, space: &[Axis], own: &[Axis]) -> usize {
    let (mut rest, mut row, mut below) = (place, 0, 1);
    for axis in space.iter().rev() {
        if own.iter().any(|a| a.var == axis.var) {
            row += rest % axis.extent * below;
            below *= axis.extent;
        }
        rest /= axis.extent;
    }
    row
}

/// Whether an expression reads inputs alone.
fn of_inputs(code: &Code) -> bool {
    let mut only = true;
    walk(code, &mut |c| {
        if let CodeKind::Read(read) = &c.kind {
            only &= matches!(read.source, Source::Tensor(_));
        }
    });
    only
}

/// Some rows of an operand over a chunk of the summed index, each contiguous.
fn row_group<L: Lane>(
    machine: &Machine<L>,
    operand: &Operand,
    rows: &[usize],
    chunk: &Axis,
) -> Result<Reals, Trouble> {
    let k = chunk.extent;
    let [axis] = operand.axes.as_slice() else {
        let mut out = Reals::default();
        for row in rows {
            let outer = super::stage::point(&operand.axes, *row);
            let side = machine.side(vec![operand.factor], Vec::new(), chunk.var);
            let one = machine.matrix(&side, &[*chunk], &outer)?.values;
            out.v.extend_from_slice(&one.v);
            out.b.extend_from_slice(&one.b);
        }
        return Ok(out);
    };
    let (first, last) = (rows[0], rows[rows.len() - 1]);
    let span = Axis { var: axis.var, lo: axis.lo + first as i64, extent: last - first + 1 };
    let side = machine.side(vec![operand.factor], vec![span], chunk.var);
    let matrix = machine.matrix(&side, &[*chunk], &[])?;
    let pick = |plane: &[f64]| match side.summed_inner {
        true => {
            rows.iter().flat_map(|row| &plane[(row - first) * k..(row - first + 1) * k]).copied().collect()
        }
        false => turned(plane, rows, first, span.extent, k),
    };
    let b = if matrix.values.b.is_empty() { Vec::new() } else { pick(&matrix.values.b) };
    Ok(Reals { v: pick(&matrix.values.v), b })
}

/// Columns of a matrix as rows, in tiles that stay in cache.
fn turned(plane: &[f64], rows: &[usize], first: usize, width: usize, k: usize) -> Vec<f64> {
    const TILE: usize = 16;
    let mut out = vec![0.0; rows.len() * k];
    for (group, rows) in rows.chunks(TILE).enumerate() {
        for start in (0..k).step_by(TILE) {
            for at in start..(start + TILE).min(k) {
                for (i, row) in rows.iter().enumerate() {
                    out[(group * TILE + i) * k + at] = plane[at * width + row - first];
                }
            }
        }
    }
    out
}

fn add_chunk(totals: &mut [Total], operands: &[Operand; 2], values: (&[f64], &[f64]), k: usize, worst: bool) {
    totals.par_chunks_mut(512).enumerate().for_each(|(chunk, totals)| {
        vectorised!(totals: &'a mut [Total], operands: &'a [Operand<'a>; 2], values: (&'a [f64], &'a [f64]),
                    chunk: usize, k: usize, worst: bool => {
            for (i, total) in totals.iter_mut().enumerate() {
                let at = chunk * 512 + i;
                let (a, b) =
                    (operands[0].of_element[at] as usize * k, operands[1].of_element[at] as usize * k);
                let (value, size) = dot(&values.0[a..a + k], &values.1[b..b + k], worst);
                total.value += value;
                total.size += size;
                total.partial = total.partial.max(total.value.abs());
            }
        });
    });
}

/// What the operands' own bars do to the sums.
fn add_carried(totals: &mut [Total], operands: &[Operand; 2], (left, right): (&Reals, &Reals), k: usize) {
    totals.par_chunks_mut(512).enumerate().for_each(|(chunk, totals)| {
        for (i, total) in totals.iter_mut().enumerate() {
            let at = chunk * 512 + i;
            let row = |side: usize| {
                let first = operands[side].of_element[at] as usize * k;
                first..first + k
            };
            let (a, b) = (row(0), row(1));
            let terms =
                (left.v[a.clone()].iter().zip(&left.b[a])).zip(right.v[b.clone()].iter().zip(&right.b[b]));
            let carried =
                |((x, bx), (y, by)): ((&f64, &f64), (&f64, &f64))| x.abs() * by + (y.abs() + by) * bx;
            total.carried += terms.map(carried).sum::<f64>();
        }
    });
}

#[inline(always)]
fn dot(a: &[f64], b: &[f64], worst: bool) -> (f64, f64) {
    let (mut sums, mut sizes) = ([0.0; 8], [0.0; 8]);
    let mut see = |i: usize, x: f64, y: f64| {
        let t = x * y;
        sums[i] += t;
        sizes[i] += if worst { t.abs() } else { t * t };
    };
    let (mut left, mut right) = (a.chunks_exact(8), b.chunks_exact(8));
    for (a, b) in (&mut left).zip(&mut right) {
        for i in 0..8 {
            see(i, a[i], b[i]);
        }
    }
    for (i, (x, y)) in left.remainder().iter().zip(right.remainder()).enumerate() {
        see(i, *x, *y);
    }
    (total(&sums), total(&sizes))
}
