//! What a draft computes one after the other: definitions without a reduction stand where they are used, every
//! reduction is kept in a scratch buffer, and outputs of one shape are made together.

use ktwin_lang::{Node, NodeKind, Op, Read, Role, Source, Stage, StageKind};

/// Definitions longer than this are kept in a buffer rather than written again where they are used.
const LONG: usize = 120;

/// Where a stage's values go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// Nowhere: it is written out where it is used.
    Inline,
    /// The output of this number.
    Output(usize),
    /// A scratch buffer; and, where the output of this number is written over an input, that in the end.
    Scratch(Option<usize>),
}

/// One loop over a space of indices.
#[derive(Clone, Debug)]
pub enum Step {
    /// Stages over equal spaces.
    Compute(Vec<usize>),
    /// The recurrence of this number: its stages together, one place of an index after another.
    Recur(usize),
    /// A scratch buffer to the output that it was made for.
    Copy { stage: usize, output: usize },
}

/// The steps, and where each stage goes.
pub struct Steps {
    pub steps: Vec<Step>,
    pub places: Vec<Place>,
}

impl Steps {
    pub fn of(op: &Op) -> Steps {
        let mut weights = vec![0usize; op.stages.len()];
        let mut places = Vec::with_capacity(op.stages.len());
        let hosts: Vec<Option<usize>> = (0..op.stages.len()).map(|stage| host(op, stage)).collect();
        for (at, stage) in op.stages.iter().enumerate() {
            weights[at] = weight(stage, &weights, &places);
            places.push(match hosts[at] {
                Some(_) => Place::Inline,
                None => place(op, at, weights[at], hosts.contains(&Some(at))),
            });
        }
        let mut steps: Vec<Step> = Vec::new();
        let kept = (0..op.stages.len()).filter(|s| places[*s] != Place::Inline);
        for stage in kept {
            if let Some(number) = recurrence_of(op, stage) {
                if !steps.iter().any(|step| matches!(step, Step::Recur(n) if *n == number)) {
                    steps.push(Step::Recur(number));
                }
                continue;
            }
            match steps.last_mut() {
                Some(Step::Compute(group)) if together(op, &places, group, stage) => group.push(stage),
                _ => steps.push(Step::Compute(vec![stage])),
            }
        }
        direct(op, &steps, &mut places);
        for (stage, place) in places.iter().enumerate() {
            if let Place::Scratch(Some(output)) = place {
                steps.push(Step::Copy { stage, output: *output });
            }
        }
        Steps { steps, places }
    }
}

/// The recurrence that a stage is part of.
pub fn recurrence_of(op: &Op, stage: usize) -> Option<usize> {
    op.recurrences.iter().position(|recurrence| recurrence.stages.contains(&stage))
}

/// The definition that a reduction is part of, where nothing else needs it, once an element.
fn host(op: &Op, stage: usize) -> Option<usize> {
    let own = &op.stages[stage];
    let nowhere = vec![Place::Scratch(None); op.stages.len()];
    let mut readers = Vec::new();
    for other in 0..op.stages.len() {
        all_reads(op, &nowhere, other, &mut |read, _| {
            if read.source == Source::Stage(stage) {
                readers.push(other);
            }
        });
    }
    let [reader] = readers[..] else { return None };
    let around = &op.stages[reader];
    let within = own.space.len() == around.space.len() && own.space.iter().all(|v| around.space.contains(v));
    let fits = !own.written && own.guard.is_none() && matches!(around.kind, StageKind::Map(_));
    (fits && within).then_some(reader)
}

fn place(op: &Op, stage: usize, weight: usize, hosts: bool) -> Place {
    let output = op.output_stages.iter().position(|s| *s == stage);
    match (output, &op.stages[stage].kind) {
        (Some(output), _) if op.outputs[output].role == Role::InPlace => Place::Scratch(Some(output)),
        (Some(output), _) => Place::Output(output),
        (None, StageKind::Map(_)) if weight <= LONG && !hosts && recurrence_of(op, stage).is_none() => {
            Place::Inline
        }
        _ => Place::Scratch(None),
    }
}

