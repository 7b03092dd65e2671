//! How a formula may be written otherwise, as far as bars must know: whether it is more than one operation, whether
//! it is a flat sum of products, and where such a sum is exact in whatever order it is taken.

use std::cell::OnceCell;

use ktwin_num::{DType, Tensor};

use crate::case::{BoundKind, BoundStage, Case, points};
use crate::code::{Code, CodeKind, ReadCode, walk};
use crate::eval::rung::Rung;
use crate::func::Func;
use crate::function;
use crate::multiples::{Span, quantum};
use crate::node::{Fold, Source, Ty};

/// What bars need to know of how a case's formula is written.
#[derive(Clone, Debug)]
pub struct Writing {
    /// Whether some output takes more than one operation: only then is there another way of writing it.
    pub several: bool,
    /// Whether every output is a flat sum of products, with no factor that could be moved into a sum or out of it.
    pub flat: bool,
    /// For each output the numbers that its sums are made of, where it is a flat sum of products.
    spans: Vec<Option<Span>>,
}

impl Writing {
    /// How the formula of a case is written. Data are looked at only where they may be exact; inputs that are not
    /// `as_stored` may be other numbers where a kernel compares them.
    pub fn of(
        case: &Case,
        inputs: &[Tensor],
        may_be_exact: bool,
        as_stored: &dyn Fn(usize) -> bool,
    ) -> Writing {
        let whole = |t: &Tensor| matches!(t.dtype, DType::Int { .. });
        let data =
            inputs.iter().map(|t| if may_be_exact || whole(t) { of_tensor(t) } else { Span::ANY }).collect();
        let seen = vec![OnceCell::new(); inputs.len()];
        let as_stored = &|at: usize| *seen[at].get_or_init(|| as_stored(at));
        let mut reader = Reader { data, as_stored, spans: Vec::new(), operations: Vec::new() };
        for stage in &case.stages {
            let (span, operations) = (reader.stage(stage), reader.operations_of(stage));
            reader.spans.push(span);
            reader.operations.push(operations);
        }
        let outputs = || case.op.output_stages.iter();
        let reals = || outputs().filter(|s| case.stages[**s].ty == Ty::Real);
        Writing {
            several: outputs().any(|s| reader.operations[*s] > 1),
            flat: reals().all(|s| reader.spans[*s].is_some()),
            spans: outputs().map(|s| reader.spans[*s]).collect(),
        }
    }

    /// The outputs that are whole numbers as long as no integer overflows: who stores integers has no reason to round.
    pub fn whole(&self, stored: &[Option<DType>]) -> Vec<bool> {
        // what f64 cannot hold, who judges the output evaluates further
        let most = |dtype: &Option<DType>| match dtype {
            Some(DType::Int { bits: 64, .. }) => ktwin_num::pow2(63),
            _ => ktwin_num::pow2(53),
        };
        let fits =
            |s: &Span, dtype: &Option<DType>| s.quantum >= 1.0 && s.most < most(dtype) && s.cut.ratio == 0.0;
        let outputs = self.spans.iter().zip(stored);
        outputs.map(|(span, dtype)| span.is_some_and(|s| fits(&s, dtype))).collect()
    }

    /// The outputs that are read at places of which none may be another.
    pub fn placed(&self) -> Vec<bool> {
        self.spans.iter().map(|span| span.is_some_and(|s| !s.placed)).collect()
    }

    /// The outputs that come out exactly at these rungs, in any order of summation.
    pub fn exact(&self, compute: &Rung, accumulate: &Rung) -> Vec<bool> {
        let exact = |span: &Option<Span>| span.is_some_and(|s| s.is_exact(compute) && s.is_exact(accumulate));
        self.spans.iter().map(exact).collect()
    }
}

impl BoundKind {
    /// How many terms it adds up.
    pub(crate) fn terms(&self) -> usize {
        match self {
            BoundKind::Map(code) => code.terms,
            BoundKind::Reduce { fold: Fold::Sum, over, term, .. } => {
                over.iter().map(|a| a.extent).fold(term.terms, usize::saturating_mul)
            }
            BoundKind::Reduce { .. } => 1,
        }
    }
}

