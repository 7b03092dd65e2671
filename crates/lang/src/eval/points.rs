//! Evaluates chosen elements only, so that a huge output can be checked without holding it.

use rayon::prelude::*;

use super::driver::{Run, Values};
use super::lane::Lane;
use super::plane::Plane;
use super::run::Trouble;
use super::value::Reals;

/// A run of elements along the last dimension may leave so many out for each that is wanted.
const SPARSE: usize = 8;

impl<L: Lane> Run<'_, L> {
    /// The values of chosen elements of one output, given by their place in row-major order.
    pub fn elements(&self, output: usize, stage: usize, places: &[usize]) -> Result<Values, Trouble> {
        if let Some(values) = self.product_elements(output, stage, places)? {
            return Ok(values);
        }
        let shared = self.shared(&[stage])?;
        let extents: Vec<usize> = self.stages[stage].space.iter().map(|a| a.extent).collect();
        let runs = runs(places, extents.last().copied().unwrap_or(1));
        let parts: Vec<Vec<(usize, f64, f64)>> = runs
            .par_iter()
            .map(|run| self.run_of_elements(output, stage, &shared, &extents, places, run))
            .collect::<Result<_, _>>()?;
        let mut out = (vec![0.0; places.len()], vec![0.0; if L::SECOND { places.len() } else { 0 }]);
        for (at, v, b) in parts.into_iter().flatten() {
            out.0[at] = v;
            if L::SECOND {
                out.1[at] = b;
            }
        }
        Ok(out)
    }

    /// Some elements of one row: the box from the first to the last of them.
    fn run_of_elements(
        &self,
        output: usize,
        stage: usize,
        shared: &[Option<Plane>],
        extents: &[usize],
        places: &[usize],
        run: &[usize],
    ) -> Result<Vec<(usize, f64, f64)>, Trouble> {
        let first = places[run[0]];
        let last = run.iter().map(|at| places[*at]).max().unwrap_or(first);
        let mut ranges = vec![(0, 1); extents.len()];
        let mut rest = first;
        for (range, extent) in ranges.iter_mut().zip(extents).rev() {
            range.0 = rest % extent;
            rest /= extent;
        }
        if let Some(range) = ranges.last_mut() {
            range.1 = last - first + 1;
        }
        let plane = self.panel(&[stage], shared, &ranges)?.swap_remove(0);
        let mut values = Reals { v: plane.v, b: plane.b };
        self.lane.output(output, &mut values);
        let pick = |at: &usize| {
            let lane = places[*at] - first;
            (*at, values.v[lane], values.b.get(lane).copied().unwrap_or(0.0))
        };
        Ok(run.iter().map(pick).collect())
    }
}

/// The numbers of the wanted elements, grouped: each group lies in one row and close together.
fn runs(places: &[usize], row: usize) -> Vec<Vec<usize>> {
    let mut order: Vec<usize> = (0..places.len()).collect();
    order.sort_unstable_by_key(|at| places[*at]);
    let mut out: Vec<Vec<usize>> = Vec::new();
    for at in order {
        let near = |group: &Vec<usize>| {
            let (first, last) = (places[group[0]], places[group[group.len() - 1]]);
            first / row == places[at] / row && places[at] - last <= SPARSE
        };
        match out.last_mut().filter(|group| near(group)) {
            Some(group) => group.push(at),
            None => out.push(vec![at]),
        }
    }
    out
}
