//! How a function in Python is called that somebody handed in: plain data for the device, and the contract that follows
//! from it and the op.

use ktwin_lang::{Op, Ty};
use serde::{Deserialize, Serialize};

use crate::contract::Contract;
use crate::device::Number;

/// The benchmark whose way of calling is meant.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Style {
    /// KernelBench: a module `ModelNew`, made with `init`, its parameters those of `state`, and called with `pass`.
    #[default]
    KernelBench,
    /// GPU MODE: `custom_kernel(data)`, where `data` is what `pass` says.
    GpuMode,
}

impl Style {
    /// Both.
    pub const ALL: [Style; 2] = [Style::KernelBench, Style::GpuMode];

    /// What tasks call it.
    pub fn name(self) -> &'static str {
        match self {
            Style::KernelBench => "kernelbench",
            Style::GpuMode => "gpumode",
        }
    }

    /// What the problem's own file defines.
    pub fn own_entry(self) -> &'static str {
        match self {
            Style::KernelBench => "Model",
            Style::GpuMode => "ref_kernel",
        }
    }

    /// What submissions define.
    pub fn entry(self) -> &'static str {
        match self {
            Style::KernelBench => "ModelNew",
            Style::GpuMode => "custom_kernel",
        }
    }
}

/// How a function is called.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Calling {
    /// As which benchmark calls it.
    pub style: Style,
    /// What it is called.
    pub entry: String,
    /// What it is given: names of tensors, sizes and scalars.
    pub pass: Vec<String>,
    /// Whether that is one thing by itself, and not a list of one.
    pub alone: bool,
    /// What a module is made with.
    pub init: Vec<Given>,
    /// Inputs that are parameters of the module, by the parameters' names.
    pub state: Vec<(String, String)>,
    /// Modules that submissions may import: their names and their texts.
    pub modules: Vec<(String, String)>,
    /// The op's tensors, and the words that tell of their sizes.
    pub tensors: Vec<(String, Vec<String>)>,
    /// Its outputs, and the buffer that each is written to.
    pub outputs: Vec<(String, String)>,
    /// Words that are truths.
    pub truths: Vec<String>,
}

/// Something that a module is made with.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Given {
    /// A number as it is.
    Number(Number),
    /// A size or a scalar of the op.
    Name(String),
    /// Several of them, as a tuple.
    Several(Vec<Given>),
}

impl Given {
    /// The names in it.
    pub(crate) fn names(&self) -> Vec<&str> {
        match self {
            Given::Number(_) => Vec::new(),
            Given::Name(name) => vec![name],
            Given::Several(all) => all.iter().flat_map(Given::names).collect(),
        }
    }
}

impl Calling {
    /// The same for an op under these terms.
    pub(crate) fn of(&self, op: &Op, terms: &Contract) -> Calling {
        let tensors = op.inputs.iter().chain(&op.outputs).map(|t| (t.name.clone(), t.axes.clone()));
        let truths = op.scalars.iter().filter(|s| s.ty == Ty::Bool).map(|s| s.name.clone());
        let over = |name: &String| {
            let named = terms.inplace.iter().find(|(output, _)| **output == *name);
            named.map_or(name.clone(), |(_, input)| input.text.clone())
        };
        let outputs = op.outputs.iter().map(|t| (t.name.clone(), over(&t.name)));
        Calling {
            tensors: tensors.collect(),
            truths: truths.collect(),
            outputs: outputs.collect(),
            ..self.clone()
        }
    }

    /// Whether anything hands this to the function.
    pub(crate) fn hands_over(&self, name: &str) -> bool {
        let made_with = self.init.iter().any(|given| given.names().contains(&name));
        made_with || self.pass.iter().any(|own| own == name) || self.state.iter().any(|(own, _)| own == name)
    }

    /// The contract of a function that is called so, as TOML: every tensor, and every value that it may be told.
    pub(crate) fn contract(&self, op: &Op) -> String {
        let inputs = op.inputs.iter().map(|t| &t.name);
        let written =
            self.outputs.iter().filter(|(_, buffer)| op.input(buffer).is_none()).map(|(name, _)| name);
        let mut args: Vec<String> = inputs.chain(written).map(|name| format!("{name:?}")).collect();
        let words: Vec<String> = told(op).iter().map(|(name, ty)| format!("{name:?} = {ty:?}")).collect();
        if !words.is_empty() {
            args.push(format!("{{ {} }}", words.join(", ")));
        }
        format!("entry = {:?}\nargs = [{}]\n", self.entry, args.join(", "))
    }
}

/// Every value that a function may be told: sizes, scalars and whatever shapes are made of, with their types.
pub fn told(op: &Op) -> Vec<(String, &'static str)> {
    let scalars = op.scalars.iter().map(|s| {
        let ty = match s.ty {
            Ty::Int => "i64",
            Ty::Real => "f32",
            Ty::Bool => "u32",
        };
        (s.name.clone(), ty)
    });
    let mut all: Vec<_> = op.dims.iter().map(|d| (d.name.clone(), "i64")).chain(scalars).collect();
    for axis in op.inputs.iter().chain(&op.outputs).flat_map(|t| &t.axes) {
        if axis.parse::<i64>().is_err() && !all.iter().any(|(name, _)| name == axis) {
            all.push((axis.clone(), "i64"));
        }
    }
    all
}
