//! Evaluates whole outputs: cuts them into panels, computes what all panels share once, and the panels in
//! parallel.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use ktwin_num::{Tensor, copier};
use rayon::prelude::*;

use super::binned::Binned;
use super::demand::{boxed, demand, whole};
use super::given::Given;
use super::lane::Lane;
use super::plane::Plane;
use super::prefix::Prefix;
use super::ranked::Ranked;
use super::run::{Machine, TensorView, Trouble};
use super::spare::Spare;
use super::value::Reals;
use crate::case::{BoundKind, BoundStage, Case};
use crate::code::Code;
use crate::node::Ty;
use crate::op::Recurrence;

/// How far an evaluation is, and whether to go on. Shared with whoever watches.
#[derive(Debug, Default)]
pub struct Progress {
    /// Elements done and elements in all.
    pub done: AtomicU64,
    pub total: AtomicU64,
    /// Set to stop the evaluation at the next panel.
    pub stop: AtomicBool,
}

/// Values and what stands beside them, of one output.
pub type Values = (Vec<f64>, Vec<f64>);

/// A box: first value and extent of each dimension.
pub type Ranges = Vec<(i64, usize)>;

/// Bytes of stage values that a panel may hold: what fits the second-level cache, or more where a matrix
/// product gains by it.
const PANEL_BYTES: usize = 1 << 20;
const PRODUCT_BYTES: usize = 24 << 20;

/// Everything an evaluation works with.
pub struct Run<'a, L: Lane> {
    pub stages: &'a [BoundStage],
    pub recurrences: &'a [Recurrence],
    pub tensors: &'a [TensorView<'a>],
    pub lane: &'a L,
    pub progress: &'a Progress,
    pub spare: &'a Spare,
    /// Stages that an earlier evaluation left; empty where there was none.
    pub held: &'a [Option<Plane>],
}

/// The inputs as the machine addresses them.
pub fn views<'a>(inputs: &'a [Given]) -> Vec<TensorView<'a>> {
    let view = |given: &'a Given| {
        let data: &Tensor = &given.data;
        let strides = data.strides.iter().map(|s| *s as i64).collect();
        TensorView {
            data,
            bars: &given.bars,
            minima: given.minima.as_ref(),
            strides,
            first: data.offset as i64,
        }
    };
    inputs.iter().map(view).collect()
}

