//! A plain product looked at as a whole: along one index its elements are added up with random signs, which the other
//! factor times the factor that has this index, added up with the same signs, must match. Errors of honest elements
//! mostly cancel there, so that one wrong element shows.

use ktwin_num::Rng;
use rayon::prelude::*;

use super::driver::Run;
use super::lane::{Lane, Products, Sums};
use super::product_points::{Operand, product, row_of};
use super::run::Trouble;
use super::value::Reals;
use crate::case::{Axis, BoundStage, points};
use crate::code::{Code, vars};

/// Numbers of an operand that are laid out at once.
const AT_ONCE: usize = 1 << 24;
/// Terms of each row that are laid out at once, at most.
const CHUNK: usize = 512;
/// A sum of numbers with random signs is further off than so many times their 2-norm once in 4e13 (Hoeffding).
const SIGMAS: f64 = 8.0;
/// Partial sums are taken for at most so many times the 2-norm of the terms.
const PARTIAL: f64 = 4.0;
/// Doubtful rows that are named.
const NAMED: usize = 8;

/// A product and the index along which it is added up.
pub struct Projected<'a> {
    summed: Axis,
    space: &'a [Axis],
    /// Where that index stands in the output's.
    at: usize,
    /// The factor without it.
    plain: &'a Code,
    /// The factor that has it.
    added: &'a Code,
}

/// What the products of one row come to, and the sum of their squares.
#[derive(Clone, Copy, Default)]
struct Total {
    value: f64,
    squares: f64,
}

impl<L: Lane> Run<'_, L> {
    /// The elements of rows that the sums cast doubt on; none where the output is no plain product.
    pub fn doubtful(
        &self,
        output: usize,
        stage: usize,
        got: &[f64],
        seed: u64,
    ) -> Result<Option<Vec<usize>>, Trouble> {
        let Some(products) = self.lane.products().filter(|p| p.bars()) else { return Ok(None) };
        let Some(projected) = Projected::of(&self.stages[stage]) else { return Ok(None) };
        let mut rng = Rng::new(seed, 0x7369_676e);
        let sign = |_| if rng.below(2) == 0 { 1.0 } else { -1.0 };
        let signs: Vec<f64> = (0..projected.length()).map(sign).collect();
        let Some(due) = self.rows_of_sums(&projected, &signs)? else { return Ok(None) };
        let came: Vec<Total> =
            (0..due.len()).into_par_iter().map(|row| projected.total(row, got, &signs)).collect();
        let bars = self.bars_of_sums(&projected, products, (&due, &came), (stage, output));
        let off = |row: &usize| {
            let error = (came[*row].value - due[*row].value).abs();
            error.is_nan() || error > bars[*row]
        };
        let rows = (0..due.len()).filter(off).take(NAMED);
        Ok(Some(rows.flat_map(|row| projected.places(row)).collect()))
    }

    /// What the sums of all rows must be; none where factors are rounded on their way in.
    fn rows_of_sums(&self, projected: &Projected, signs: &[f64]) -> Result<Option<Vec<Total>>, Trouble> {
        let (plain, added) = (projected.operand(projected.plain), projected.operand(projected.added));
        let (kept, rest) = (projected.kept(), projected.without(&added.axes));
        let own: Vec<(usize, usize)> = (0..points(&kept))
            .map(|row| (row_of(row, &kept, &plain.axes), row_of(row, &kept, &rest)))
            .collect();
        let places = projected.of_rows(&added);
        let mut totals = vec![Total::default(); own.len()];
        let n = projected.summed.extent;
        let step = (AT_ONCE / plain.rows.len().max(added.rows.len()).max(1)).clamp(1, CHUNK);
        for first in (0..n).step_by(step) {
            let lo = projected.summed.lo + first as i64;
            let chunk = Axis { lo, extent: step.min(n - first), ..projected.summed };
            let (x, y) = (self.rows(&plain, &chunk)?, self.rows(&added, &chunk)?);
            if x.b.iter().chain(&y.b).any(|bar| *bar != 0.0) {
                return Ok(None);
            }
            let k = chunk.extent;
            let mut folded = vec![Total::default(); points(&rest) * k];
            for (y, (row, along)) in y.v.chunks_exact(k).zip(&places) {
                for (total, y) in folded[row * k..(row + 1) * k].iter_mut().zip(y) {
                    total.value += signs[*along] * y;
                    total.squares += y * y;
                }
            }
            totals.par_iter_mut().zip(&own).for_each(|(total, (a, b))| {
                for (x, y) in x.v[a * k..(a + 1) * k].iter().zip(&folded[b * k..(b + 1) * k]) {
                    total.value += x * y.value;
                    total.squares += x * x * y.squares;
                }
            });
        }
        Ok(Some(totals))
    }

    /// How far the sums may be off. The bar of an element grows no faster than the 2-norms of its terms and its value,
    /// so that the 2-norm of a row's bars is at most that of the root mean squares, times the root of their number.
    fn bars_of_sums(
        &self,
        projected: &Projected,
        products: &dyn Products,
        (due, came): (&[Total], &[Total]),
        (stage, output): (usize, usize),
    ) -> Vec<f64> {
        let (n, count) = (projected.summed.extent, projected.length() as f64);
        let norms: Vec<f64> = due.iter().map(|t| (t.squares / count).sqrt()).collect();
        // the magnitudes of the terms add up to no more than this
        let worst = |norm: &f64| norm * (n as f64).sqrt();
        let scale = |norm: &f64| if products.worst_case(n) { worst(norm) } else { norm * norm };
        let scales: Vec<f64> = norms.iter().map(scale).collect();
        let values: Vec<f64> = came.iter().map(|t| (t.squares / count).sqrt()).collect();
        let partials: Vec<f64> = values.iter().zip(&norms).map(|(v, norm)| v.max(PARTIAL * norm)).collect();
        let mut bars = vec![0.0; values.len()];
        products.of_sums(n, &Sums { values: &values, scales: &scales, partials: &partials }, &mut bars);
        let mut rows = Reals { v: values, b: bars };
        self.lane.stage(stage, &mut rows);
        self.lane.output(output, &mut rows);
        rows.b.iter().map(|bar| SIGMAS * count.sqrt() * bar).collect()
    }
}

