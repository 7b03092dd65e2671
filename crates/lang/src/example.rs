//! A small case of an op that is known to evaluate: for examples that run.

use ktwin_num::{DType, Fill, Regime, Rng, Tensor, fill};

use crate::case::{BoundKind, Case};
use crate::diagnostic::Diagnostic;
use crate::evaluate::{Elements, EvalError, Meaning};
use crate::node::Ty;
use crate::op::{Op, Value};

/// Sizes that are tried at most, and how many of those that make a case are evaluated.
const TRIES: u64 = 4000;
const EVALUATIONS: usize = 40;
/// Cases of an op of one's own that are evaluated before it is taken.
const LOOKED_AT: usize = 6;
const MOST_ELEMENTS: usize = 1 << 14;
/// The most terms that all sums and definitions together may have.
const MOST_WORK: f64 = 1e7;

/// Sizes and scalars that make a case; what follows from constraints or defaults is left out.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Example {
    /// The sizes of dimensions.
    pub dims: Vec<(String, i64)>,
    /// The values of scalars.
    pub scalars: Vec<(String, Value)>,
}

impl Op {
    /// A small case that evaluates, if one is found.
    pub fn example(&self) -> Option<Example> {
        if self.is_random() {
            return self.with_draws().example();
        }
        self.small().find(|e| self.bind_example(e).is_some_and(|case| evaluates(&case).is_ok()))
    }

    /// What keeps some small case from evaluating: a mistake of the op, or a condition on sizes that it lacks.
    pub fn does_not_evaluate(&self) -> Option<Diagnostic> {
        if self.is_random() {
            return self.with_draws().does_not_evaluate();
        }
        self.small().take(LOOKED_AT).find_map(|example| {
            let case = self.bind_example(&example)?;
            let Err(EvalError::Op(mistake)) = evaluates(&case) else { return None };
            let message = format!("{} ({})", mistake.message, shown(&case));
            Some(Diagnostic { message, ..*mistake })
        })
    }

    /// Small cases, not all of which need evaluate.
    fn small(&self) -> impl Iterator<Item = Example> {
        let scalars: Vec<(String, Value)> = self.scalars_without_default().collect();
        let examples =
            (0..TRIES).map(move |try_| Example { dims: self.some_dims(try_), scalars: scalars.clone() });
        let small = examples.filter(|e| self.bind_example(e).is_some_and(|case| is_small(&case)));
        small.take(EVALUATIONS)
    }

    /// The case of an example.
    pub fn bind_example(&self, example: &Example) -> Option<Case<'_>> {
        let dims: Vec<(&str, i64)> = example.dims.iter().map(|(n, v)| (n.as_str(), *v)).collect();
        let scalars: Vec<(&str, Value)> = example.scalars.iter().map(|(n, v)| (n.as_str(), *v)).collect();
        self.bind(&dims, &scalars).ok()
    }

    fn scalars_without_default(&self) -> impl Iterator<Item = (String, Value)> {
        let open = self.scalars.iter().filter(|s| s.default.is_none());
        open.filter_map(|s| match s.ty {
            Ty::Real if s.domain.lo.is_some() || s.domain.hi.is_some() => {
                Some((s.name.clone(), Value::Real(0.5)))
            }
            Ty::Real => Some((s.name.clone(), Value::Real(0.125))),
            Ty::Int if !s.domain.integer => Some((s.name.clone(), Value::Int(1))),
            _ => None,
        })
    }

    /// Sizes: first all different, then at random, at last small ones too. Those that follow are left out.
    fn some_dims(&self, attempt: u64) -> Vec<(String, i64)> {
        const FIRST: [i64; 6] = [4, 8, 16, 32, 6, 12];
        const ROUND: [i64; 5] = [2, 4, 8, 16, 32];
        const ANY: [i64; 11] = [1, 2, 3, 4, 5, 6, 8, 9, 12, 16, 32];
        let mut rng = Rng::new(attempt, 0x6578_616d);
        let mut size = |at: usize| match attempt {
            0 => FIRST[at % FIRST.len()],
            1..400 => ROUND[rng.below(ROUND.len() as u64) as usize],
            _ => ANY[rng.below(ANY.len() as u64) as usize],
        };
        let free = self.free_dims();
        free.into_iter().enumerate().map(|(at, dim)| (self.dims[dim].name.clone(), size(at))).collect()
    }
}