impl<L: Lane> Run<'_, L> {
    /// All outputs of a case.
    pub fn outputs(&self, case: &Case) -> Result<Vec<Values>, Trouble> {
        let sizes = case.output_shapes.iter().map(|s| s.iter().product::<usize>() as u64);
        self.progress.total.store(sizes.sum(), Ordering::Relaxed);
        let mut out: Vec<Option<Values>> = vec![None; case.output_shapes.len()];
        while let Some(first) = out.iter().position(Option::is_none) {
            let shape = &case.output_shapes[first];
            let group: Vec<usize> = (first..out.len())
                .filter(|o| out[*o].is_none() && case.output_shapes[*o] == *shape)
                .collect();
            let stages: Vec<usize> = group.iter().map(|o| case.op.output_stages[*o]).collect();
            let shared = self.shared(&stages)?;
            let store = |at: usize, values: &mut Reals| self.lane.output(group[at], values);
            for (output, values) in group.iter().zip(self.group(&stages, &shared, &store)?) {
                out[*output] = Some(values);
            }
        }
        Ok(out.into_iter().flatten().collect())
    }

    /// The stages that every panel of these stages needs whole, computed.
    pub fn shared(&self, wanted: &[usize]) -> Result<Vec<Option<Plane>>, Trouble> {
        let mut shared = self.held.to_vec();
        shared.resize(self.stages.len(), None);
        let have: Vec<bool> = shared.iter().map(Option::is_some).collect();
        let full = self.demand_of(wanted, &have, &|stage| whole(&self.stages[stage]));
        let corner = |stage: usize| self.stages[stage].space.iter().map(|a| (a.lo, 1)).collect();
        let one = self.demand_of(wanted, &have, &corner);
        for stage in 0..self.stages.len() {
            if full[stage].is_none() || shared[stage].is_some() {
                continue;
            }
            if let Some(recurrence) = self.recurrences.iter().find(|r| r.stages.contains(&stage)) {
                for (stage, plane) in self.recurrence(recurrence, &shared)? {
                    shared[stage] = Some(plane);
                }
                continue;
            }
            if passed(&self.stages[stage]).is_some() && self.stages[stage].space.len() == 1 {
                let whole = [(0, self.stages[stage].space[0].extent)];
                shared[stage] = self.panel(&[stage], &shared, &whole)?.pop();
                continue;
            }
            let same = full[stage].is_some() && full[stage] == one[stage] && !wanted.contains(&stage);
            if same && full[stage] == Some(whole(&self.stages[stage])) {
                let (v, b) = self.group(&[stage], &shared, &|_, _| {})?.swap_remove(0);
                let shape = Plane::shape(&self.stages[stage].space);
                shared[stage] = Some(Plane { v, b, ..shape });
            }
        }
        Ok(shared)
    }

    pub(super) fn demand_of(
        &self,
        wanted: &[usize],
        have: &[bool],
        range: &dyn Fn(usize) -> Ranges,
    ) -> super::demand::Demand {
        let wanted: Vec<(usize, Ranges)> = wanted.iter().map(|s| (*s, range(*s))).collect();
        demand(self.stages, &wanted, have)
    }

    /// The whole values of stages of one shape, panel by panel.
    pub(super) fn group(
        &self,
        wanted: &[usize],
        shared: &[Option<Plane>],
        store: &(dyn Fn(usize, &mut Reals) + Sync),
    ) -> Result<Vec<Values>, Trouble> {
        let extents: Vec<usize> = self.stages[wanted[0]].space.iter().map(|a| a.extent).collect();
        let total: usize = extents.iter().product();
        let panels = self.panels(wanted, shared, &extents);
        let second = if L::SECOND { total } else { 0 };
        let mut out: Vec<Values> =
            wanted.iter().map(|_| (self.spare.room(total), self.spare.room(second))).collect();
        let copy = copier(total);
        let jobs = slices(&mut out, &panels);
        jobs.into_par_iter().try_for_each(|(panel, mut slots)| {
            if self.progress.stop.load(Ordering::Relaxed) {
                return Err(Trouble::Cancelled);
            }
            let elements: usize = panel.iter().map(|(_, e)| e).product();
            if let ([stage], [slot]) = (wanted, &mut slots[..])
                && shared[*stage].is_none()
                && let BoundKind::Map(code) = &self.stages[*stage].kind
            {
                let keep = |at: usize, values: &mut Reals| {
                    store(0, values);
                    let end = at + values.v.len();
                    copy(&mut slot.0[at..end], &values.v);
                    if L::SECOND {
                        copy(&mut slot.1[at..end], &values.b);
                    }
                    end
                };
                self.fill(*stage, code, shared, &panel, keep)?;
                self.progress.done.fetch_add(elements as u64, Ordering::Relaxed);
                return Ok(());
            }
            let planes = self.panel(wanted, shared, &panel)?;
            for (at, (plane, (v, b))) in planes.into_iter().zip(&mut slots).enumerate() {
                let mut values = Reals { v: plane.v, b: plane.b };
                store(at, &mut values);
                copy(v, &values.v);
                copy(b, &values.b);
            }
            self.progress.done.fetch_add((elements * wanted.len()) as u64, Ordering::Relaxed);
            Ok(())
        })?;
        Ok(out)
    }

    /// Computes a stage without a reduction over one box, once what it needs is computed, and hands its values to
    /// `keep`, part by part, with the place of each part's first value; it says where the next part begins.
    fn fill(
        &self,
        stage: usize,
        code: &Code,
        shared: &[Option<Plane>],
        panel: &[(usize, usize)],
        mut keep: impl FnMut(usize, &mut Reals) -> usize,
    ) -> Result<(), Trouble> {
        let demand = self.demand_of_panel(&[stage], shared, panel);
        let machine = self.machine(&demand, shared, &[stage])?;
        let axes = boxed(&self.stages[stage], &self.range(stage, panel));
        let mut at = 0;
        machine.map(stage, code, &axes, |values| at = keep(at, values))
    }

    /// A panel of a stage, in the values of its indices.
    fn range(&self, stage: usize, panel: &[(usize, usize)]) -> Ranges {
        let axes = self.stages[stage].space.iter().zip(panel);
        axes.map(|(axis, (first, extent))| (axis.lo + *first as i64, *extent)).collect()
    }

    fn demand_of_panel(
        &self,
        wanted: &[usize],
        shared: &[Option<Plane>],
        panel: &[(usize, usize)],
    ) -> super::demand::Demand {
        let have: Vec<bool> = shared.iter().map(Option::is_some).collect();
        let open: Vec<usize> = wanted.iter().copied().filter(|stage| !have[*stage]).collect();
        self.demand_of(&open, &have, &|stage| self.range(stage, panel))
    }

    /// A machine with everything computed that is demanded, but for these stages.
    pub(super) fn machine<'m>(
        &'m self,
        demand: &super::demand::Demand,
        shared: &'m [Option<Plane>],
        but: &[usize],
    ) -> Result<Machine<'m, L>, Trouble> {
        let mut machine = Machine::new(self.lane, self.tensors, shared, self.stages.len(), self.progress);
        for (number, ranges) in demand.iter().enumerate().filter(|(n, _)| !but.contains(n)) {
            if let Some(ranges) = ranges {
                let axes = boxed(&self.stages[number], ranges);
                machine.local[number] = Some(machine.stage(number, &self.stages[number], &axes)?);
            }
        }
        Ok(machine)
    }

    /// The values of stages over one box, with all that they need.
    pub fn panel(
        &self,
        wanted: &[usize],
        shared: &[Option<Plane>],
        panel: &[(usize, usize)],
    ) -> Result<Vec<Plane>, Trouble> {
        let demand = self.demand_of_panel(wanted, shared, panel);
        let mut machine = self.machine(&demand, shared, &[])?;
        let take = |stage: &usize| {
            let (bound, range) = (&self.stages[*stage], self.range(*stage, panel));
            match (machine.local[*stage].take(), &shared[*stage]) {
                // another output may need more of this stage than the panel: cut the panel out
                (Some(plane), _) if demand[*stage].as_deref().is_none_or(|have| have == range) => plane,
                (Some(plane), _) => plane.part(&boxed(bound, &range)),
                (None, Some(plane)) => plane.part(&boxed(bound, &range)),
                (None, None) => Plane::default(),
            }
        };
        Ok(wanted.iter().map(take).collect())
    }

    /// The boxes that the outputs are cut into, in row-major order.
    fn panels(
        &self,
        wanted: &[usize],
        shared: &[Option<Plane>],
        extents: &[usize],
    ) -> Vec<Vec<(usize, usize)>> {
        let total: usize = extents.iter().product();
        if extents.is_empty() || total == 0 {
            return vec![extents.iter().map(|e| (0, *e)).collect()];
        }
        let threads = rayon::current_num_threads();
        for split in 0..extents.len() {
            let before: usize = extents[..split].iter().product();
            let fits = |rows: usize| self.panel_fits(wanted, shared, &corner_box(extents, split, rows));
            if !fits(1) && split + 1 < extents.len() {
                continue;
            }
            // enough panels that no thread waits long, large enough to be worth their overhead; a matrix
            // product lays its
            // right side out again for every panel
            let product =
                wanted.iter().any(|s| sums_products(&self.stages[*s])) && self.lane.products().is_some();
            // and each panel takes its pass
            let product = product
                || wanted.iter().any(|s| passed(&self.stages[*s]) == Some(self.stages[*s].space[split].var));
            let least = (if product { threads } else { threads * 4 }).div_ceil(before);
            let mut rows = extents[split].div_ceil(least).max(1);
            while rows > 1 && !fits(rows) {
                rows = rows.div_ceil(2);
            }
            return cut_boxes(extents, split, rows);
        }
        cut_boxes(extents, extents.len() - 1, 1)
    }

    fn panel_fits(&self, wanted: &[usize], shared: &[Option<Plane>], panel: &[(usize, usize)]) -> bool {
        let demand = self.demand_of_panel(wanted, shared, panel);
        let each = if L::SECOND { 16 } else { 8 };
        let mut bytes = 0usize;
        let mut limit = PANEL_BYTES;
        for (stage, ranges) in self.stages.iter().zip(&demand) {
            let Some(ranges) = ranges else { continue };
            let elements = ranges.iter().fold(1usize, |n, (_, e)| n.saturating_mul(*e));
            let product = self.lane.products().is_some() && sums_products(stage);
            limit = if product { PRODUCT_BYTES } else { limit };
            bytes = bytes.saturating_add(elements.saturating_mul(if product { 4 * each } else { each }));
        }
        bytes <= limit
    }
}

