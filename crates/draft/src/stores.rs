//! The buffers of a draft: tensors and scratch, their names in the kernel, their shapes.

use ktwin_lang::{Node, Op, Role, Source};

use crate::names::Names;
use crate::steps::{Place, Steps};

/// A buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Store {
    Input(usize),
    Output(usize),
    Scratch(usize),
}

/// All buffers of a draft.
pub struct Stores {
    inputs: Vec<String>,
    outputs: Vec<String>,
    scratch: Vec<String>,
}

impl Stores {
    pub fn new(op: &Op, steps: &Steps, names: &mut Names) -> Stores {
        let inputs: Vec<String> = op.inputs.iter().map(|t| names.fresh(&t.name)).collect();
        let own = |name: &str| op.input(name).map(|at| inputs[at].clone());
        let outputs = op.outputs.iter().map(|t| match t.role {
            Role::InPlace => own(&t.name).unwrap_or_default(),
            _ => names.fresh(&t.name),
        });
        let outputs = outputs.collect();
        let scratch = op.stages.iter().zip(&steps.places).map(|(stage, place)| match place {
            Place::Scratch(Some(_)) => names.fresh(&format!("{}_new", stage.name)),
            Place::Scratch(None) => names.fresh(&stage.name),
            _ => String::new(),
        });
        let scratch = scratch.collect();
        Stores { inputs, outputs, scratch }
    }

    /// Its name in the kernel.
    pub fn name(&self, store: Store) -> &str {
        match store {
            Store::Input(at) => &self.inputs[at],
            Store::Output(at) => &self.outputs[at],
            Store::Scratch(at) => &self.scratch[at],
        }
    }

    /// Inputs, scratch buffers, outputs of their own.
    pub fn all(&self, op: &Op) -> Vec<Store> {
        let inputs = (0..self.inputs.len()).map(Store::Input);
        let scratch = (0..self.scratch.len()).filter(|s| !self.scratch[*s].is_empty()).map(Store::Scratch);
        let outputs =
            (0..self.outputs.len()).filter(|o| op.outputs[*o].role != Role::InPlace).map(Store::Output);
        inputs.chain(scratch).chain(outputs).collect()
    }

    /// Whether the kernel writes it.
    pub fn written(&self, op: &Op, store: Store) -> bool {
        match store {
            Store::Input(at) => {
                op.outputs.iter().any(|o| o.role == Role::InPlace && o.name == op.inputs[at].name)
            }
            _ => true,
        }
    }

    /// Its name in the contract.
    pub fn contract_name(&self, op: &Op, store: Store) -> String {
        match store {
            Store::Input(at) => op.inputs[at].name.clone(),
            Store::Output(at) => op.outputs[at].name.clone(),
            Store::Scratch(at) => self.scratch[at].clone(),
        }
    }
}

/// Where the values of a source stand; none where they are written out.
pub fn store_of(op: &Op, steps: &Steps, source: Source) -> Option<Store> {
    Some(match source {
        Source::Tensor(at) => Store::Input(at),
        Source::Stage(at) => match steps.places[at] {
            Place::Inline => return None,
            Place::Scratch(_) => Store::Scratch(at),
            Place::Output(output) => store_of_output(op, output),
        },
    })
}

/// The buffer of an output; one that is written in place shares its input's.
pub fn store_of_output(op: &Op, output: usize) -> Store {
    match op.input(&op.outputs[output].name) {
        Some(input) if op.outputs[output].role == Role::InPlace => Store::Input(input),
        _ => Store::Output(output),
    }
}

/// The buffer that a stage is written to.
pub fn target(op: &Op, steps: &Steps, stage: usize) -> Store {
    match steps.places[stage] {
        Place::Output(output) => store_of_output(op, output),
        _ => Store::Scratch(stage),
    }
}

/// Whether a buffer holds integers.
pub fn whole(op: &Op, store: Store) -> bool {
    match store {
        Store::Input(at) => op.inputs[at].integer,
        Store::Output(at) => op.outputs[at].integer,
        Store::Scratch(at) => op.stages[at].ty != ktwin_lang::Ty::Real,
    }
}

/// First value and the one after the last, of each index of what a source holds; none below for tensors.
pub fn ranges(op: &Op, source: Source) -> Vec<(Option<&Node>, &Node)> {
    match source {
        Source::Tensor(at) => op.inputs[at].dims.iter().map(|d| (None, d)).collect(),
        Source::Stage(at) => {
            op.stages[at].space.iter().map(|v| (Some(&op.vars[*v].lo), &op.vars[*v].hi)).collect()
        }
    }
}

/// The number of elements of a space, as the contract writes it.
pub fn elements(op: &Op, space: &[usize]) -> String {
    let extents = space.iter().map(|var| {
        let (lo, hi) = (op.shown(&op.vars[*var].lo), op.shown(&op.vars[*var].hi));
        if lo == "0" { hi } else { format!("({hi} - {lo})") }
    });
    let extents: Vec<String> = extents.collect();
    if extents.is_empty() { "1".into() } else { extents.join(" * ") }
}