/// Reads the stages of a case in their order: what is known of the inputs, and of the stages so far.
struct Reader<'a> {
    data: Vec<Span>,
    as_stored: &'a dyn Fn(usize) -> bool,
    spans: Vec<Option<Span>>,
    operations: Vec<usize>,
}

impl Reader<'_> {
    fn stage(&self, stage: &BoundStage) -> Option<Span> {
        match &stage.kind {
            BoundKind::Map(code) => self.span(code),
            BoundKind::Reduce { fold, over, condition, term } => {
                let settled = condition.as_ref().is_none_or(|c| self.settled(c));
                let span = self.span(term).filter(|_| settled)?;
                let n = points(over) as f64;
                match fold {
                    Fold::Sum => Some(Span { most: span.most * n, sum: true, ..span }),
                    Fold::Max | Fold::Min => Some(span),
                    _ => None,
                }
            }
        }
    }

    fn span(&self, code: &Code) -> Option<Span> {
        match &code.kind {
            CodeKind::Real(x) => Some(Span::number(*x)),
            CodeKind::Int(x) => Some(Span::number(*x as f64)),
            CodeKind::Read(read) => self.read(read),
            CodeKind::If(parts) if self.settled(&parts[0]) => {
                Some(self.span(&parts[1])?.or(self.span(&parts[2])?))
            }
            CodeKind::Apply(func, args) => self.apply(*func, args),
            _ => None,
        }
    }

    fn read(&self, read: &ReadCode) -> Option<Span> {
        let span = match read.source {
            Source::Tensor(at) => self.data[at],
            Source::Stage(at) => self.spans.get(at).copied().flatten()?,
        };
        let placed = !read.indices.iter().all(|index| self.settled(&index.code));
        let span = Span { placed: span.placed || placed, ..span };
        match &read.otherwise {
            Some(otherwise) => Some(span.or(self.span(otherwise)?)),
            None => Some(span),
        }
    }

    fn apply(&self, func: Func, args: &[Code]) -> Option<Span> {
        match (func, args) {
            (Func::Neg | Func::Abs | Func::ToReal, [a]) => self.span(a),
            (Func::Floor | Func::Ceil | Func::Trunc | Func::Round | Func::ToInt, [a]) => {
                Some(self.span(a)?.whole())
            }
            (Func::Sign, [a]) => Some(Span { most: 1.0, ..self.span(a)?.whole() }),
            (Func::Add | Func::Sub, [a, b]) => Some(self.span(a)?.plus(self.span(b)?)),
            (Func::Max | Func::Min, [a, b]) => Some(self.span(a)?.or(self.span(b)?)),
            (Func::Mul, [a, b]) => {
                let (x, y) = (self.span(a)?, self.span(b)?);
                // a factor of a sum may be moved into it, and is then rounded with every term, unless it only shifts
                let whole = (!x.sum || is_power_of_two(b)) && (!y.sum || is_power_of_two(a));
                whole.then(|| x.times(y))
            }
            // a divided sum may be a running mean, which divides as it goes
            (Func::Div, [a, Code { kind: CodeKind::Real(by), .. }]) if quantum(*by) == by.abs() => {
                Some(self.span(a).filter(|x| !x.sum)?.times(Span::number(1.0 / by)))
            }
            (Func::Pow, [a, Code { kind: CodeKind::Int(n @ 1..=4), .. }]) => {
                let x = self.span(a).filter(|x| !x.sum)?;
                Some((1..*n).fold(x, |product, _| product.times(x)))
            }
            _ => None,
        }
    }

    /// Whether no rounding can change what a condition says.
    fn settled(&self, condition: &Code) -> bool {
        let mut settled = true;
        walk(condition, &mut |code| {
            settled &= match &code.kind {
                CodeKind::Read(read) => {
                    matches!(read.source, Source::Tensor(at) if code.ty != Ty::Real || (self.as_stored)(at))
                }
                CodeKind::Apply(func, _) => {
                    code.ty != Ty::Real || matches!(func, Func::Neg | Func::Abs | Func::ToReal)
                }
                _ => true,
            };
        });
        settled
    }

    /// How many operations that round a stage takes; a sum counts as one.
    fn operations_of(&self, stage: &BoundStage) -> usize {
        match &stage.kind {
            BoundKind::Map(code) => self.operations(code),
            BoundKind::Reduce { fold, term, .. } => {
                let folds = matches!(fold, Fold::Sum | Fold::Mean | Fold::Prod);
                self.operations(term).saturating_add(usize::from(folds))
            }
        }
    }

    fn operations(&self, code: &Code) -> usize {
        let sum = |codes: &[Code]| codes.iter().map(|c| self.operations(c)).fold(0, usize::saturating_add);
        match &code.kind {
            CodeKind::Read(read) => {
                let source = match read.source {
                    // of a recurrence, what was there before
                    Source::Stage(at) => self.operations.get(at).copied().unwrap_or(2),
                    Source::Tensor(_) => 0,
                };
                source.saturating_add(read.otherwise.as_ref().map_or(0, |o| self.operations(o)))
            }
            CodeKind::If(parts) => sum(&parts[..]),
            CodeKind::Apply(func, args) => {
                let own = match (code.ty, function::of(*func)) {
                    // nobody has it in one operation, and those who write it out may underflow on the way
                    (_, Some(_)) => 2,
                    (Ty::Real, None) => usize::from(func.rounds()),
                    // of data: what is added up there may be multiplied first, as reals
                    _ => usize::from(matches!(func, Func::Add | Func::Sub) && args.iter().all(Code::reads)),
                };
                sum(args).saturating_add(own)
            }
            _ => 0,
        }
    }
}

