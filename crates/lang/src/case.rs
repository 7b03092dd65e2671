//! An op at given sizes and scalars: everything symbolic replaced by numbers, ready to evaluate.

use std::fmt;

use ktwin_num::{Domain, nearest};

use crate::code::{self, Code, Compiler};
use crate::fold::{self, Known};
use crate::node::{Fold, NodeKind, Ty};
use crate::op::{DomainNode, Op, StageKind, Value};
use crate::solve::solved;

/// Why an op cannot be evaluated at these sizes, or on these inputs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CaseError(pub String);

impl fmt::Display for CaseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for CaseError {}

pub(crate) fn wrong<T>(message: impl Into<String>) -> Result<T, CaseError> {
    Err(CaseError(message.into()))
}

/// Most elements a tensor of a case may have.
pub(crate) const MAX_ELEMENTS: usize = 1 << 40;

/// An op at given sizes and scalars.
#[derive(Clone, Debug)]
pub struct Case<'a> {
    pub op: &'a Op,
    pub dims: Vec<i64>,
    pub scalars: Vec<Value>,
    /// Of the inputs, and after them of the random variables.
    pub input_shapes: Vec<Vec<usize>>,
    pub output_shapes: Vec<Vec<usize>>,
    pub(crate) stages: Vec<BoundStage>,
}

/// A stage with its ranges and its compiled expressions.
#[derive(Clone, Debug)]
pub(crate) struct BoundStage {
    /// The variables of its space with first value and extent, in order.
    pub space: Vec<Axis>,
    pub guard: Option<Code>,
    pub ty: Ty,
    pub kind: BoundKind,
    /// How many terms it adds up.
    pub terms: usize,
    /// Whether no honest kernel computes it as less than zero.
    pub above: bool,
}

/// An index variable's range in one case.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Axis {
    pub var: usize,
    pub lo: i64,
    pub extent: usize,
}

/// The points of a space; more than can be counted are as many as can.
pub(crate) fn points(axes: &[Axis]) -> usize {
    axes.iter().fold(1, |points: usize, axis| points.saturating_mul(axis.extent))
}

#[derive(Clone, Debug)]
pub(crate) enum BoundKind {
    Map(Code),
    Reduce { fold: Fold, over: Vec<Axis>, condition: Option<Code>, term: Code },
}

