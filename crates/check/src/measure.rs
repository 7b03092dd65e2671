//! The precision that a kernel really has: the finest pair of rungs whose bars contain its outputs.

use ktwin_num::{Float, Language};

use crate::trial::Trial;

/// A pair of rungs.
pub type Pair = (Float, Float);

/// The rungs that are told apart.
const RUNGS: [Float; 5] = [Float::F64, Float::F32, Float::TF32, Float::F16, Float::BF16];

/// The finest rung that a kernel can have in its language, and that is of interest beside what it promises.
fn finest(trial: &Trial) -> Float {
    let kernel = trial.prepared.kernel;
    let promised = kernel.contract.compute;
    let shading = kernel.rules() == Language::Wgsl;
    if shading && promised.unit_roundoff() >= Float::F32.unit_roundoff() { Float::F32 } else { Float::F64 }
}

/// Pairs of compute and accumulate rung, the finest first; of equals that with the finer accumulator. Accumulators
/// are not finer than the arithmetic unless that is what is promised; where nothing is summed there is no accumulator.
fn pairs(promised: Pair, sums: bool) -> Vec<Pair> {
    let mut out: Vec<((usize, usize), Pair)> = Vec::new();
    for (i, compute) in RUNGS.iter().enumerate() {
        for (j, accumulate) in RUNGS.iter().enumerate().skip(i) {
            if sums || i == j {
                out.push(((i + j, j), (*compute, *accumulate)));
            }
        }
    }
    if !out.iter().any(|(_, p)| *p == promised) && sums {
        let place = |f: Float| RUNGS.iter().position(|r| r.same_format(f)).unwrap_or(RUNGS.len());
        out.push(((place(promised.0) + place(promised.1), place(promised.1)), promised));
    }
    out.sort_by_key(|(rank, _)| *rank);
    out.into_iter().map(|(_, pair)| pair).collect()
}

/// Trials that are kept for telling the rung, beside the one with the longest sums.
const KEPT: usize = 3;

/// Keeps a sharp trial if it tells more than others: errors that are a large share of their bars, or long sums, in
/// which a fine accumulator shows.
pub fn keep<'a>(kept: &mut Vec<Trial<'a>>, trial: Trial<'a>) {
    let length = |t: &Trial| (t.prepared.at.longest_sum(), t.got.iter().map(Vec::len).sum::<usize>());
    kept.push(trial);
    kept.sort_by_key(|t| std::cmp::Reverse(length(t)));
    kept[1..].sort_by(|a, b| b.report.ratio().total_cmp(&a.report.ratio()));
    kept.truncate(KEPT + 1);
}

/// Whether what is wrong may come of rounding: errors that are small beside what was expected.
pub fn looks_rounded(trial: &Trial) -> bool {
    let small = |got: f64, value: f64, scale: f64| (got - value).abs() <= 0.02 * value.abs().max(scale);
    let outputs = trial.expected.iter().zip(&trial.got).zip(&trial.report.outputs);
    if trial.report.outputs.iter().all(|compared| compared.failing.is_empty()) {
        return false;
    }
    let mut each = outputs.map(|((expected, got), compared)| {
        let scale = expected.values.iter().filter(|v| v.is_finite()).fold(0.0, |m: f64, v| m.max(v.abs()));
        compared.failing.iter().all(|at| small(got[*at], expected.values[*at], scale))
    });
    each.all(|rounded| rounded)
}

/// Whether all outputs lie within the bars of a pair.
fn contains(trial: &Trial, (compute, accumulate): Pair) -> bool {
    let Ok(expected) = trial.prepared.expected_at(compute, accumulate) else { return false };
    expected.iter().zip(&trial.got).all(|(e, got)| !e.refuses(got.iter().copied()))
}

/// The finest pair whose bars contain every output of these trials.
pub fn rung(trials: &[Trial]) -> Option<Pair> {
    let first = trials.first()?;
    let contract = &first.prepared.kernel.contract;
    let sums = trials.iter().any(|t| t.prepared.at.longest_sum() > 1);
    let all = pairs((contract.compute, contract.accumulate), sums);
    let least = finest(first).unit_roundoff();
    let finer = |a: Float, b: Float| a.unit_roundoff() < b.unit_roundoff();
    // nobody computes in a finer rung than promised and then sums up in a coarser one
    let odd = |(c, a): &Pair| finer(*c, contract.compute) && finer(contract.accumulate, *a);
    all.into_iter()
        .filter(|pair| pair.0.unit_roundoff() >= least && !odd(pair))
        .find(|pair| trials.iter().all(|t| contains(t, *pair)))
}

/// A pair in words.
pub fn shown((compute, accumulate): Pair, sums: bool) -> String {
    match compute.same_format(accumulate) || !sums {
        true => compute.name().to_string(),
        false => format!("{} with {} accumulation", compute.name(), accumulate.name()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finest_first() {
        let all = pairs((Float::F32, Float::F32), true);
        assert_eq!(all[0], (Float::F64, Float::F64));
        let place = |p| all.iter().position(|q| *q == p).unwrap();
        assert!(place((Float::F32, Float::F32)) < place((Float::F32, Float::F16)));
        assert!(place((Float::F32, Float::F32)) < place((Float::F64, Float::TF32)));
        assert!(place((Float::F32, Float::F16)) < place((Float::F16, Float::F16)));
        assert_eq!(pairs((Float::F32, Float::F32), false).len(), 5);
        assert!(pairs((Float::F16, Float::F32), true).contains(&(Float::F16, Float::F32)));
    }
}