/// Whether a case is evaluated in a moment.
fn is_small(case: &Case) -> bool {
    let shapes = case.input_shapes.iter().chain(&case.output_shapes);
    let elements = shapes.map(|shape| shape.iter().product::<usize>()).max().unwrap_or(0);
    let work = case.stages.iter().map(|stage| {
        let over = match &stage.kind {
            BoundKind::Map(_) => &[][..],
            BoundKind::Reduce { over, .. } => over,
        };
        stage.space.iter().chain(over).map(|axis| axis.extent as f64).product::<f64>()
    });
    elements <= MOST_ELEMENTS && work.sum::<f64>() <= MOST_WORK
}

/// The sizes of a case.
fn shown(case: &Case) -> String {
    let sizes = case.op.dims.iter().zip(&case.dims).map(|(dim, size)| format!("{} = {size}", dim.name));
    sizes.collect::<Vec<_>>().join(", ")
}

/// Whether a case evaluates on inputs of its domains.
fn evaluates(case: &Case) -> Result<(), EvalError> {
    let inputs: Vec<Tensor> = case
        .op
        .inputs
        .iter()
        .enumerate()
        .map(|(at, info)| {
            let domain = case.input_domain(at);
            let how = Fill { stream: at as u64, domain, ..Fill::new(Regime::Normal, 1) };
            fill(&how, if info.integer { DType::I64 } else { DType::F32 }, &case.input_shapes[at])
        })
        .collect();
    case.evaluate(&inputs, &Meaning::Exact, Elements::All).map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn example(text: &str) -> Option<Example> {
        Op::parse("a.op", text).unwrap_or_else(|e| panic!("{e}")).example()
    }

    #[test]
    fn sizes_that_make_a_case() {
        let dims = |example: Example| example.dims;
        let plain = example("op a(x[R, D]) -> y[R]\n\ny[r] = sum[d](x[r, d])");
        assert_eq!(plain.map(dims), Some(vec![("R".into(), 4), ("D".into(), 8)]));
        let picky =
            example("op a(x[N]; s) -> y[M]\nwhere M == N // 3, N % 9 == 0\n\ny[m] = s * x[3 * m]").unwrap();
        assert!(picky.dims.len() == 1 && picky.dims[0].1 % 9 == 0, "{picky:?}");
        assert_eq!(picky.scalars, [("s".to_string(), Value::Real(0.125))]);
    }

    #[test]
    fn where_there_is_none_the_search_ends() {
        assert_eq!(example("op a(x[N]) -> y[N]\nwhere N % 2 == 1, N % 4 == 2\n\ny[n] = x[n]"), None);
        let outside = "op a(x[N]) -> y[N]\n\ny[n] = x[n + 1]";
        assert_eq!(example(outside), None);
        let why = |text: &str| Op::parse("a.op", text).unwrap().does_not_evaluate();
        let mistake = why(outside).unwrap();
        assert!(mistake.line == 3 && mistake.message.ends_with("(N = 4)"), "{mistake}");
        // at some sizes
        let mistake = why("op a(x[N]) -> y[M]\n\ny[m] = x[m]").unwrap();
        assert!(mistake.message.ends_with("(N = 4, M = 8)"), "{mistake}");
        assert!(why("op a(x[N]) -> y[M]\nwhere M <= N\n\ny[m] = x[m]").is_none());
        assert!(why("op a(x[N]) -> y[N]\n\ny[n] = x[n]").is_none());
        assert_eq!(example("op a(x[N]) -> y\n\ny = sum[i in 0..1000000000](x[i % N])"), None);
    }
}
