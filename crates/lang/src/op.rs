//! A checked op: its dimensions, scalars, tensors, constraints and stages. Plain data, made by `check` and
//! `lower`.

use ktwin_num::{DType, Sorted, pow2};

use crate::ast::File;
use crate::diagnostic::{Checked, Diagnostic};
use crate::fold;
use crate::form::Form;
use crate::node::{Node, NodeKind, Reduce, Source, Ty, Var};
use crate::sources::{Find, Sources};
use crate::ties::Ties;
use crate::valid::Valid;

/// A dimension by name.
#[derive(Clone, Debug)]
pub struct Dim {
    pub name: String,
}

/// A scalar of the op.
#[derive(Clone, Debug)]
pub struct Scalar {
    pub name: String,
    pub ty: Ty,
    pub default: Option<Value>,
    pub domain: DomainNode,
}

/// A scalar's value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value {
    Int(i64),
    Real(f64),
    Bool(bool),
}

impl Value {
    /// As a real number; booleans are 0 and 1.
    pub fn to_f64(self) -> f64 {
        match self {
            Value::Int(v) => v as f64,
            Value::Real(v) => v,
            Value::Bool(v) => f64::from(u8::from(v)),
        }
    }
}

impl std::fmt::Display for Value {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Value::Int(v) => write!(f, "{v}"),
            Value::Real(v) => write!(f, "{v:?}"),
            Value::Bool(v) => write!(f, "{v}"),
        }
    }
}

/// The values something may have: sides as expressions over dimensions and integer scalars, open or not.
#[derive(Clone, Debug, Default)]
pub struct DomainNode {
    pub lo: Option<Node>,
    pub hi: Option<Node>,
    pub lo_open: bool,
    pub hi_open: bool,
    pub integer: bool,
    /// The order of an input's elements.
    pub sorted: Option<Sorted>,
}

impl DomainNode {
    /// The type that elements are read by which are stored in one: integers with a sign are bits, where the op takes
    /// every number of so many bits.
    pub fn read_as(&self, stored: DType) -> DType {
        let side = |node: &Option<Node>| node.as_ref().and_then(fold::constant).map(Value::to_f64);
        match stored {
            DType::Int { bits, signed: true }
                if self.integer
                    && side(&self.lo) == Some(0.0)
                    && side(&self.hi) == Some(pow2(bits as i32)) =>
            {
                DType::Int { bits, signed: false }
            }
            other => other,
        }
    }
}

/// What a tensor is to the op.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    Input,
    Output,
    /// An output written over the input of the same name.
    InPlace,
}

/// A tensor of the op.
#[derive(Clone, Debug)]
pub struct TensorInfo {
    pub name: String,
    pub dims: Vec<Node>,
    /// Its dimensions as they are written, each by itself: `N`, `2 * D`.
    pub axes: Vec<String>,
    pub integer: bool,
    pub domain: DomainNode,
    pub role: Role,
    /// Whether it is a random variable.
    pub drawn: bool,
}

/// As it is declared: `x[N, D]`.
impl std::fmt::Display for TensorInfo {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.axes.is_empty() {
            true => f.write_str(&self.name),
            false => write!(f, "{}[{}]", self.name, self.axes.join(", ")),
        }
    }
}

/// One thing to evaluate over a space of index variables.
#[derive(Clone, Debug)]
pub struct Stage {
    /// The definition's name; a hoisted reduction has the name of the definition it came from and a number.
    pub name: String,
    /// Whether the name is one that the op's author wrote.
    pub written: bool,
    pub ty: Ty,
    pub space: Vec<usize>,
    /// Where it holds false the stage is not needed, and must not read.
    pub guard: Option<Node>,
    pub kind: StageKind,
}

#[derive(Clone, Debug)]
pub enum StageKind {
    Map(Node),
    Reduce(Reduce),
}

impl Stage {
    /// Calls `change` on the source of every read of this stage.
    pub(crate) fn sources_mut(&mut self, change: &mut dyn FnMut(&mut Source)) {
        self.guard.iter_mut().for_each(|n| n.sources_mut(change));
        match &mut self.kind {
            StageKind::Map(body) => body.sources_mut(change),
            StageKind::Reduce(r) => {
                r.condition.iter_mut().chain([&mut r.term]).for_each(|n| n.sources_mut(change));
            }
        }
    }

    /// The expressions that it is made of.
    pub fn nodes(&self) -> Vec<&Node> {
        let guard = self.guard.iter();
        match &self.kind {
            StageKind::Map(body) => guard.chain([body]).collect(),
            StageKind::Reduce(r) => guard.chain(&r.condition).chain([&r.term]).collect(),
        }
    }

    /// Whether every read of those stages for which `place` has one of their indices reads it at the value of this
    /// stage's own index `at`.
    pub(crate) fn reads_at_its_place(&self, at: usize, place: &dyn Fn(usize) -> Option<usize>) -> bool {
        let mut kept = true;
        for node in self.nodes() {
            node.walk(&mut |n| {
                if let NodeKind::Read(read) = &n.kind
                    && let Source::Stage(of) = read.source
                    && let Some(of) = place(of)
                {
                    kept &= matches!(read.indices[of].kind, NodeKind::Var(v) if v == self.space[at]);
                }
            });
        }
        kept
    }
}

