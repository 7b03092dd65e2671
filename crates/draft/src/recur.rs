//! Recurrences: a loop over the index that runs, in it every definition at that place. What host and GPUs share.

use ktwin_lang::{Op, Recurrence, Ty};

use crate::expr::{ATOM, Text, Writer};
use crate::steps::{Place, Steps};

/// The stages of a recurrence that have a buffer, each with its place among all of them.
pub fn members(steps: &Steps, recurrence: &Recurrence) -> Vec<(usize, usize)> {
    let all = recurrence.stages.iter().copied().enumerate();
    all.filter(|(_, stage)| steps.places[*stage] != Place::Inline).map(|(at, stage)| (stage, at)).collect()
}

/// The index whose places have nothing to do with each other, of the first of its members.
pub fn apart(op: &Op, steps: &Steps, recurrence: &Recurrence) -> Option<usize> {
    let (stage, at) = *members(steps, recurrence).first()?;
    let axes = recurrence.apart.as_ref()?;
    Some(op.stages[stage].space[axes[at]])
}

/// Whether all recurrences can be written so: the members of each follow each other, and have the same places.
pub fn plain(op: &Op) -> bool {
    op.recurrences.iter().all(|recurrence| {
        let stages = &recurrence.stages;
        let (first, last) = (stages.iter().min().copied(), stages.iter().max().copied());
        let run = (first.unwrap_or(0)..=last.unwrap_or(0)).all(|stage| stages.contains(&stage));
        let range = |axes: &[usize], at: usize| {
            let var = &op.vars[op.stages[stages[at]].space[axes[at]]];
            (op.shown(&var.lo), op.shown(&var.hi))
        };
        let alike = |axes: &[usize]| (0..stages.len()).all(|at| range(axes, at) == range(axes, 0));
        run && alike(&recurrence.axes) && recurrence.apart.as_ref().is_none_or(|axes| alike(axes))
    })
}

impl Writer<'_> {
    /// The loop over the places of a recurrence. The index that sets its parts apart is bound already.
    pub fn recurrence(&mut self, number: usize) {
        let recurrence = &self.op.recurrences[number];
        let members = members(self.steps, recurrence);
        let Some(&(first, at)) = members.first() else { return };
        let running = self.op.stages[first].space[recurrence.axes[at]];
        let apart = apart(self.op, self.steps, recurrence).and_then(|var| self.env.get(&var).cloned());
        let (lo, hi) = self.bounds(running);
        let name = self.bind(running);
        if recurrence.backwards {
            let step = self.names.fresh("step");
            self.open(&self.dialect.range(&step, &lo, &hi));
            let place =
                if lo == "0" { format!("{hi} - 1 - {step}") } else { format!("{lo} + {hi} - 1 - {step}") };
            self.line(&self.dialect.constant(Ty::Int, &name, &place));
        } else {
            self.open(&self.dialect.range(&name, &lo, &hi));
        }
        for (stage, at) in members {
            let space = self.op.stages[stage].space.clone();
            self.env.insert(space[recurrence.axes[at]], Text { text: name.clone(), level: ATOM });
            let own = recurrence.apart.as_ref().map(|axes| axes[at]);
            if let (Some(axis), Some(text)) = (own, &apart) {
                self.env.insert(space[axis], text.clone());
            }
            let bound = |axis: usize| axis == recurrence.axes[at] || Some(axis) == own;
            let rest: Vec<usize> =
                space.iter().enumerate().filter(|(axis, _)| !bound(*axis)).map(|(_, var)| *var).collect();
            self.over(&rest, |w| w.written(&[stage]));
        }
        self.close();
    }
}