fn is_power_of_two(code: &Code) -> bool {
    matches!(code.kind, CodeKind::Real(x) if quantum(x) == x.abs())
}

/// Room for codes that a kernel sums up before it takes off what is added to them, in formats that have no minima here:
/// q6_K stores `q - 32` as `q`.
const ABOVE: f64 = 4.0;

fn of_tensor(tensor: &Tensor) -> Span {
    let values = match tensor.dtype {
        DType::Int { .. } | DType::Bool => tensor.to_i64().iter().map(|v| *v as f64).collect(),
        _ => tensor.to_f64(),
    };
    // the two parts of a code above a minimum are summed up apart, too
    let minima = tensor.minima().map_or(vec![0.0; values.len()], |minima| minima.to_f64());
    let more = if matches!(tensor.dtype, DType::Block(_)) { ABOVE } else { 1.0 };
    let each = values.into_iter().zip(minima).map(|(x, minimum)| {
        if !x.is_finite() {
            return Span::ANY;
        }
        let both = Span::number(x - minimum).plus(Span::number(minimum));
        Span { most: more * both.most, sum: false, ..both }
    });
    each.reduce(Span::or).unwrap_or(Span::number(0.0))
}

#[cfg(test)]
mod tests {
    use ktwin_num::Float;

    use super::*;
    use crate::op::{Op, Value};

    fn writing(text: &str, data: &[&[f64]], scalars: &[(&str, Value)]) -> Writing {
        let op = Op::parse("a.op", text).unwrap();
        let n = data[0].len();
        let case = op.bind(&[("N", n as i64)], scalars).unwrap();
        let tensors: Vec<Tensor> =
            data.iter().map(|d| Tensor::from_f64(DType::Float(Float::F32), &[n], d)).collect();
        Writing::of(&case, &tensors, true, &|_| true)
    }

    fn exact(writing: &Writing) -> bool {
        let rung = Rung::new(Float::F32, ktwin_num::Language::C);
        writing.exact(&rung, &rung)[0]
    }

