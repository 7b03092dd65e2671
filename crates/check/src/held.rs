//! Numbers that went through a type which holds fewer: they stop at its largest number, or lack what it leaves out.

use ktwin_num::{DType, Float};

use crate::compare::Expected;
use crate::pattern::What;
use crate::trial::Trial;

/// Types whose ends numbers stop at.
const ENDS: [DType; 10] = [
    DType::Int { bits: 8, signed: true },
    DType::Int { bits: 8, signed: false },
    DType::Int { bits: 16, signed: true },
    DType::Int { bits: 16, signed: false },
    DType::Int { bits: 32, signed: true },
    DType::Int { bits: 32, signed: false },
    DType::Float(Float::E4M3),
    DType::Float(Float::E5M2),
    DType::Float(Float::F16),
    DType::Float(Float::BF16),
];
/// Elements that are subnormal are told from others by so many that are not, and are right.
const RIGHT: usize = 16;

/// What type all wrong elements went through, by what it leaves of them.
pub fn told(expected: &Expected, got: &[f64], failing: &[usize]) -> Option<What> {
    saturated(expected, got, failing).or_else(|| past_f64(expected, got, failing))
}

/// Whether all wrong elements are an end of a type where something beyond it is due.
fn saturated(expected: &Expected, got: &[f64], failing: &[usize]) -> Option<What> {
    let stops = |dtype: &&DType| {
        let [low, high] = ends(**dtype);
        failing.iter().all(|at| {
            let due = expected.values[*at];
            got[*at] == high && due > high || got[*at] == low && due < low
        })
    };
    let dtype = ENDS.iter().find(stops)?;
    Some(What::Saturates { number: got[*failing.first()?], dtype: dtype.to_string() })
}

/// The least and the largest number of a type.
fn ends(dtype: DType) -> [f64; 2] {
    match dtype {
        DType::Int { bits, signed: true } => {
            let half = (1u64 << (bits - 1)) as f64;
            [-half, half - 1.0]
        }
        // zero comes of many things
        DType::Int { bits, signed: false } => [f64::NAN, (1u64 << bits) as f64 - 1.0],
        other => other.float().map_or([f64::NAN; 2], |float| [-float.max_finite(), float.max_finite()]),
    }
}

/// Whether all wrong elements are integers that are right in f64, which holds 53 bits of them.
fn past_f64(expected: &Expected, got: &[f64], failing: &[usize]) -> Option<What> {
    let wide = matches!(expected.dtype, DType::Int { bits: 64, .. });
    (wide && failing.iter().all(|at| got[*at] == expected.values[*at])).then_some(What::PastF64)
}

/// Whether only elements that are subnormal, or made of a subnormal number in the same place, are wrong.
pub fn subnormal(trials: &[&Trial]) -> Option<What> {
    let op = &trials.first()?.prepared.kernel.op;
    let due = op.outputs.iter().enumerate().filter_map(|(output, info)| {
        let of = |trial: &Trial| Some(trial.expected.get(output)?.values.clone());
        part(trials, output, trials[0].prepared.kernel.dtype(&info.name), &of, &info.name)
    });
    let read = op.inputs.iter().enumerate().flat_map(|(input, info)| {
        let own = (0..op.outputs.len()).filter(|output| op.outputs[*output].axes == info.axes);
        own.filter_map(move |output| {
            let of = |trial: &Trial| Some(trial.prepared.inputs.get(input)?.to_f64());
            part(trials, output, trials[0].prepared.kernel.dtype(&info.name), &of, &info.name)
        })
    });
    due.chain(read).next()
}

/// Whether the wrong elements of an output are those where these numbers are subnormal.
fn part(
    trials: &[&Trial],
    output: usize,
    dtype: DType,
    numbers: &dyn Fn(&Trial) -> Option<Vec<f64>>,
    name: &str,
) -> Option<What> {
    let least = dtype.float()?.min_normal();
    let (mut wrong, mut right) = (0, 0);
    let ordinary = trials.iter().filter(|t| !t.prepared.case.regime.is_special());
    for trial in ordinary {
        let (Some(expected), Some(got)) = (trial.expected.get(output), trial.got.get(output)) else {
            continue;
        };
        let numbers = numbers(trial).filter(|numbers| numbers.len() == got.len())?;
        for (at, got) in got.iter().enumerate().filter(|(at, _)| !expected.is_free(*at)) {
            let is_subnormal = numbers[at] != 0.0 && numbers[at].abs() < least;
            match (expected.judge(at, *got).fails(), is_subnormal) {
                (true, false) => return None,
                (true, true) => wrong += 1,
                (false, false) => right += 1,
                (false, true) => {}
            }
        }
    }
    (wrong > 0 && right >= RIGHT).then(|| What::Subnormal { of: name.to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(
        of: fn(&Expected, &[f64], &[usize]) -> Option<What>,
        dtype: DType,
        due: &[f64],
        got: &[f64],
    ) -> Option<What> {
        let (name, shape, bars) = ("y".into(), vec![due.len()], vec![0.0; due.len()]);
        let (low, any) = (Vec::new(), Default::default());
        let expected = Expected { name, shape, dtype, values: due.to_vec(), low, bars, any, policy: None };
        let failing: Vec<usize> = (0..due.len()).filter(|at| due[*at] != got[*at] || dtype == I64).collect();
        of(&expected, got, &failing)
    }

    const I32: DType = DType::Int { bits: 32, signed: true };
    const I64: DType = DType::Int { bits: 64, signed: true };

    #[test]
    fn numbers_that_stop_at_the_end_of_a_type_are_told() {
        let of = |due: &[f64], got: &[f64]| match told(saturated, I32, due, got) {
            Some(What::Saturates { dtype, .. }) => dtype,
            _ => String::new(),
        };
        assert_eq!(of(&[32768.0, -40000.0, 3.0], &[32767.0, -32768.0, 3.0]), "i16");
        assert_eq!(of(&[300.0, 512.0], &[255.0, 255.0]), "u8");
        assert_eq!(of(&[f64::INFINITY], &[65504.0]), "f16");
        assert_eq!(of(&[100.0], &[127.0]), "");
        assert_eq!(of(&[300.0, 512.0], &[255.0, 256.0]), "");
    }

    #[test]
    fn integers_of_more_bits_than_f64_has_are_told() {
        let wide = 2f64.powi(60);
        assert_eq!(told(past_f64, I64, &[wide], &[wide]), Some(What::PastF64));
        assert_eq!(told(past_f64, I64, &[wide], &[wide + 1024.0]), None);
        assert_eq!(told(past_f64, I32, &[3.0, 4.0], &[3.0, 5.0]), None);
    }
}