/// The index of a stage, a reduction, over all values of which one pass gives the results.
fn passed(stage: &BoundStage) -> Option<usize> {
    let prefix = Prefix::of(stage).map(|prefix| prefix.var);
    let ranked = || Ranked::of(stage).map(|ranked| ranked.var);
    prefix.or_else(ranked).or_else(|| Binned::of(stage).map(|binned| binned.var))
}

/// Whether a stage may be taken as a matrix product.
fn sums_products(stage: &BoundStage) -> bool {
    match &stage.kind {
        BoundKind::Reduce { term, condition: None, over, .. } if stage.ty == Ty::Real => {
            let long = over.iter().map(|a| a.extent).product::<usize>() >= 16;
            long && matches!(term.kind, crate::code::CodeKind::Apply(crate::func::Func::Mul, _))
        }
        _ => false,
    }
}

/// The first box of `rows` along `split`, one along what stands before it, everything along the rest.
fn corner_box(extents: &[usize], split: usize, rows: usize) -> Vec<(usize, usize)> {
    let size = |(at, extent): (usize, &usize)| match at.cmp(&split) {
        std::cmp::Ordering::Less => (0, 1),
        std::cmp::Ordering::Equal => (0, rows),
        std::cmp::Ordering::Greater => (0, *extent),
    };
    extents.iter().enumerate().map(size).collect()
}