    #[test]
    fn a_flat_sum_of_products_is_exact_where_it_fits() {
        let dot = "op dot(a[N], b[N]) -> y\ny = sum[n](a[n] * b[n])";
        let fits = writing(dot, &[&[3.0, 5.0], &[1.0, -7.0]], &[]);
        assert!(fits.flat && fits.several && exact(&fits));
        assert!(!exact(&writing(dot, &[&[3.0, 1e-9], &[1.0, 7.0]], &[])));
        assert!(!exact(&writing(dot, &[&[3.0, f64::NAN], &[1.0, 7.0]], &[])));
        // the data would fit, but what they are summed up with does not
        assert!(!exact(&writing(dot, &[&[16777215.0, 1.0], &[1.0, 7.0]], &[])));
    }

    #[test]
    fn the_parts_of_a_block_are_summed_up_apart() {
        let q4_1: DType = "q4_1".parse().unwrap();
        let op = Op::parse("a.op", "op s(a[N], b[N]) -> y\ny = sum[n](a[n] * b[n])").unwrap();
        let case = op.bind(&[("N", 32)], &[]).unwrap();
        let b = Tensor::from_f64(DType::Float(Float::F32), &[32], &[1025.0; 32]);
        // every number is 1: eight times a scale, and a minimum below it
        let of = |scale: u16, minimum: u16| {
            let header = [scale.to_le_bytes(), minimum.to_le_bytes()].concat();
            let block = Tensor::from_bytes(q4_1, &[32], [header, vec![0x88; 16]].concat()).unwrap();
            assert_eq!(block.to_f64(), [1.0; 32]);
            exact(&Writing::of(&case, &[block, b.clone()], true, &|_| true))
        };
        assert!(of(0x3c00, 0xc700));
        // 1 + 2^-10, and -7 - 2^-7
        assert!(!of(0x3c01, 0xc702));
    }

    #[test]
    fn a_factor_of_a_sum_may_be_moved() {
        let scaled = "op s(a[N]; alpha) -> y\ny = alpha * sum[n](a[n])";
        let by = |alpha: f64| writing(scaled, &[&[3.0, 5.0]], &[("alpha", Value::Real(alpha))]);
        assert!(by(0.25).flat && exact(&by(0.25)));
        assert!(!by(0.3).flat && !exact(&by(3.0)));
    }

    #[test]
    fn what_is_cut_to_whole_numbers_is_exact_where_it_was_before() {
        let halved = "op h(x[N]; s = 0.5) -> y[N]\ny[n] = clamp(int(floor(s * x[n] + 0.5)), -9, 9)";
        let by = |x: f64, s: f64| exact(&writing(halved, &[&[x, -7.0]], &[("s", Value::Real(s))]));
        assert!(by(5.0, 0.5) && by(5.0, 0.25));
        // 0.3 has more bits than are left for them
        assert!(!by(5.0, 0.3) && !by(33554431.0, 0.5) && !by(f64::NAN, 0.5));
        let root = "op h(x[N]) -> y[N]\ny[n] = floor(sqrt(x[n]))";
        assert!(!exact(&writing(root, &[&[4.0]], &[])));
    }

    #[test]
    fn one_operation_is_written_in_one_way() {
        let one = writing("op a(x[N], z[N]) -> y[N]\ny[n] = max(x[n] + z[n], 0)", &[&[1.0], &[2.0]], &[]);
        assert!(!one.several && one.flat);
        assert!(writing("op a(x[N]) -> y[N]\ny[n] = exp(x[n])", &[&[1.0]], &[]).several);
    }

    #[test]
    fn numbers_that_a_kernel_rounds_first_settle_no_condition() {
        let op = Op::parse("a.op", "op above(x[N]) -> y\ny = sum[n where x[n] > 0](1)").unwrap();
        let case = op.bind(&[("N", 2)], &[]).unwrap();
        let x = [Tensor::from_f64(DType::Float(Float::F32), &[2], &[1e-30, 1.0])];
        assert!(exact(&Writing::of(&case, &x, true, &|_| true)));
        assert!(!exact(&Writing::of(&case, &x, true, &|_| false)));
    }
}