impl Projected<'_> {
    /// How a stage can be added up.
    pub fn of(stage: &BoundStage) -> Option<Projected<'_>> {
        let (summed, [a, b]) = product(stage)?;
        let space = stage.space.as_slice();
        let has = |factor: &Code, axis: &Axis| vars(factor).contains(&axis.var);
        let at = space.iter().rposition(|axis| axis.extent > 1 && has(a, axis) != has(b, axis))?;
        let (plain, added) = if has(b, &space[at]) { (a, b) } else { (b, a) };
        Some(Projected { summed, space, at, plain, added })
    }

    /// Elements of each row.
    fn length(&self) -> usize {
        self.space[self.at].extent
    }

    fn without(&self, axes: &[Axis]) -> Vec<Axis> {
        axes.iter().filter(|axis| axis.var != self.space[self.at].var).copied().collect()
    }

    /// The indices that count the rows.
    fn kept(&self) -> Vec<Axis> {
        self.without(self.space)
    }

    /// A factor at all of its indices.
    fn operand<'c>(&self, factor: &'c Code) -> Operand<'c> {
        let used = vars(factor);
        let axes: Vec<Axis> = self.space.iter().filter(|axis| used.contains(&axis.var)).copied().collect();
        let rows = (0..points(&axes)).collect();
        Operand { factor, axes, rows, of_element: Vec::new() }
    }

    /// For each row of the factor that is added up the row that it goes to, and its place along the index.
    fn of_rows(&self, added: &Operand) -> Vec<(usize, usize)> {
        let along = added.axes.iter().position(|axis| axis.var == self.space[self.at].var).unwrap_or(0);
        let (inner, length) = (points(&added.axes[along + 1..]), self.length());
        let place = |row: &usize| (row / (inner * length) * inner + row % inner, row / inner % length);
        added.rows.iter().map(place).collect()
    }

    /// The elements of a row of the output.
    fn places(&self, row: usize) -> impl Iterator<Item = usize> + use<> {
        let (inner, length) = (points(&self.space[self.at + 1..]), self.length());
        (0..length).map(move |along| (row / inner * length + along) * inner + row % inner)
    }

    fn total(&self, row: usize, got: &[f64], signs: &[f64]) -> Total {
        self.places(row).zip(signs).fold(Total::default(), |total, (at, sign)| Total {
            value: total.value + sign * got[at],
            squares: total.squares + got[at] * got[at],
        })
    }
}