/// Stages that read themselves, or each other, at earlier places of an index.
#[derive(Clone, Debug)]
pub struct Recurrence {
    /// By number, in the order in which they are computed at one place.
    pub stages: Vec<usize>,
    /// Which index of each stage's space runs.
    pub axes: Vec<usize>,
    /// Whether it runs from its end to its start.
    pub backwards: bool,
    /// Which index of each stage's space they share and always read at its own place, if there is one: places of it
    /// have nothing to do with each other.
    pub apart: Option<Vec<usize>>,
}

/// A checked op.
#[derive(Clone, Debug)]
pub struct Op {
    pub name: String,
    /// The comment lines at the top.
    pub description: Vec<String>,
    pub text: String,
    /// The file's name as the caller gave it.
    pub file: String,
    pub dims: Vec<Dim>,
    pub scalars: Vec<Scalar>,
    pub inputs: Vec<TensorInfo>,
    /// Its random variables, which reads number on from the inputs.
    pub random: Vec<TensorInfo>,
    pub outputs: Vec<TensorInfo>,
    pub constraints: Vec<Node>,
    pub vars: Vec<Var>,
    /// In an order in which each depends on earlier ones only, but for recurrences.
    pub stages: Vec<Stage>,
    /// Stages that are computed together, one place of an index after another.
    pub recurrences: Vec<Recurrence>,
    /// The stage of each output.
    pub output_stages: Vec<usize>,
    /// What of its outputs may be chosen otherwise.
    pub ties: Vec<Ties>,
    /// What of its outputs is promised, where that depends on the data.
    pub valid: Vec<Valid>,
    /// Other ways of writing its definitions.
    pub forms: Vec<Form>,
}

impl Op {
    /// The inputs that no definition reads.
    pub fn unread(&self) -> impl Iterator<Item = &TensorInfo> {
        let unread = |(at, _): &(usize, &TensorInfo)| !self.reads(Source::Tensor(*at));
        self.inputs.iter().enumerate().filter(unread).map(|(_, input)| input)
    }

    /// Whether any definition reads this.
    pub(crate) fn reads(&self, source: Source) -> bool {
        let mut found = false;
        for node in self.stages.iter().flat_map(|stage| stage.nodes()) {
            node.walk(&mut |n| found |= matches!(&n.kind, NodeKind::Read(read) if read.source == source));
        }
        found
    }

    /// Parses and checks one `.op` file; `file` is only for messages. All ops that it calls stand in the file.
    pub fn parse(file: &str, text: &str) -> Result<Op, Diagnostic> {
        Op::parse_with(file, text, &|_| None)
    }

    /// Parses and checks one `.op` file that may call ops of other files. Their texts become part of its own.
    pub fn parse_with(file: &str, text: &str, find: Find) -> Result<Op, Diagnostic> {
        let sources = Sources::gather(file, text, find)?;
        let (tree, calls) = crate::compose::compose(&sources).map_err(|mistake| sources.locate(mistake))?;
        Op::made(&tree, file, &sources.text).map_err(|mut mistake| {
            if let Some((_, op)) = calls.iter().find(|(span, _)| *span == mistake.span) {
                mistake.message = format!("in `{op}`: {}", mistake.message);
            }
            sources.locate(mistake)
        })
    }

    fn made(tree: &File, file: &str, text: &str) -> Checked<Op> {
        let op = crate::check::check(tree, file, text)?;
        let ties = crate::ties::check(tree, &op, file, text)?;
        let mut forms = crate::form::check(tree, file, text)?;
        let valid = crate::valid::check(tree, &op, file, text)?;
        for form in &mut forms {
            (form.op.ties, form.op.valid) = (ties.clone(), valid.clone());
        }
        Ok(Op { forms, ties, valid, ..op })
    }

    /// The first line of the description, without the op's own name.
    pub fn summary(&self) -> &str {
        let line = self.description.first().map_or("", String::as_str);
        line.split_once("--").map_or(line, |(_, rest)| rest).trim()
    }

    /// The dimensions that a constraint names together with this scalar.
    pub fn dims_tied_to(&self, scalar: usize) -> Vec<usize> {
        let mut tied = Vec::new();
        for constraint in &self.constraints {
            let (mut dims, mut named) = (Vec::new(), false);
            constraint.walk(&mut |node| match node.kind {
                NodeKind::Dim(dim) => dims.push(dim),
                NodeKind::Scalar(number) => named |= number == scalar,
                _ => {}
            });
            tied.extend(dims.into_iter().filter(|_| named));
        }
        tied.sort_unstable();
        tied.dedup();
        tied
    }

    /// The number of the dimension of this name.
    pub fn dim(&self, name: &str) -> Option<usize> {
        self.dims.iter().position(|d| d.name == name)
    }

    /// The number of the scalar of this name.
    pub fn scalar(&self, name: &str) -> Option<usize> {
        self.scalars.iter().position(|s| s.name == name)
    }

    /// The input of this name.
    pub fn input(&self, name: &str) -> Option<usize> {
        self.inputs.iter().position(|t| t.name == name)
    }

    /// The output of this name.
    pub fn output(&self, name: &str) -> Option<usize> {
        self.outputs.iter().position(|t| t.name == name)
    }
}
