//! Typed expressions: names resolved, integers and reals told apart. Plain data and walks over it.

use crate::diagnostic::Span;
use crate::func::Func;

/// The type of an expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Ty {
    Int,
    Real,
    Bool,
}

impl Ty {
    /// As messages name it.
    pub fn shown(self) -> &'static str {
        match self {
            Ty::Int => "an integer",
            Ty::Real => "a real",
            Ty::Bool => "a truth value",
        }
    }
}

/// What a read reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Source {
    /// An input, by its number.
    Tensor(usize),
    /// A definition or stage, by its number.
    Stage(usize),
}

/// `x[i, j]`, padded or not.
#[derive(Clone, Debug)]
pub struct Read {
    pub source: Source,
    pub indices: Vec<Node>,
    pub otherwise: Option<Node>,
}

/// How a reduction joins its terms.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Fold {
    Sum,
    Mean,
    Prod,
    Max,
    Min,
    ArgMax,
    ArgMin,
    Any,
}

/// A reduction over one or several indices.
#[derive(Clone, Debug)]
pub struct Reduce {
    pub fold: Fold,
    pub over: Vec<usize>,
    pub condition: Option<Node>,
    pub term: Node,
}

/// A typed expression.
#[derive(Clone, Debug)]
pub struct Node {
    pub kind: NodeKind,
    pub ty: Ty,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub enum NodeKind {
    Int(i64),
    Real(f64),
    Bool(bool),
    /// An index variable.
    Var(usize),
    Dim(usize),
    Scalar(usize),
    Read(Box<Read>),
    Apply(Func, Vec<Node>),
    If(Box<[Node; 3]>),
    Reduce(Box<Reduce>),
}

/// An index variable: its name and its range, integer expressions over dimensions and integer scalars.
#[derive(Clone, Debug)]
pub struct Var {
    pub name: String,
    pub lo: Node,
    pub hi: Node,
    /// The dimension it ranges over, where it is one.
    pub dim: Option<usize>,
}

impl Node {
    pub fn new(kind: NodeKind, ty: Ty, span: Span) -> Node {
        Node { kind, ty, span }
    }

    pub fn int(value: i64, span: Span) -> Node {
        Node::new(NodeKind::Int(value), Ty::Int, span)
    }

    pub fn var(var: usize, span: Span) -> Node {
        Node::new(NodeKind::Var(var), Ty::Int, span)
    }

    pub fn apply(func: Func, args: Vec<Node>, span: Span) -> Node {
        let types: Vec<Ty> = args.iter().map(|a| a.ty).collect();
        Node::new(NodeKind::Apply(func, args), func.result(&types), span)
    }

    /// This node as a real: integers are converted.
    pub fn into_real(self) -> Node {
        let span = self.span;
        match (&self.kind, self.ty) {
            (NodeKind::Int(value), _) => Node::new(NodeKind::Real(*value as f64), Ty::Real, span),
            (_, Ty::Int) => Node::apply(Func::ToReal, vec![self], span),
            _ => self,
        }
    }

    /// The nodes right below this one.
    pub fn children(&self) -> Vec<&Node> {
        match &self.kind {
            NodeKind::Read(read) => read.indices.iter().chain(&read.otherwise).collect(),
            NodeKind::Apply(_, args) => args.iter().collect(),
            NodeKind::If(parts) => parts.iter().collect(),
            NodeKind::Reduce(reduce) => reduce.condition.iter().chain([&reduce.term]).collect(),
            _ => Vec::new(),
        }
    }

    /// Calls `change` on the source of every read in this node.
    pub(crate) fn sources_mut(&mut self, change: &mut dyn FnMut(&mut Source)) {
        match &mut self.kind {
            NodeKind::Read(read) => {
                change(&mut read.source);
                read.indices.iter_mut().chain(&mut read.otherwise).for_each(|n| n.sources_mut(change));
            }
            NodeKind::Apply(_, args) => args.iter_mut().for_each(|n| n.sources_mut(change)),
            NodeKind::If(parts) => parts.iter_mut().for_each(|n| n.sources_mut(change)),
            NodeKind::Reduce(reduce) => {
                reduce.condition.iter_mut().chain([&mut reduce.term]).for_each(|n| n.sources_mut(change));
            }
            _ => {}
        }
    }

    /// Calls `see` on this node and all below it, parents first.
    pub fn walk<'a>(&'a self, see: &mut dyn FnMut(&'a Node)) {
        see(self);
        for child in self.children() {
            child.walk(see);
        }
    }

    /// The index variables that are free in this node.
    pub fn free_vars(&self) -> Vec<usize> {
        let mut out = Vec::new();
        self.collect_free(&mut Vec::new(), &mut out);
        out
    }

    fn collect_free(&self, bound: &mut Vec<usize>, out: &mut Vec<usize>) {
        match &self.kind {
            NodeKind::Var(var) if !bound.contains(var) && !out.contains(var) => out.push(*var),
            NodeKind::Reduce(reduce) => {
                let depth = bound.len();
                bound.extend(&reduce.over);
                self.children().into_iter().for_each(|c| c.collect_free(bound, out));
                bound.truncate(depth);
            }
            _ => self.children().into_iter().for_each(|c| c.collect_free(bound, out)),
        }
    }
}

impl Fold {
    /// The reduction of this name.
    pub fn named(name: &str) -> Option<Fold> {
        Some(match name {
            "sum" => Fold::Sum,
            "mean" => Fold::Mean,
            "prod" => Fold::Prod,
            "max" => Fold::Max,
            "min" => Fold::Min,
            "argmax" => Fold::ArgMax,
            "argmin" => Fold::ArgMin,
            "any" => Fold::Any,
            _ => return None,
        })
    }

    /// The name it is written with.
    pub fn name(self) -> &'static str {
        match self {
            Fold::Sum => "sum",
            Fold::Mean => "mean",
            Fold::Prod => "prod",
            Fold::Max => "max",
            Fold::Min => "min",
            Fold::ArgMax => "argmax",
            Fold::ArgMin => "argmin",
            Fold::Any => "any",
        }
    }
}
