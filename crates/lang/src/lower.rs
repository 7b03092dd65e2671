//! Turns definitions into stages: every reduction becomes a stage of its own, computed once for each value
//! of its free
//! indices, however often and wherever it is used.

use std::collections::HashMap;

use crate::check::Defined;
use crate::diagnostic::{Checked, Mistake, Span};
use crate::func::Func;
use crate::node::{Fold, Node, NodeKind, Read, Reduce, Source, Ty};
use crate::op::{Op, Stage, StageKind};

const MAX_STAGES: usize = 256;

/// Fills the stages of `op` from its definitions, given in the order in which they depend on each other.
pub fn lower(mut op: Op, defined: Vec<Defined>) -> Checked<Op> {
    let mut lowering =
        Lowering { op: &op, stages: Vec::new(), of_definition: HashMap::new(), seen: HashMap::new() };
    let mut by_name = HashMap::new();
    for definition in defined {
        let (number, name) = (definition.number, definition.name.clone());
        let stage = lowering.definition(definition)?;
        lowering.of_definition.insert(number, stage);
        by_name.insert(name, stage);
    }
    let stages = lowering.stages;
    op.output_stages = op.outputs.iter().map(|t| by_name[&t.name]).collect();
    op.stages = stages;
    Ok(op)
}

struct Lowering<'a> {
    op: &'a Op,
    stages: Vec<Stage>,
    /// The stage of each definition, by its place in the file.
    of_definition: HashMap<usize, usize>,
    /// Stages of reductions met so far, by their key.
    seen: HashMap<String, usize>,
}

/// Where an expression stands: its definition's name, and the conditions under which it is needed.
#[derive(Clone)]
struct Around {
    name: String,
    guards: Vec<Node>,
}

impl Lowering<'_> {
    fn definition(&mut self, definition: Defined) -> Checked<usize> {
        let around = Around { name: definition.name.clone(), guards: Vec::new() };
        let ty = definition.body.ty;
        let span = definition.body.span;
        let kind = match definition.body.kind {
            NodeKind::Reduce(reduce) => StageKind::Reduce(self.reduce(*reduce, &around)?),
            _ => StageKind::Map(self.expr(definition.body, &around)?),
        };
        let stage =
            Stage { name: definition.name, written: true, ty, space: definition.space, guard: None, kind };
        self.push(stage, span)
    }

    fn push(&mut self, stage: Stage, span: Span) -> Checked<usize> {
        if self.stages.len() >= MAX_STAGES {
            return Err(Mistake::new(
                span,
                format!("an op has at most {MAX_STAGES} definitions and reductions"),
            ));
        }
        self.stages.push(stage);
        Ok(self.stages.len() - 1)
    }

    /// The reduction with the reductions inside it hoisted.
    fn reduce(&mut self, reduce: Reduce, around: &Around) -> Checked<Reduce> {
        let reduce = flattened(reduce);
        let condition = reduce.condition.map(|c| self.expr(c, around)).transpose()?;
        let mut inner = around.clone();
        inner.guards.extend(condition.clone());
        let term = self.expr(reduce.term, &inner)?;
        Ok(Reduce { fold: reduce.fold, over: reduce.over, condition, term })
    }

    /// The expression with every reduction replaced by a read of its own stage.
    fn expr(&mut self, node: Node, around: &Around) -> Checked<Node> {
        let (ty, span) = (node.ty, node.span);
        let kind = match node.kind {
            NodeKind::Reduce(reduce) => return self.hoist(*reduce, ty, span, around),
            NodeKind::Read(read) => NodeKind::Read(Box::new(self.read(*read, around)?)),
            NodeKind::Apply(func, args) => NodeKind::Apply(func, self.args(func, args, around)?),
            NodeKind::If(parts) => {
                let [c, a, b] = *parts;
                let c = self.expr(c, around)?;
                let a = self.expr(a, &around.when(c.clone()))?;
                let b = self.expr(b, &around.when(not(c.clone())))?;
                NodeKind::If(Box::new([c, a, b]))
            }
            other => other,
        };
        Ok(Node::new(kind, ty, span))
    }

    fn args(&mut self, func: Func, args: Vec<Node>, around: &Around) -> Checked<Vec<Node>> {
        let mut out: Vec<Node> = Vec::new();
        for arg in args {
            let around = match (func, out.first()) {
                (Func::And, Some(left)) => around.when(left.clone()),
                (Func::Or, Some(left)) => around.when(not(left.clone())),
                _ => around.clone(),
            };
            out.push(self.expr(arg, &around)?);
        }
        Ok(out)
    }

    fn read(&mut self, read: Read, around: &Around) -> Checked<Read> {
        let source = match read.source {
            Source::Stage(definition) => Source::Stage(self.of_definition[&definition]),
            tensor => tensor,
        };
        let indices = read.indices.into_iter().map(|n| self.expr(n, around)).collect::<Checked<Vec<_>>>()?;
        let otherwise = read.otherwise.map(|n| self.expr(n, around)).transpose()?;
        Ok(Read { source, indices, otherwise })
    }

    /// A stage for a reduction, and the read of it that replaces it.
    fn hoist(&mut self, reduce: Reduce, ty: Ty, span: Span, around: &Around) -> Checked<Node> {
        let reduce = self.reduce(reduce, around)?;
        let node = Node::new(NodeKind::Reduce(Box::new(reduce.clone())), ty, span);
        let guard = around.guards.iter().cloned().reduce(|a, b| Node::apply(Func::And, vec![a, b], span));
        let mut space = node.free_vars();
        for var in guard.iter().flat_map(Node::free_vars) {
            if !space.contains(&var) {
                space.push(var);
            }
        }
        space.sort_unstable();
        let guard_key = guard.as_ref().map_or(String::new(), |g| crate::show::key(g, &self.op.vars));
        let key = format!("{} if {guard_key}", crate::show::key(&node, &self.op.vars));
        let stage = match self.seen.get(&key) {
            Some(stage) => *stage,
            None => {
                let name = format!("{}.{}", around.name, reduce.fold.name());
                let kind = StageKind::Reduce(reduce);
                let stage =
                    self.push(Stage { name, written: false, ty, space: space.clone(), guard, kind }, span)?;
                self.seen.insert(key, stage);
                stage
            }
        };
        let indices = space.iter().map(|v| Node::var(*v, span)).collect();
        Ok(Node::new(
            NodeKind::Read(Box::new(Read { source: Source::Stage(stage), indices, otherwise: None })),
            ty,
            span,
        ))
    }
}

/// A sum of sums as one sum over all their indices: kernels take its terms in any order.
fn flattened(mut reduce: Reduce) -> Reduce {
    while let (Fold::Sum, NodeKind::Reduce(inner)) = (reduce.fold, &mut reduce.term.kind)
        && inner.fold == Fold::Sum
    {
        reduce.over.append(&mut inner.over);
        let span = inner.term.span;
        let conditions = reduce.condition.into_iter().chain(inner.condition.take());
        reduce.condition = conditions.reduce(|a, b| Node::apply(Func::And, vec![a, b], span));
        reduce.term = inner.term.clone();
    }
    reduce
}

impl Around {
    fn when(&self, condition: Node) -> Around {
        let mut guards = self.guards.clone();
        guards.push(condition);
        Around { name: self.name.clone(), guards }
    }
}

fn not(node: Node) -> Node {
    let span = node.span;
    Node::apply(Func::Not, vec![node], span)
}