impl Op {
    /// The op at these sizes and scalars; what is not given follows from constraints or defaults.
    pub fn bind(&self, dims: &[(&str, i64)], scalars: &[(&str, Value)]) -> Result<Case<'_>, CaseError> {
        let known = self.known(dims, scalars)?;
        self.check_constraints(&known)?;
        let shapes = |tensors: &[crate::op::TensorInfo]| -> Result<Vec<Vec<usize>>, CaseError> {
            tensors.iter().map(|t| self.shape(t, &known)).collect()
        };
        let (mut input_shapes, output_shapes) = (shapes(&self.inputs)?, shapes(&self.outputs)?);
        input_shapes.extend(shapes(&self.random)?);
        let stages = self.bind_stages(&known, &input_shapes)?;
        self.check_outputs(&stages, &output_shapes)?;
        Ok(Case {
            op: self,
            dims: known.dims.iter().flatten().copied().collect(),
            scalars: known.scalars.iter().flatten().copied().collect(),
            input_shapes,
            output_shapes,
            stages,
        })
    }

    /// Every size and scalar of a case, if the op takes them together: what `bind` needs, without binding.
    pub fn takes(
        &self,
        dims: &[(&str, i64)],
        scalars: &[(&str, Value)],
    ) -> Result<(Vec<i64>, Vec<Value>), CaseError> {
        let known = self.known(dims, scalars)?;
        self.check_constraints(&known)?;
        for tensor in self.inputs.iter().chain(&self.random).chain(&self.outputs) {
            self.shape(tensor, &known)?;
        }
        let Known { dims, scalars } = known;
        Ok((dims.into_iter().flatten().collect(), scalars.into_iter().flatten().collect()))
    }

    fn known(&self, dims: &[(&str, i64)], scalars: &[(&str, Value)]) -> Result<Known, CaseError> {
        let mut known = Known { dims: vec![None; self.dims.len()], scalars: vec![None; self.scalars.len()] };
        for (name, size) in dims {
            let Some(at) = self.dim(name) else {
                return wrong(self.no_such("dimension", name, self.dims.iter().map(|d| d.name.as_str())));
            };
            if *size < 1 {
                return wrong(format!("dimension {name} is {size}; it must be at least 1"));
            }
            known.dims[at] = Some(*size);
        }
        for (name, value) in scalars {
            let Some(at) = self.scalar(name) else {
                return wrong(self.no_such("scalar", name, self.scalars.iter().map(|s| s.name.as_str())));
            };
            known.scalars[at] = Some(self.typed(at, *value)?);
        }
        self.derive_dims(&mut known);
        self.default_scalars(&mut known)?;
        self.derive_dims(&mut known);
        if let Some(at) = known.dims.iter().position(Option::is_none) {
            let name = &self.dims[at].name;
            return wrong(format!("op {}: dimension {name} has no size: write {name}=...", self.name));
        }
        self.check_scalars(&known)?;
        Ok(known)
    }

    fn no_such<'b>(&self, what: &str, name: &str, known: impl Iterator<Item = &'b str> + Clone) -> String {
        let list: Vec<&str> = known.clone().collect();
        let near = nearest(name, known).map_or(String::new(), |n| format!("; did you mean {n}?"));
        match list.is_empty() {
            true => format!("op {} has no {what} `{name}`: it has none at all", self.name),
            false => format!("op {} has no {what} `{name}`{near} (it has {})", self.name, list.join(", ")),
        }
    }

    fn typed(&self, at: usize, value: Value) -> Result<Value, CaseError> {
        let scalar = &self.scalars[at];
        match (scalar.ty, value) {
            (Ty::Real, v @ (Value::Int(_) | Value::Real(_))) => Ok(Value::Real(v.to_f64())),
            (Ty::Int, Value::Int(v)) => Ok(Value::Int(v)),
            (Ty::Int, Value::Real(v)) if v.fract() == 0.0 && v.abs() < 9e15 => Ok(Value::Int(v as i64)),
            (Ty::Bool, Value::Bool(v)) => Ok(Value::Bool(v)),
            (Ty::Bool, Value::Int(v @ (0 | 1))) => Ok(Value::Bool(v == 1)),
            (ty, v) => {
                wrong(format!("scalar {} of op {} is {}, `{v}` is not", scalar.name, self.name, ty.shown()))
            }
        }
    }

    /// Sizes that follow from constraints.
    fn derive_dims(&self, known: &mut Known) {
        for _ in 0..self.dims.len() {
            let open = known.dims.iter().filter(|dim| dim.is_none()).count();
            for constraint in &self.constraints {
                if let Some((dim, size)) = solved(constraint, known) {
                    known.dims[dim].get_or_insert(size);
                }
            }
            if known.dims.iter().filter(|dim| dim.is_none()).count() == open {
                return;
            }
        }
    }

    fn default_scalars(&self, known: &mut Known) -> Result<(), CaseError> {
        for (at, scalar) in self.scalars.iter().enumerate() {
            if known.scalars[at].is_some() {
                continue;
            }
            let from_domain = match scalar.ty {
                // an empty domain takes any value here: `check_scalars` refuses it
                Ty::Int if scalar.domain.integer => self
                    .domain(&scalar.domain, known)
                    .map(|d| Value::Int(0.0f64.min(d.hi - 1.0).max(d.lo).clamp(-9e15, 9e15) as i64)),
                _ => None,
            };
            match scalar.default.or(from_domain) {
                Some(value) => known.scalars[at] = Some(value),
                None => {
                    let name = &scalar.name;
                    return wrong(format!(
                        "op {}: scalar {name} has no default: write {name}=...",
                        self.name
                    ));
                }
            }
        }
        Ok(())
    }

    fn check_scalars(&self, known: &Known) -> Result<(), CaseError> {
        for (at, scalar) in self.scalars.iter().enumerate() {
            let Some(domain) = self.domain(&scalar.domain, known) else { continue };
            let Some(value) = known.scalars[at] else { continue };
            // a side that is open to large numbers is not open to infinity
            let declared = scalar.domain.lo.is_some() || scalar.domain.hi.is_some();
            let infinite = declared && value.to_f64().is_infinite();
            if scalar.ty != Ty::Bool && (infinite || !inside(&domain, value.to_f64())) {
                return wrong(format!(
                    "scalar {}={value} is outside its domain {}",
                    scalar.name,
                    shown(&domain)
                ));
            }
        }
        Ok(())
    }

    fn check_constraints(&self, known: &Known) -> Result<(), CaseError> {
        for constraint in &self.constraints {
            if fold::value(constraint, known) == Some(Value::Bool(true)) {
                continue;
            }
            let text = crate::show::node(constraint, &self.dims, &self.scalars, &self.vars);
            let mut values = Vec::new();
            constraint.walk(&mut |node| {
                let shown = match node.kind {
                    NodeKind::Dim(dim) => known.dims[dim].map(|v| format!("{} = {v}", self.dims[dim].name)),
                    NodeKind::Scalar(s) => {
                        known.scalars[s].map(|v| format!("{} = {v}", self.scalars[s].name))
                    }
                    _ => None,
                };
                values.extend(shown.filter(|s| !values.contains(s)).into_iter().collect::<Vec<_>>());
            });
            return wrong(format!("op {} needs {text}; here {}", self.name, values.join(", ")));
        }
        Ok(())
    }

    fn shape(&self, tensor: &crate::op::TensorInfo, known: &Known) -> Result<Vec<usize>, CaseError> {
        let mut total = 1usize;
        let mut out = Vec::new();
        for dim in &tensor.dims {
            let size = fold::integer(dim, known).filter(|s| *s > 0);
            let Some(size) = size else {
                return wrong(format!("op {}: {tensor} has no positive size here", self.name));
            };
            total = total.saturating_mul(size as usize);
            out.push(size as usize);
        }
        match total <= MAX_ELEMENTS {
            true => Ok(out),
            false => wrong(format!("op {}: {tensor} would have {total} elements", self.name)),
        }
    }

    /// A domain's sides as numbers; none where a side is not known yet.
    pub(crate) fn domain(&self, domain: &DomainNode, known: &Known) -> Option<Domain> {
        let side = |node: &Option<crate::node::Node>, otherwise: f64| match node {
            Some(node) => fold::value(node, known).map(Value::to_f64),
            None => Some(otherwise),
        };
        Some(Domain {
            lo: side(&domain.lo, f64::NEG_INFINITY)?,
            hi: side(&domain.hi, f64::INFINITY)?,
            lo_open: domain.lo_open,
            hi_open: domain.hi_open,
            integer: domain.integer,
            sorted: domain.sorted,
        })
    }

    fn axis(&self, var: usize, known: &Known) -> Result<Axis, CaseError> {
        let v = &self.vars[var];
        match (fold::integer(&v.lo, known), fold::integer(&v.hi, known)) {
            (Some(lo), Some(hi)) if hi.saturating_sub(lo) <= MAX_ELEMENTS as i64 => {
                Ok(Axis { var, lo, extent: usize::try_from(hi.saturating_sub(lo)).unwrap_or(0) })
            }
            _ => wrong(format!("op {}: index {} has too long a range here", self.name, v.name)),
        }
    }

    fn bind_stages(&self, known: &Known, inputs: &[Vec<usize>]) -> Result<Vec<BoundStage>, CaseError> {
        let axes = |vars: &[usize]| vars.iter().map(|v| self.axis(*v, known)).collect::<Result<Vec<_>, _>>();
        let spaces = self.stages.iter().map(|s| axes(&s.space)).collect::<Result<Vec<_>, _>>()?;
        self.check_recurrences(&spaces)?;
        let mut stages: Vec<BoundStage> = Vec::new();
        for (stage, space) in self.stages.iter().zip(&spaces) {
            let mut around = space.clone();
            let (kind, guard);
            let compile = |node: &crate::node::Node, around: &[Axis], stages: &[BoundStage]| {
                Compiler { inputs, spaces: &spaces, stages, axes: around }.compile(&fold::bind(node, known))
            };
            match &stage.kind {
                StageKind::Map(body) => {
                    let mut code = compile(body, &around, &stages);
                    code::mark_operands(&mut code, false);
                    kind = BoundKind::Map(code);
                    guard = None;
                }
                StageKind::Reduce(reduce) => {
                    let over = axes(&reduce.over)?;
                    around.extend(&over);
                    let mut term = compile(&reduce.term, &around, &stages);
                    code::mark_operands(&mut term, true);
                    if reduce.fold == Fold::Sum {
                        code::mark_factors(&mut term);
                    }
                    let mut condition = reduce.condition.as_ref().map(|c| compile(c, &around, &stages));
                    condition.iter_mut().for_each(|c| code::mark_operands(c, true));
                    guard = stage
                        .guard
                        .as_ref()
                        .map(|g| compile(g, &around, &stages))
                        .filter(|_| !code::safe(&term));
                    kind = BoundKind::Reduce { fold: reduce.fold, over, condition, term };
                }
            }
            let (terms, above) = (kind.terms(), kind.above());
            stages.push(BoundStage { space: space.clone(), guard, ty: stage.ty, kind, terms, above });
        }
        Ok(stages)
    }

    /// Definitions that are computed together run over the same places.
    fn check_recurrences(&self, spaces: &[Vec<Axis>]) -> Result<(), CaseError> {
        for recurrence in &self.recurrences {
            let axis = |(stage, at): (&usize, &usize)| (spaces[*stage][*at].lo, spaces[*stage][*at].extent);
            let mut ranges = recurrence.stages.iter().zip(&recurrence.axes).map(axis);
            let first = ranges.next();
            if ranges.any(|range| Some(range) != first) {
                let name = &self.stages[recurrence.stages[0]].name;
                return wrong(format!(
                    "op {}: the definitions that depend on each other with {name} run over different ranges here",
                    self.name
                ));
            }
        }
        Ok(())
    }

    fn check_outputs(&self, stages: &[BoundStage], shapes: &[Vec<usize>]) -> Result<(), CaseError> {
        for ((output, stage), shape) in self.outputs.iter().zip(&self.output_stages).zip(shapes) {
            let fits = stages[*stage]
                .space
                .iter()
                .zip(shape)
                .all(|(axis, size)| axis.lo == 0 && axis.extent == *size);
            if !fits {
                return wrong(format!(
                    "op {}: the definition of {} does not cover {output} = {shape:?}",
                    self.name, output.name
                ));
            }
        }
        Ok(())
    }
}

