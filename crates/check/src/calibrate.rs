//! A tolerance for a kernel by what one precision lower does, and what honest evaluations say of it: the rule published
//! as "How wrong is too wrong?", held from the other side. Plain data in, plain data out.

use ktwin_num::{Float, Regime};

use crate::case::Case;
use crate::check::case_seed;
use crate::compare::Expected;
use crate::inputs::prepare;
use crate::kernel::Kernel;
use crate::plan::{Amount, plan};
use ktwin_lang::Order;

/// Regimes of ordinary data, and those that strain a tolerance.
pub const TYPICAL: [Regime; 2] = [Regime::Normal, Regime::Uniform];
/// Data whose numbers are far apart, or few, or large.
pub const STRESS: [Regime; 4] = [Regime::Large, Regime::Mixed, Regime::Sparse, Regime::Outliers];

/// Cases of a kernel that are looked at in each kind of regime.
const CASES: usize = 24;

/// An rtol and an atol.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pair {
    /// Relative.
    pub rtol: f64,
    /// Absolute.
    pub atol: f64,
}

/// What came of one precision and one kind of regime.
#[derive(Clone, Debug)]
pub struct Calibration {
    /// The precision that is one or more lower.
    pub rung: Float,
    /// The pair.
    pub pair: Pair,
    /// The pairs that it comes from, each with its case, in order of their larger number: the middle one is it.
    pub pairs: Vec<(String, Pair)>,
    /// Their sizes, the largest first.
    pub sizes: Vec<String>,
    /// How far each honest evaluation goes at its worst element, as a share of the tolerance, sorted.
    pub honest: Vec<f64>,
    /// The same of evaluations at the lower precision.
    pub coarse: Vec<f64>,
}

impl Calibration {
    /// The largest share that an honest evaluation needs.
    pub fn needed(&self) -> f64 {
        self.honest.last().copied().unwrap_or(0.0)
    }

    /// The smallest share at which an evaluation at the lower precision is still refused.
    pub fn seen(&self) -> f64 {
        self.coarse.first().copied().unwrap_or(f64::INFINITY)
    }

    /// Whether some multiple of the pair takes all that is honest and refuses all that is not.
    pub fn has_gap(&self) -> bool {
        self.needed() < self.seen()
    }

    /// The multiple in the middle of the gap, where there is one: as far above what is honest as below what is not.
    pub fn middle(&self) -> Option<f64> {
        let high = self.seen();
        let low = if self.needed() > 0.0 { self.needed() } else { high * 1e-3 };
        (self.has_gap() && high.is_finite()).then(|| (low * high).sqrt())
    }
}

/// The pair of one case: `due` by the twin, `lower` at the lower precision, and the share of the elements that are to
/// pass.
pub fn pair(due: &[f64], lower: &[f64], share: f64) -> Option<Pair> {
    let finite: Vec<(f64, f64)> = due
        .iter()
        .zip(lower)
        .map(|(y, z)| (*y, *z))
        .filter(|(y, z)| y.is_finite() && z.is_finite())
        .collect();
    let mut sizes: Vec<f64> = finite.iter().map(|(y, _)| y.abs()).collect();
    sizes.sort_by(f64::total_cmp);
    let median = quantile(&sizes, 0.5)?;
    let rho = |(y, z): &(f64, f64)| match median + y.abs() {
        0.0 => None,
        size => Some((z - y).abs() / size),
    };
    let mut errors: Vec<f64> = finite.iter().filter_map(rho).collect();
    errors.sort_by(f64::total_cmp);
    let rtol = quantile(&errors, share)?;
    Some(Pair { rtol, atol: rtol * median })
}

/// A quantile of sorted numbers, between neighbours where it lies between them.
fn quantile(sorted: &[f64], share: f64) -> Option<f64> {
    let last = sorted.len().checked_sub(1)?;
    let place = share.clamp(0.0, 1.0) * last as f64;
    let (low, part) = (place.floor() as usize, place.fract());
    Some(sorted[low] + part * (sorted[(low + 1).min(last)] - sorted[low]))
}

/// One case, evaluated.
struct Seen {
    case: String,
    due: Vec<f64>,
    honest: Vec<Vec<f64>>,
    lower: Vec<f64>,
}

impl Seen {
    /// Whether the lower precision changes any number that is judged.
    fn is_coarser(&self) -> bool {
        let all = self.due.iter().zip(&self.lower).zip(&self.honest[0]);
        let mut judged = all.filter(|((due, _), _)| due.is_finite());
        judged.any(|((_, lower), honest)| lower != honest)
    }
}

