//! Which box of each stage a box of outputs needs.

use crate::case::{Axis, BoundKind, BoundStage};
use crate::code::{Code, CodeKind, ReadCode, interval, walk};
use crate::node::Source;

/// For each stage the box that is needed, if any: first value and extent of each dimension.
pub type Demand = Vec<Option<Vec<(i64, usize)>>>;

/// The boxes needed of all stages for `wanted` boxes of some; stages that `have` marks are there already.
pub fn demand(stages: &[BoundStage], wanted: &[(usize, Vec<(i64, usize)>)], have: &[bool]) -> Demand {
    let mut demand: Demand = vec![None; stages.len()];
    for (stage, range) in wanted {
        join(&mut demand[*stage], range);
    }
    // what recurs may need a stage that comes after it, and that one other stages
    while walked(stages, have, &mut demand) {}
    demand
}

/// Adds what all stages need, the last first. Whether one was found to need more that was walked already.
fn walked(stages: &[BoundStage], have: &[bool], demand: &mut Demand) -> bool {
    let mut again = false;
    for number in (0..stages.len()).rev() {
        if let Some(ranges) = demand[number].clone() {
            let axes = boxed(&stages[number], &ranges);
            for code in codes(&stages[number]) {
                walk(code, &mut |c| {
                    if let CodeKind::Read(read) = &c.kind {
                        let more = add_read(read, &stages[number], &axes, have, demand);
                        again |= more.is_some_and(|source| source > number);
                    }
                });
            }
        }
    }
    again
}

/// The axes of a stage cut down to a box.
pub fn boxed(stage: &BoundStage, ranges: &[(i64, usize)]) -> Vec<Axis> {
    let axes = stage.space.iter().zip(ranges);
    axes.map(|(axis, (lo, extent))| Axis { var: axis.var, lo: *lo, extent: *extent }).collect()
}

/// The box of a stage's whole space.
pub fn whole(stage: &BoundStage) -> Vec<(i64, usize)> {
    stage.space.iter().map(|a| (a.lo, a.extent)).collect()
}

/// Everything that is computed for each element of a stage.
pub fn codes(stage: &BoundStage) -> Vec<&Code> {
    let guard = stage.guard.iter();
    match &stage.kind {
        BoundKind::Map(code) => guard.chain([code]).collect(),
        BoundKind::Reduce { condition, term, .. } => guard.chain(condition).chain([term]).collect(),
    }
}

fn over(stage: &BoundStage) -> &[Axis] {
    match &stage.kind {
        BoundKind::Map(_) => &[],
        BoundKind::Reduce { over, .. } => over,
    }
}

/// The stage that is needed further than before.
fn add_read(
    read: &ReadCode,
    stage: &BoundStage,
    axes: &[Axis],
    have: &[bool],
    demand: &mut Demand,
) -> Option<usize> {
    let Source::Stage(source) = read.source else { return None };
    if have[source] {
        return None;
    }
    let ranges = |var: usize| {
        let axis = axes.iter().chain(over(stage)).find(|a| a.var == var)?;
        Some((axis.lo, axis.lo + axis.extent as i64 - 1))
    };
    let needed: Vec<(i64, usize)> = read
        .indices
        .iter()
        .zip(&read.bounds)
        .map(|(index, (lo, extent))| match interval(&index.code, &ranges) {
            // of an empty range nothing
            Some(_) if *extent == 0 => (*lo, 0),
            Some((first, last)) => {
                let top = lo + *extent as i64 - 1;
                let (first, last) = (first.clamp(*lo, top.max(*lo)), last.clamp(*lo, top.max(*lo)));
                (first, (last - first + 1).max(0) as usize)
            }
            None => (*lo, *extent),
        })
        .collect();
    join(&mut demand[source], &needed).then_some(source)
}

/// Whether that is more than there was.
fn join(into: &mut Option<Vec<(i64, usize)>>, ranges: &[(i64, usize)]) -> bool {
    let Some(have) = into else {
        *into = Some(ranges.to_vec());
        return true;
    };
    let mut more = false;
    for ((lo, extent), (other, length)) in have.iter_mut().zip(ranges) {
        let end = (*lo + *extent as i64).max(other + *length as i64);
        let joined = ((*lo).min(*other), (end - (*lo).min(*other)) as usize);
        more |= joined != (*lo, *extent);
        (*lo, *extent) = joined;
    }
    more
}