impl Case<'_> {
    /// The values that an input may have.
    pub fn input_domain(&self, input: usize) -> Domain {
        self.op.domain(&self.op.inputs[input].domain, &self.known()).unwrap_or(Domain::ALL_REALS)
    }

    pub(crate) fn known(&self) -> Known {
        Known {
            dims: self.dims.iter().map(|d| Some(*d)).collect(),
            scalars: self.scalars.iter().map(|s| Some(*s)).collect(),
        }
    }
}

/// Whether a value lies in a domain.
pub fn inside(domain: &Domain, value: f64) -> bool {
    let above = if domain.lo_open { value > domain.lo } else { value >= domain.lo };
    let below = if domain.hi_open { value < domain.hi } else { value <= domain.hi };
    let whole = !domain.integer || value.fract() == 0.0;
    // where nothing is declared everything is allowed, NaN and infinities too
    (above && below && whole)
        || (domain.lo == f64::NEG_INFINITY && domain.hi == f64::INFINITY && !domain.integer)
}

pub(crate) fn shown(domain: &Domain) -> String {
    match (domain.lo.is_finite(), domain.hi.is_finite()) {
        (true, true) if domain.hi_open => {
            format!("{}..{} ({} excluded)", domain.lo, domain.hi, domain.hi)
        }
        (true, true) => format!("{}..{}", domain.lo, domain.hi),
        (true, false) => format!("{} {}", if domain.lo_open { ">" } else { ">=" }, domain.lo),
        (false, true) => format!("{} {}", if domain.hi_open { "<" } else { "<=" }, domain.hi),
        _ => "of all numbers".to_string(),
    }
}