/// What a stage computes, its guard left out.
fn expressions(stage: &Stage) -> Vec<&Node> {
    match &stage.kind {
        StageKind::Map(node) => vec![node],
        StageKind::Reduce(reduce) => reduce.condition.iter().chain([&reduce.term]).collect(),
    }
}

/// The nodes of a stage as it is written out.
fn weight(stage: &Stage, weights: &[usize], places: &[Place]) -> usize {
    let mut sum = 0;
    for node in expressions(stage) {
        node.walk(&mut |n| {
            sum += 1;
            if let NodeKind::Read(read) = &n.kind
                && let Source::Stage(at) = read.source
                && places.get(at) == Some(&Place::Inline)
            {
                sum += weights[at];
            }
        });
    }
    sum
}

/// Whether a stage may share a loop with others: no reductions, the same space, none reads another.
fn together(op: &Op, places: &[Place], group: &[usize], stage: usize) -> bool {
    let map = |s: usize| matches!(op.stages[s].kind, StageKind::Map(_)) && op.stages[s].guard.is_none();
    let alone = !reads_any(op, places, stage, group);
    map(stage) && group.iter().all(|s| map(*s)) && same_space(op, group[0], stage) && alone
}

fn same_space(op: &Op, a: usize, b: usize) -> bool {
    let (a, b) = (&op.stages[a].space, &op.stages[b].space);
    let range = |v: usize| (op.vars[v].name.clone(), op.vars[v].dim);
    a.len() == b.len()
        && a.iter().zip(b).all(|(a, b)| a == b || (range(*a) == range(*b) && range(*a).1.is_some()))
}

fn reads_any(op: &Op, places: &[Place], stage: usize, of: &[usize]) -> bool {
    let mut found = false;
    all_reads(op, places, stage, &mut |read, _| {
        found |= matches!(read.source, Source::Stage(s) if of.contains(&s))
    });
    found
}

/// Calls `see` on every read of a stage as it is written out, with the stage that the read is part of.
fn all_reads<'a>(op: &'a Op, places: &[Place], stage: usize, see: &mut dyn FnMut(&'a Read, usize)) {
    for node in expressions(&op.stages[stage]).into_iter().chain(&op.stages[stage].guard) {
        node.walk(&mut |n| {
            if let NodeKind::Read(read) = &n.kind {
                see(read, stage);
                if let Source::Stage(inner) = read.source
                    && places[inner] == Place::Inline
                {
                    all_reads(op, places, inner, see);
                }
            }
        });
    }
}

/// Outputs over an input need no scratch buffer where each element is read just where it is written.
fn direct(op: &Op, steps: &[Step], places: &mut [Place]) {
    let all_before = places.to_vec();
    for stage in 0..places.len() {
        let Place::Scratch(Some(output)) = places[stage] else { continue };
        let input = op.input(&op.outputs[output].name);
        let group = steps.iter().find_map(|step| match step {
            Step::Compute(group) if group.contains(&stage) => Some(group.clone()),
            _ => None,
        });
        let group = group.unwrap_or_default();
        let mut safe = matches!(op.stages[stage].kind, StageKind::Map(_));
        for other in (0..places.len()).filter(|s| all_before[*s] != Place::Inline) {
            all_reads(op, &all_before, other, &mut |read, inside| {
                let touched = matches!(read.source, Source::Tensor(t) if Some(t) == input);
                // what a later step reads of the output is the new value: its buffer has it
                let inline = matches!(read.source, Source::Stage(s) if all_before[s] == Place::Inline);
                let own = reads_own(op, read, inside);
                safe &= !touched || (group.contains(&other) && own);
                safe &= !inline || own || !group.contains(&other);
            });
        }
        if safe {
            places[stage] = Place::Output(output);
        }
    }
}

/// Whether a read is of the element that the stage around it computes.
fn reads_own(op: &Op, read: &Read, stage: usize) -> bool {
    let space = &op.stages[stage].space;
    let own = |(index, var): (&Node, &usize)| matches!(index.kind, NodeKind::Var(v) if v == *var);
    read.indices.len() == space.len() && read.indices.iter().zip(space).all(own)
}
