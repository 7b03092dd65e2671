//! Evaluates recurrences: one place of the running index after another, in blocks across the others. Where an index
//! runs beside it whose places have nothing to do with each other, its parts are taken in parallel.

use std::sync::atomic::Ordering;

use rayon::prelude::*;

use super::demand::{boxed, whole};
use super::driver::{Ranges, Run};
use super::lane::{Lane, Reordered};
use super::magnitude::Magnitude;
use super::plane::Plane;
use super::run::{Machine, Trouble};
use crate::case::{Axis, BoundStage};
use crate::node::Ty;
use crate::op::Recurrence;

/// Elements for which what a recurrence reads is computed at once.
const AHEAD: usize = 1 << 14;
/// Fewer elements in each place than this are not worth a thread of their own.
const APART: usize = 64;

/// Stages with their values.
pub type Planes = Vec<(usize, Plane)>;

/// What steps that are taken in another order may do to values.
struct Slack {
    by: Reordered,
    /// Beside the magnitudes of the values, the largest up to each of them: a product of the factors since then that
    /// underflows is off by about a smallest number, times what it is multiplied by.
    magnitudes: Planes,
    /// What products of what values are multiplied by come to.
    products: Planes,
}

/// How far below the largest number is far enough from it: products may be joined in any order.
const MARGIN: f64 = 0.25;

impl<L: Lane> Run<'_, L> {
    /// The values of a recurrence's stages, all of them.
    pub fn recurrence(&self, recurrence: &Recurrence, shared: &[Option<Plane>]) -> Result<Planes, Trouble> {
        let spaces: Vec<Ranges> = recurrence.stages.iter().map(|s| whole(&self.stages[*s])).collect();
        let slack = self.lane.reordered().map(|by| {
            let mut magnitudes = self.magnitudes(recurrence, shared, 0.0)?;
            for ((_, plane), (axis, space)) in magnitudes.iter_mut().zip(recurrence.axes.iter().zip(&spaces))
            {
                largest_so_far(plane, space[*axis].1, plane.strides[*axis] as usize, recurrence.backwards);
            }
            let products = self.magnitudes(recurrence, shared, 1.0)?;
            Ok(Slack { by, magnitudes, products })
        });
        let slack: Option<Slack> = slack.transpose()?;
        let parts = self.parts(recurrence, &spaces);
        let made: Vec<Planes> = parts
            .par_iter()
            .map(|part| self.part(recurrence, shared, part, slack.as_ref()))
            .collect::<Result<_, _>>()?;
        if let [_] = made[..] {
            return Ok(made.into_iter().flatten().collect());
        }
        let mut out: Planes = Vec::new();
        for (member, stage) in recurrence.stages.iter().enumerate() {
            let mut plane = Plane::over(&boxed(&self.stages[*stage], &spaces[member]), L::SECOND);
            for (part, made) in parts.iter().zip(&made) {
                plane.set(&made[member].1, &part[member]);
            }
            out.push((*stage, plane));
        }
        Ok(out)
    }

    /// The magnitudes of a recurrence's values, beside them, none below the floor.
    fn magnitudes(
        &self,
        recurrence: &Recurrence,
        shared: &[Option<Plane>],
        floor: f64,
    ) -> Result<Planes, Trouble> {
        let of_stage = |(plane, stage): (&Option<Plane>, &BoundStage)| {
            let size = |v: &f64| if stage.ty == Ty::Real { v.abs() } else { 0.0 };
            plane.as_ref().map(|p| Plane { b: p.v.iter().map(size).collect(), ..p.clone() })
        };
        let shared: Vec<Option<Plane>> = shared.iter().zip(self.stages).map(of_stage).collect();
        let Run { stages, recurrences, tensors, progress, spare, .. } = *self;
        let lane = &Magnitude { floor };
        let run = Run { stages, recurrences, tensors, lane, progress, spare, held: &[] };
        run.recurrence(recurrence, &shared)
    }

    /// The boxes that are computed apart: for each the ranges of every stage.
    fn parts(&self, recurrence: &Recurrence, spaces: &[Ranges]) -> Vec<Vec<Ranges>> {
        let Some(apart) = &recurrence.apart else { return vec![spaces.to_vec()] };
        let (lo, extent) = spaces[0][apart[0]];
        let same = spaces.iter().zip(apart).all(|(space, at)| space[*at] == (lo, extent));
        let slice = spaces.iter().zip(&recurrence.axes).map(|(s, at)| elements(s) / s[*at].1.max(1)).max();
        let most = slice.unwrap_or(1) / APART;
        let count = rayon::current_num_threads().min(extent).min(most).max(1);
        if !same || count == 1 {
            return vec![spaces.to_vec()];
        }
        let cut = |number: usize| -> Vec<Ranges> {
            let (from, to) = (number * extent / count, (number + 1) * extent / count);
            let cut = |(space, at): (&Ranges, &usize)| {
                let mut space = space.clone();
                space[*at] = (lo + from as i64, to - from);
                space
            };
            spaces.iter().zip(apart).map(cut).collect()
        };
        (0..count).map(cut).collect()
    }

    /// The values over one box, in the recurrence's direction.
    fn part(
        &self,
        recurrence: &Recurrence,
        shared: &[Option<Plane>],
        part: &[Ranges],
        slack: Option<&Slack>,
    ) -> Result<Planes, Trouble> {
        let (lo, extent) = part[0][recurrence.axes[0]];
        let slice = part.iter().map(elements).max().unwrap_or(1) / extent.max(1);
        let ahead = (AHEAD / slice.max(1)).clamp(1, extent.max(1));
        let boxes: Vec<Vec<Axis>> = self.boxes(recurrence, part);
        let mut planes: Vec<Plane> = boxes.iter().map(|axes| Plane::over(axes, L::SECOND)).collect();
        let mut done = 0;
        while done < extent {
            let count = ahead.min(extent - done);
            let first = if recurrence.backwards { extent - done - count } else { done };
            let mut machine = self.ahead(recurrence, shared, part, (lo + first as i64, count))?;
            for (stage, plane) in recurrence.stages.iter().zip(planes.drain(..)) {
                machine.local[*stage] = Some(plane);
            }
            for step in 0..count {
                let at = if recurrence.backwards { first + count - 1 - step } else { first + step };
                self.step(&mut machine, recurrence, &boxes, lo + at as i64, slack)?;
            }
            let taken = recurrence.stages.iter().map(|s| machine.local[*s].take().unwrap_or_default());
            planes = taken.collect();
            done += count;
        }
        Ok(recurrence.stages.iter().copied().zip(planes).collect())
    }

    fn boxes(&self, recurrence: &Recurrence, part: &[Ranges]) -> Vec<Vec<Axis>> {
        recurrence.stages.iter().zip(part).map(|(s, ranges)| boxed(&self.stages[*s], ranges)).collect()
    }

    /// A machine with all that some places of the recurrence read of other stages.
    fn ahead<'m>(
        &'m self,
        recurrence: &Recurrence,
        shared: &'m [Option<Plane>],
        part: &[Ranges],
        places: (i64, usize),
    ) -> Result<Machine<'m, L>, Trouble> {
        let members = &recurrence.stages;
        let have: Vec<bool> =
            shared.iter().enumerate().map(|(s, plane)| plane.is_some() || members.contains(&s)).collect();
        let range = |stage: usize| {
            let at = members.iter().position(|m| *m == stage).unwrap_or(0);
            let mut range = part[at].clone();
            range[recurrence.axes[at]] = places;
            range
        };
        let demand = self.demand_of(members, &have, &range);
        self.machine(&demand, shared, members)
    }

    /// All stages of the recurrence at one place.
    fn step(
        &self,
        machine: &mut Machine<L>,
        recurrence: &Recurrence,
        boxes: &[Vec<Axis>],
        place: i64,
        slack: Option<&Slack>,
    ) -> Result<(), Trouble> {
        if self.progress.stop.load(Ordering::Relaxed) {
            return Err(Trouble::Cancelled);
        }
        for (member, stage) in recurrence.stages.iter().enumerate() {
            let (mut axes, running) = (boxes[member].clone(), recurrence.axes[member]);
            (axes[running].lo, axes[running].extent) = (place, 1);
            let mut slice = machine.stage(*stage, &self.stages[*stage], &axes)?;
            let floor = self.lane.floor();
            if floor > 0.0 {
                slice.b.iter_mut().for_each(|b| *b = b.max(floor));
            }
            if let Some(slack) = slack
                && self.stages[*stage].ty == Ty::Real
            {
                slack.widen(member, &axes, &mut slice);
            }
            let ranges: Ranges = axes.iter().map(|a| (a.lo, a.extent)).collect();
            if let Some(plane) = &mut machine.local[*stage] {
                plane.set(&slice, &ranges);
            }
        }
        Ok(())
    }
}

