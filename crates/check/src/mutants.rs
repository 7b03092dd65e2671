//! Known-bad outputs that a case must refuse: made of the expected ones, so that a case that takes them is
//! blind.

use ktwin_num::Float;

use crate::compare::Expected;
use crate::inputs::Prepared;
use crate::json::travels_by_name;

/// One way of being wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Mutant {
    /// All zeros.
    Zeros,
    /// The first element everywhere.
    Constant,
    /// An input handed through.
    InputCopy,
    /// Every element that of its left neighbour.
    Shifted,
    /// The last sixteenth is zero.
    LastTileDropped,
    /// The first row in the second's place.
    RowRepeated,
    /// Every hundredth element is zero.
    OnePercentZeroed,
    /// Arithmetic one rung coarser than promised.
    CoarserCompute,
    /// Sums one rung coarser than promised.
    CoarserAccumulate,
}

impl Mutant {
    /// Every mutant in words.
    pub const ALL: &[(&str, Mutant)] = &[
        ("zeros", Mutant::Zeros),
        ("constant", Mutant::Constant),
        ("input copy", Mutant::InputCopy),
        ("shifted by one", Mutant::Shifted),
        ("last tile dropped", Mutant::LastTileDropped),
        ("one row repeated", Mutant::RowRepeated),
        ("1% zeroed", Mutant::OnePercentZeroed),
        ("coarser compute", Mutant::CoarserCompute),
        ("coarser accumulator", Mutant::CoarserAccumulate),
    ];

    /// The mutant in words.
    pub fn name(self) -> &'static str {
        Self::ALL.iter().find(|(_, m)| *m == self).map_or("", |(n, _)| n)
    }

    /// The mutant of these words.
    pub fn parse(name: &str) -> Option<Mutant> {
        Self::ALL.iter().find(|(n, _)| *n == name).map(|(_, m)| *m)
    }

    /// Whether it is a promise of precision that the mutant breaks.
    pub fn is_rung(self) -> bool {
        matches!(self, Mutant::CoarserCompute | Mutant::CoarserAccumulate)
    }
}

travels_by_name!(Mutant);

/// The next coarser rung.
pub fn coarser(float: Float) -> Option<Float> {
    let at = Float::ALL.iter().position(|f| f.same_format(float))?;
    Float::ALL.get(at + 1).copied()
}

/// The mutants of what a case expects that it refuses. The first form is the one that judged; a kernel is refused that
/// is wrong by every one of them.
pub fn refused(prepared: &Prepared, forms: &[&[Expected]]) -> Vec<Mutant> {
    let copies = inputs(prepared);
    let all = Mutant::ALL.iter().map(|(_, m)| *m);
    all.filter(|m| if m.is_rung() { refuses_rung(prepared, forms, *m) } else { refuses(forms, &copies, *m) })
        .collect()
}

/// Whether every form has an output that refuses these numbers, which are given by output and element.
fn all_refuse(forms: &[&[Expected]], value: impl Fn(usize, usize) -> f64) -> bool {
    let refuses = |(number, e): (usize, &Expected)| {
        e.refuses((0..e.values.len()).map(|at| e.dtype.round(value(number, at))))
    };
    forms.iter().all(|form| form.iter().enumerate().any(refuses))
}

/// The real inputs as lists.
fn inputs(prepared: &Prepared) -> Vec<Vec<f64>> {
    let reals = crate::inputs::reals(&prepared.kernel.op);
    reals.into_iter().map(|i| prepared.inputs[i].to_f64()).collect()
}

/// Whether every kind of mutation is refused in some output.
fn refuses(forms: &[&[Expected]], inputs: &[Vec<f64>], mutant: Mutant) -> bool {
    if mutant == Mutant::InputCopy {
        // whichever input is handed through: each must be refused
        let copied = |input: &Vec<f64>| all_refuse(forms, |_, at| input[at % input.len()]);
        return inputs.iter().filter(|i| !i.is_empty()).all(copied) && !inputs.is_empty();
    }
    forms.first().is_some_and(|own| all_refuse(forms, |number, at| mutated(&own[number], mutant, at)))
}

/// Whether numbers are refused that are all a quarter off, one up and the next down.
pub(crate) fn refuses_a_quarter(expected: &[Expected]) -> bool {
    expected.iter().any(|e| {
        let off = |at: usize| if at.is_multiple_of(2) { 0.75 } else { 1.25 };
        e.refuses(e.values.iter().enumerate().map(|(at, v)| e.dtype.round(off(at) * v)))
    })
}

/// The mutant's value of an element.
pub(crate) fn mutated(e: &Expected, mutant: Mutant, i: usize) -> f64 {
    let (v, n) = (&e.values, e.values.len());
    let row = e.shape.last().copied().unwrap_or(1).max(1);
    match mutant {
        Mutant::Zeros => 0.0,
        Mutant::Constant => v[0],
        Mutant::Shifted => v[if i == 0 { n - 1 } else { i - 1 }],
        Mutant::LastTileDropped if i >= n - (n / 16).max(1) => 0.0,
        Mutant::RowRepeated if n >= 2 * row && i >= row && i < 2 * row => v[i - row],
        Mutant::RowRepeated if n == row && i == 1 => v[0],
        Mutant::OnePercentZeroed if i % 100 == 99 % n.max(1) => 0.0,
        _ => v[i],
    }
}

fn refuses_rung(prepared: &Prepared, forms: &[&[Expected]], mutant: Mutant) -> bool {
    let contract = &prepared.kernel.contract;
    let (compute, accumulate) = (contract.compute, contract.accumulate);
    let rungs = match mutant {
        Mutant::CoarserCompute => coarser(compute).map(|c| (c, accumulate)),
        _ => coarser(accumulate).map(|a| (compute, a)),
    };
    let Some((compute, accumulate)) = rungs else { return false };
    let Ok(values) = prepared.rounded(compute, accumulate) else { return false };
    let refuses = |(e, v): (&Expected, &Vec<f64>)| e.refuses(v.iter().copied());
    forms.iter().all(|form| form.iter().zip(&values).any(refuses))
}

#[cfg(test)]
mod tests {
    use super::*;
    use ktwin_num::DType;

    fn expected(values: &[f64]) -> Vec<Expected> {
        let bars = vec![0.01; values.len()];
        let (name, shape) = ("y".to_string(), vec![values.len() / 2, 2]);
        let (low, any, policy, values) = (Vec::new(), Default::default(), None, values.to_vec());
        vec![Expected { name, shape, dtype: DType::F32, values, low, bars, any, policy }]
    }

    #[test]
    fn distinct_values_refuse_all() {
        let e = expected(&[1.0, 2.0, 3.0, 4.0]);
        for (name, mutant) in Mutant::ALL.iter().filter(|(_, m)| !m.is_rung()) {
            assert!(refuses(&[&e], &[vec![9.0; 4]], *mutant), "{name}");
        }
    }

    #[test]
    fn zeros_are_blind_to_zeros() {
        let e = expected(&[0.0; 4]);
        for mutant in [Mutant::Zeros, Mutant::Constant, Mutant::Shifted, Mutant::OnePercentZeroed] {
            assert!(!refuses(&[&e], &[], mutant));
        }
        assert!(!refuses(&[&expected(&[1.0, 2.0])], &[vec![1.0, 2.0]], Mutant::InputCopy));
    }

    #[test]
    fn rungs_go_down() {
        assert_eq!(coarser(Float::F32), Some(Float::TF32));
        assert_eq!(coarser(Float::E5M2), None);
    }
}