fn cut_boxes(extents: &[usize], split: usize, rows: usize) -> Vec<Vec<(usize, usize)>> {
    let before: usize = extents[..split].iter().product();
    let mut out = Vec::new();
    for outer in 0..before {
        for first in (0..extents[split]).step_by(rows) {
            let mut panel = corner_box(extents, split, rows.min(extents[split] - first));
            panel[split].0 = first;
            let mut rest = outer;
            for at in (0..split).rev() {
                panel[at].0 = rest % extents[at];
                rest /= extents[at];
            }
            out.push(panel);
        }
    }
    out
}

type Slot<'o> = (&'o mut [f64], &'o mut [f64]);

/// A panel and its parts of the outputs.
type Job<'o> = (Vec<(usize, usize)>, Vec<Slot<'o>>);

/// Each panel with the parts of the outputs that are its own; panels are contiguous and in order.
fn slices<'o>(out: &'o mut [Values], panels: &[Vec<(usize, usize)>]) -> Vec<Job<'o>> {
    let mut rest: Vec<Slot<'o>> = out.iter_mut().map(|(v, b)| (v.as_mut_slice(), b.as_mut_slice())).collect();
    let mut jobs = Vec::with_capacity(panels.len());
    for panel in panels {
        let size: usize = panel.iter().map(|(_, e)| e).product();
        let mut slots = Vec::with_capacity(rest.len());
        for (v, b) in &mut rest {
            let second = size.min(b.len());
            slots.push((
                std::mem::take(v).split_at_mut_into(size, v),
                std::mem::take(b).split_at_mut_into(second, b),
            ));
        }
        jobs.push((panel.clone(), slots));
    }
    jobs
}

/// Splits a slice, leaving the rest in `rest`.
trait SplitInto<'o> {
    fn split_at_mut_into(self, at: usize, rest: &mut &'o mut [f64]) -> &'o mut [f64];
}

impl<'o> SplitInto<'o> for &'o mut [f64] {
    fn split_at_mut_into(self, at: usize, rest: &mut &'o mut [f64]) -> &'o mut [f64] {
        let (first, second) = self.split_at_mut(at);
        *rest = second;
        first
    }
}
