//! Drafts for the host: a nest of loops a step, one after the other. What the languages share.

use crate::expr::Writer;
use crate::names::Names;
use crate::recur::apart;
use crate::steps::Step;
use crate::stores::{Store, store_of_output};

/// Writes the loops of all steps.
pub fn nests(w: &mut Writer, names: &Names) {
    for (at, step) in w.steps.steps.iter().enumerate() {
        if at > 0 {
            w.lines.push(String::new());
        }
        w.names = names.clone();
        step_loops(w, step);
    }
}

fn step_loops(w: &mut Writer, step: &Step) {
    let (group, copy) = match step {
        Step::Compute(group) => (group.clone(), None),
        Step::Copy { stage, output } => (vec![*stage], Some(*output)),
        Step::Recur(number) => return recurrence_loops(w, *number),
    };
    let space = w.op.stages[group[0]].space.clone();
    w.over(&space, |w| match copy {
        Some(output) => {
            let at = w.place(group[0]);
            let (from, to) =
                (w.stores.name(Store::Scratch(group[0])), w.stores.name(store_of_output(w.op, output)));
            let (from, to) = (w.dialect.element(from, &at), w.dialect.element(to, &at));
            w.line(&format!("{to} = {from};"));
        }
        None => w.written(&group),
    });
}

fn recurrence_loops(w: &mut Writer, number: usize) {
    let apart: Vec<usize> = apart(w.op, w.steps, &w.op.recurrences[number]).into_iter().collect();
    w.over(&apart, |w| w.recurrence(number));
}
