//! Turns definitions into stages: every reduction becomes a stage of its own, computed once for each value
//! of its free
//! indices, however often and wherever it is used.

use std::collections::HashMap;

use crate::define::{Defined, Resolved};
use crate::diagnostic::{Checked, Mistake, Span};
use crate::func::Func;
use crate::node::{Fold, Node, NodeKind, Read, Reduce, Source, Ty};
use crate::op::{Op, Recurrence, Stage, StageKind};
use crate::recurrence::Running;

const MAX_STAGES: usize = 256;

/// Definitions that have no stage yet have numbers from here on.
const PENDING: usize = 1 << 32;

/// Fills the stages of `op` from its definitions, given in the order in which they depend on each other.
pub fn lower(mut op: Op, defined: Vec<Resolved>) -> Checked<Op> {
    let mut lowering =
        Lowering { op: &op, stages: Vec::new(), of_definition: HashMap::new(), seen: HashMap::new() };
    let mut by_name = HashMap::new();
    let mut recurrences = Vec::new();
    for group in defined {
        let first = lowering.stages.len();
        for definition in group.definitions {
            let (number, name) = (definition.number, definition.name.clone());
            let stage = lowering.definition(definition)?;
            lowering.of_definition.insert(number, stage);
            by_name.insert(name, stage);
        }
        if let Some(running) = &group.running {
            recurrences.push(lowering.recurrence(running, first));
        }
    }
    let stages = lowering.stages;
    op.output_stages = op.outputs.iter().map(|t| by_name[&t.name]).collect();
    op.stages = stages;
    op.recurrences = recurrences;
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

    /// What of the stages from `first` on is a recurrence, once all its definitions are there.
    fn recurrence(&mut self, running: &Running, first: usize) -> Recurrence {
        for stage in &mut self.stages[first..] {
            let of_definition = &self.of_definition;
            stage.sources_mut(&mut |source| {
                if let Source::Stage(at @ PENDING..) = source {
                    *at = of_definition[&(*at - PENDING)];
                }
            });
        }
        let own: Vec<usize> = running.members.iter().map(|m| self.of_definition[m]).collect();
        let mut members = own.clone();
        for at in first..self.stages.len() {
            let mut reads = false;
            self.stages[at].sources_mut(&mut |source| {
                reads |= matches!(source, Source::Stage(of) if members.contains(of));
            });
            if reads && !members.contains(&at) {
                members.push(at);
            }
        }
        members.sort_unstable();
        let vars = &self.op.vars;
        let place =
            |stage: usize, name: &str| self.stages[stage].space.iter().position(|v| vars[*v].name == name);
        let axes = members.iter().map(|m| place(*m, &running.index).unwrap_or(0)).collect();
        let names = self.stages[own[0]].space.iter().map(|v| vars[*v].name.as_str());
        let apart = names.filter(|name| *name != running.index).find_map(|name| {
            let places = members.iter().map(|m| place(*m, name)).collect::<Option<Vec<_>>>()?;
            let kept = members.iter().zip(&places).all(|(m, at)| {
                self.stages[*m]
                    .reads_at_its_place(*at, &|of| members.iter().position(|m| *m == of).map(|k| places[k]))
            });
            kept.then_some(places)
        });
        Recurrence { stages: members, axes, backwards: running.backwards, apart }
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
            Source::Stage(definition) => {
                // a definition of the same recurrence may have no stage yet
                let stage = self.of_definition.get(&definition).copied();
                Source::Stage(stage.unwrap_or(PENDING + definition))
            }
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
