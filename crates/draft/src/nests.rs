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
    if space.is_empty() {
        w.block();
    }
    for var in &space {
        let (lo, hi) = w.bounds(*var);
        let name = w.bind(*var);
        w.open(&w.dialect.range(&name, &lo, &hi));
    }
    if let Some(output) = copy {
        let at = w.place(group[0]);
        let (from, to) =
            (w.stores.name(Store::Scratch(group[0])), w.stores.name(store_of_output(w.op, output)));
        let (from, to) = (w.dialect.element(from, &at), w.dialect.element(to, &at));
        w.line(&format!("{to} = {from};"));
    } else {
        for (store, place, value) in w.computed(&group) {
            let element = w.dialect.element(w.stores.name(store), &place);
            w.line(&format!("{element} = {value};"));
        }
        w.unguard(group[0]);
    }
    for _ in 0..space.len().max(1) {
        w.close();
    }
}

fn recurrence_loops(w: &mut Writer, number: usize) {
    match apart(w.op, w.steps, &w.op.recurrences[number]) {
        Some(var) => {
            let (lo, hi) = w.bounds(var);
            let name = w.bind(var);
            w.open(&w.dialect.range(&name, &lo, &hi));
        }
        None => w.block(),
    }
    w.recurrence(number);
    w.close();
}
