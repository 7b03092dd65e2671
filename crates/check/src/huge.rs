//! Huge outputs are compared at chosen elements, which only the case's seed knows: corners, and others anywhere. One
//! that is a plain product is looked at as a whole besides: rows whose sum with random signs is off are compared too.

use std::collections::BTreeSet;

use ktwin_lang::{Case as OpCase, Elements, Meaning, Output};
use ktwin_num::{DType, Rng, Tensor};

use crate::case::Case;
use crate::inputs::Prepared;
use crate::kernel::Kernel;

/// A case of more points than this is huge.
const HUGE: f64 = (1u64 << 32) as f64;
/// Elements that are chosen anywhere, and in the corners.
const ANYWHERE: usize = 4096;
/// Elements from a corner along each dimension that are chosen.
const CORNER: usize = 4;

/// The elements of each output that are compared, in order.
pub type Places = Vec<BTreeSet<usize>>;

/// Whether a case's outputs are compared at chosen elements alone. Blocks hang together, ties are seen in whole rows,
/// and a law in whole outputs.
fn is_huge(kernel: &Kernel, at: &OpCase) -> bool {
    let op = &kernel.op;
    let alone = |i: usize| !matches!(kernel.dtype(&op.outputs[i].name), DType::Block(_));
    let size = |shape: &Vec<usize>| shape.iter().product::<usize>();
    let long = at.output_shapes.iter().any(|shape| size(shape) > ANYWHERE);
    let plain = op.ties.is_empty() && !op.is_random() && kernel.contract.policy.is_none();
    long && plain && (0..op.outputs.len()).all(alone) && at.points() > HUGE
}

/// The elements to compare, where not all are.
pub fn places(kernel: &Kernel, case: &Case, at: &OpCase) -> Option<Places> {
    is_huge(kernel, at).then(|| {
        let shapes = at.output_shapes.iter().enumerate();
        shapes.map(|(number, shape)| of_output(shape, Rng::new(case.seed, number as u64))).collect()
    })
}

fn of_output(shape: &[usize], mut rng: Rng) -> BTreeSet<usize> {
    let size: usize = shape.iter().product();
    if size <= ANYWHERE {
        return (0..size).collect();
    }
    let mut out: BTreeSet<usize> = (0..ANYWHERE).map(|_| rng.below(size as u64) as usize).collect();
    let near = |extent: &usize| -> BTreeSet<usize> {
        let ends = (0..CORNER).flat_map(|n| [n, extent.wrapping_sub(n + 1)]);
        ends.filter(|n| n < extent).collect()
    };
    let mut corners = vec![0];
    for extent in shape {
        let along = near(extent);
        corners = corners.iter().flat_map(|at| along.iter().map(move |n| at * extent + n)).collect();
    }
    out.extend(corners);
    out
}

/// Evaluates all outputs, or chosen elements of each: of the others nothing is promised.
pub fn evaluate(
    at: &OpCase,
    inputs: &[Tensor],
    meaning: &Meaning,
    chosen: Option<&Places>,
) -> Result<Vec<Output>, String> {
    let Some(chosen) = chosen else {
        return at.evaluate(inputs, meaning, Elements::All).map_err(|e| e.to_string());
    };
    let beside = if matches!(meaning, Meaning::Bars(_)) { f64::INFINITY } else { 0.0 };
    let one = |(output, places): (usize, &BTreeSet<usize>)| -> Result<Output, String> {
        let places: Vec<usize> = places.iter().copied().collect();
        let of = Elements::Of(output, &places);
        let made = at.evaluate(inputs, meaning, of).map_err(|e| e.to_string())?.swap_remove(0);
        let size = made.shape.iter().product();
        let spread = |numbers: &[f64], rest: f64| {
            let mut all = vec![rest; if numbers.is_empty() { 0 } else { size }];
            places.iter().zip(numbers).for_each(|(place, number)| all[*place] = *number);
            all
        };
        Ok(Output { values: spread(&made.values, 0.0), bars: spread(&made.bars, beside), ..made })
    };
    chosen.iter().enumerate().map(one).collect()
}

impl Prepared<'_> {
    /// Whether an element is compared.
    pub(crate) fn compares(&self, output: usize, element: usize) -> bool {
        self.chosen.as_ref().is_none_or(|chosen| chosen[output].contains(&element))
    }

    /// The same with the rows that what came out casts doubt on.
    pub(crate) fn with_doubtful(mut self, came_out: &[Vec<f64>]) -> Self {
        let Some(mut chosen) = self.chosen.take() else { return self };
        let promise = self.setup.promise(&self.at, &self.inputs, self.structured);
        for (output, (got, places)) in came_out.iter().zip(&mut chosen).enumerate() {
            let seed = self.case.seed;
            if let Ok(Some(more)) = self.at.doubtful(&self.inputs, &promise, (output, got), seed) {
                places.extend(more);
            }
        }
        self.chosen = Some(chosen);
        self
    }
}

/// What of huge cases is compared, as gaps say it.
pub fn gaps(kernel: &Kernel, cases: &[Case]) -> Vec<String> {
    let gap = |case: &Case| {
        let at = case.bind(&kernel.op).ok()?;
        let chosen = places(kernel, case, &at)?;
        let each = chosen.iter().zip(&at.output_shapes).enumerate().map(|(output, (places, shape))| {
            let size: usize = shape.iter().product();
            let whole = at.is_product(output) && kernel.contract.round.is_empty();
            let others = if whole { ", the others in sums of rows with random signs" } else { "" };
            let name = &kernel.op.outputs[output].name;
            format!("{} of {size} elements of {name} are compared{others}", places.len())
        });
        Some(format!("{case} is huge: {}", each.collect::<Vec<_>>().join("; ")))
    };
    cases.iter().filter_map(gap).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn corners_and_places_of_the_seed_are_chosen() {
        let shape = [100, 70, 3];
        let places = |seed| of_output(&shape, Rng::new(seed, 0));
        let corner = |m: usize, n: usize, k: usize| (m * 70 + n) * 3 + k;
        for at in [corner(0, 0, 0), corner(99, 69, 2), corner(3, 66, 0), corner(96, 3, 1)] {
            assert!(places(1).contains(&at), "{at}");
        }
        assert!(places(1).len() > 3500 && places(1).iter().all(|at| *at < 21000));
        assert_eq!(places(1), places(1));
        assert_ne!(places(1), places(2));
        assert_eq!(of_output(&[5, 7], Rng::new(1, 0)).len(), 35);
    }
}