impl Slack {
    /// Widens the bars of some values of a member.
    fn widen(&self, member: usize, axes: &[Axis], slice: &mut Plane) {
        let Reordered { unit, tiny, most } = self.by;
        let magnitudes = self.magnitudes[member].1.part(axes);
        let products = self.products[member].1.part(axes).b;
        let beside = magnitudes.b.iter().zip(&magnitudes.v).zip(&products);
        for ((v, b), ((magnitude, reach), product)) in slice.v.iter().zip(&mut slice.b).zip(beside) {
            // what a NaN is joined with is NaN in any order
            if v.is_nan() && *b < f64::INFINITY {
                continue;
            }
            *b += unit * (magnitude - v.abs()).max(0.0) + tiny * reach;
            if *product > MARGIN * most {
                *b = f64::INFINITY;
            }
        }
    }
}

/// Sets each value to the largest of what stands beside those up to it along one index, which has so many places, so
/// far apart.
fn largest_so_far(plane: &mut Plane, extent: usize, stride: usize, backwards: bool) {
    plane.v.clone_from(&plane.b);
    for row in plane.v.chunks_mut((extent * stride).max(1)) {
        for step in 1..extent {
            let at = if backwards { extent - 1 - step } else { step };
            let before = if backwards { at + 1 } else { at - 1 };
            for beside in 0..stride {
                row[at * stride + beside] = row[at * stride + beside].max(row[before * stride + beside]);
            }
        }
    }
}

fn elements(ranges: &Ranges) -> usize {
    ranges.iter().map(|(_, extent)| extent).product()
}