/// Calibrates a tolerance against a lower precision on one kind of regime.
pub fn calibrate(
    kernel: &Kernel,
    rung: Float,
    regimes: &[Regime],
    (share, seed): (f64, u64),
) -> Result<Calibration, String> {
    let mut all = Vec::new();
    let mut sizes: Vec<String> = Vec::new();
    for case in cases(kernel, regimes, seed)? {
        let (size, found) = (case.sizes(), seen(kernel, &case, rung)?);
        if !found.is_empty() && !sizes.contains(&size) {
            sizes.push(size);
        }
        all.extend(found);
    }
    let found = |s: &Seen| Some((s.case.clone(), pair(&s.due, &s.lower, share)?));
    let mut pairs: Vec<(String, Pair)> = all.iter().filter_map(found).collect();
    pairs.retain(|(_, pair)| pair.rtol > 0.0);
    pairs.sort_by(|(_, a), (_, b)| a.rtol.max(a.atol).total_cmp(&b.rtol.max(b.atol)));
    let Some((_, pair)) = pairs.get(pairs.len() / 2).cloned() else {
        return Err(format!(
            "{} changes nothing in any case: the op rounds nothing, and `exact` is its policy",
            rung.name()
        ));
    };
    let mut out = Calibration { rung, pair, pairs, sizes, honest: Vec::new(), coarse: Vec::new() };
    for one in &all {
        out.honest.extend(one.honest.iter().map(|got| needed(pair, &one.due, got)));
        if one.is_coarser() {
            out.coarse.push(needed(pair, &one.due, &one.lower));
        }
    }
    out.honest.sort_by(f64::total_cmp);
    out.coarse.sort_by(f64::total_cmp);
    Ok(out)
}

/// The cases that tell of a tolerance: the largest sizes of a quick plan, in these regimes.
pub(crate) fn cases(kernel: &Kernel, regimes: &[Regime], seed: u64) -> Result<Vec<Case>, String> {
    let cases = plan(kernel, Amount::QUICK)?.cases;
    let fits = |case: &&Case| case.layouts.is_empty() && case.regime == Regime::Normal;
    let shapes = cases.iter().rev().filter(fits).take(CASES.div_ceil(regimes.len()));
    let each = shapes.flat_map(|case| regimes.iter().map(move |regime| (case, *regime)));
    let drawn = |(number, (case, regime)): (usize, (&Case, Regime))| Case {
        regime,
        seed: case_seed(seed, number as u64),
        ..case.clone()
    };
    Ok(each.enumerate().map(drawn).collect())
}

/// The largest error as a share of a tolerance.
fn needed(pair: Pair, due: &[f64], got: &[f64]) -> f64 {
    let share = |(y, g): (&f64, &f64)| match (y.is_finite(), g.is_finite()) {
        (true, true) => (g - y).abs() / (pair.atol + pair.rtol * y.abs()),
        (true, false) => f64::INFINITY,
        _ => 0.0,
    };
    due.iter().zip(got).map(share).fold(0.0, f64::max)
}

fn seen(kernel: &Kernel, case: &Case, rung: Float) -> Result<Vec<Seen>, String> {
    let prepared = prepare(kernel, case)?;
    let contract = &kernel.contract;
    let orders = if prepared.at.longest_sum() > 1 { Order::ALL } else { &Order::ALL[..1] };
    let rounded = |order: &Order| prepared.rounded_in((contract.compute, contract.accumulate), *order);
    let honest: Vec<Vec<Vec<f64>>> = orders.iter().map(rounded).collect::<Result<_, _>>()?;
    let lower = prepared.rounded(rung, rung)?;
    let expected = prepared.expected_at(contract.compute, contract.accumulate)?;
    let each = expected.into_iter().zip(lower).enumerate();
    let real = each.filter(|(at, _)| !kernel.op.outputs[*at].integer);
    // where the bar says that anything may come out, honest evaluations overflow and say nothing
    let due = |expected: Expected| -> Vec<f64> {
        let all = expected.values.into_iter().zip(expected.bars);
        all.map(|(value, bar)| if bar == f64::INFINITY { f64::NAN } else { value }).collect()
    };
    let outputs = &kernel.op.outputs;
    let named = |at: usize| match outputs.len() {
        1 => case.to_string(),
        _ => format!("{case}, output {}", outputs[at].name),
    };
    let one = |(at, (expected, lower)): (usize, (Expected, Vec<f64>))| Seen {
        case: named(at),
        due: due(expected),
        honest: honest.iter().map(|outputs| outputs[at].clone()).collect(),
        lower,
    };
    Ok(real.map(one).collect())
}
