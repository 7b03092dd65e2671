//! The precision that a kernel really has: the finest pair of rungs whose bars contain its outputs.

use ktwin_lang::Order;
use ktwin_num::{DType, Float, Language};

use crate::compare::Expected;
use crate::event::Rungs;
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
/// are not finer than the arithmetic unless that is what is promised; where nothing is summed, they do not count.
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

/// The same without what nobody does: to compute in a finer rung than promised and then sum up in a coarser one.
fn usual(promised: Pair, sums: bool) -> Vec<Pair> {
    let finer = |a: Float, b: Float| a.unit_roundoff() < b.unit_roundoff();
    let odd = |(c, a): &Pair| finer(*c, promised.0) && finer(promised.1, *a);
    pairs(promised, sums).into_iter().filter(|pair| !odd(pair)).collect()
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

/// Whether all outputs lie within the bars of a pair, whatever policy decides of them.
fn contains(trial: &Trial, (compute, accumulate): Pair) -> bool {
    let Ok(mut expected) = trial.prepared.expected_at(compute, accumulate) else { return false };
    expected.iter_mut().for_each(|e| e.policy = None);
    expected.iter().zip(&trial.got).all(|(e, got)| !e.refuses(got.iter().copied()))
}

/// The finest pair whose bars contain every output of these trials.
pub fn of(trials: &[&Trial]) -> Option<Pair> {
    let first = trials.first()?;
    let contract = &first.prepared.kernel.contract;
    let sums = trials.iter().any(|t| t.prepared.at.longest_sum() > 1);
    let least = finest(first).unit_roundoff();
    usual((contract.compute, contract.accumulate), sums)
        .into_iter()
        .filter(|pair| pair.0.unit_roundoff() >= least)
        .find(|pair| trials.iter().all(|t| contains(t, *pair)))
}

/// Fewer wrong elements than this tell nothing of a rung.
const FEWEST: usize = 8;
/// Roundings in another order make errors so many times larger or smaller, and as many more or fewer elements wrong.
const ALIKE: f64 = 8.0;
/// Errors that are so many times larger or smaller than those of roundings have another cause.
const LARGE: f64 = 4.0;
/// The least share of errors that go the other way: roundings go either way, mistakes mostly one.
const OTHER_WAY: f64 = 0.05;

/// Where nothing is summed, roundings to a rung leave much the same errors in every way of computing: their correlation
/// with those of an evaluation at least.
const RELATED: f64 = 0.2;

/// The most failing trials that are kept for telling the rung, and the terms that plain loops add in one of them.
const TELLING: usize = 4;
const TELLING_LOOPS: f64 = (1 << 24) as f64;
/// The most elements of such a trial: among more, a few are so small that a coarser rung does not hold them.
const TELLING_ELEMENTS: usize = 1 << 16;

/// Keeps a failing trial if it tells of a rung: ordinary data, and more elements than others.
pub fn keep_telling<'a>(kept: &mut Vec<Trial<'a>>, trial: &Trial<'a>) {
    let ordinary = trial.prepared.case.regime.is_ordinary();
    let elements = |t: &Trial| t.got.iter().map(Vec::len).sum::<usize>();
    if ordinary && trial.prepared.at.loops() <= TELLING_LOOPS && elements(trial) <= TELLING_ELEMENTS {
        kept.push(trial.clone());
        // the first is a small one, in which sums are short
        kept[1..].sort_by_key(|t| std::cmp::Reverse(elements(t)));
        kept.truncate(TELLING);
    }
}

/// The pair that a kernel behaves like in trials that fail, the one that is shown among them, if its errors look like
/// those of such a kernel, and if it does not pass most of the cases that such a kernel would fail.
pub fn of_failure(trials: &[Trial], shown: &Trial, failed: usize, sharp_passed: usize) -> Option<Rungs> {
    if sharp_passed > failed {
        return None;
    }
    let pair = of(&trials.iter().collect::<Vec<_>>())?;
    // where sums are of one term, what came out may be as coarse as they
    let pair = [pair, (pair.1, pair.1)].into_iter().find(|pair| contains(shown, *pair))?;
    let sums = trials.iter().chain([shown]).any(|t| t.prepared.at.longest_sum() > 1);
    resembles(trials, pair)?.then(|| halves(trials, shown, pair, sums))
}

/// A pair with f16 in the place of tf32, where the kernel cannot mean tf32. The numbers of both have as many digits:
/// the range tells them apart, or what the language has and the source names.
fn halves(trials: &[Trial], shown: &Trial, pair: Pair, sums: bool) -> Rungs {
    let half = |f: Float| if f.same_format(Float::TF32) { Float::F16 } else { f };
    let other = (half(pair.0), half(pair.1));
    let fits = other != pair && trials.iter().chain([shown]).all(|t| contains(t, other));
    let kernel = shown.prepared.kernel;
    match fits.then(|| named(kernel.rules(), &kernel.source.text())) {
        Some(Some(Float::F16)) => rungs(other, sums),
        Some(None) => Rungs { or_f16: true, ..rungs(pair, sums) },
        _ => rungs(pair, sums),
    }
}

/// Which of the two it is, by the language and the text of a kernel; nothing where it may be either. Shaders and OpenCL
/// have no tf32; CUDA has it in products of matrices, Triton even where nothing says so.
fn named(rules: Language, text: &str) -> Option<Float> {
    let text = text.replace("bfloat16", "").replace("bf16", "");
    let names = |words: &[&str]| words.iter().any(|word| text.contains(word));
    let (tf32, f16) = (names(&["tf32", "TF32"]), names(&["half", "f16", "float16", "Float16"]));
    let unsaid = names(&["tl.dot("]);
    match rules {
        Language::Wgsl | Language::OpenCl => Some(Float::F16),
        _ if tf32 && !f16 => Some(Float::TF32),
        _ if f16 && !tf32 && !unsaid => Some(Float::F16),
        _ => None,
    }
}

/// What the errors of an output are like.
#[derive(Default)]
struct Errors {
    /// Elements outside their bars.
    failing: usize,
    /// Those of them that are too large in magnitude, and those that are too small.
    larger: usize,
    smaller: usize,
    /// The sum of the squares of all errors, each as a share of the bar of the rung in question.
    squares: f64,
}

/// Whether the errors are as many, as large and as scattered as those of an evaluation at these rungs, in some order of
/// sums.
fn resembles(trials: &[Trial], pair: Pair) -> Option<bool> {
    let far = orders(sums(trials))
        .iter()
        .map(|order| unlikeness(trials, pair, *order))
        .collect::<Option<Vec<f64>>>()?;
    Some(far.into_iter().fold(f64::INFINITY, f64::min) <= LARGE)
}

/// Pairs that hardware has: products in the first, sums in f32.
const MIXED: [Pair; 3] = [(Float::TF32, Float::F32), (Float::F16, Float::F32), (Float::BF16, Float::F32)];
/// Orders of sums that arrays from elsewhere are held against.
const ORDERS: [Order; 3] = [Order::Sequential, Order::Pairwise, Order::Strided(32)];
/// Errors that differ by more from those of every evaluation tell of none.
const NEAR: f64 = 1.5;
/// By so much nearer must a pair be that comes later; a pair whose coarser rung is the type of a tensor needs less.
const NEARER: f64 = 0.98;
const OWN: f64 = 0.97;

/// The pair whose evaluations, in some order of sums, make errors most like those of arrays that fail. Unlike
/// `rung_of_failure` it knows sums that are finer than the arithmetic, and takes the likest, not the finest.
pub fn likest(trials: &[Trial]) -> Option<Pair> {
    let contract = &trials.first()?.prepared.kernel.contract;
    let sums = sums(trials);
    let all = usual((contract.compute, contract.accumulate), sums);
    let mixed = MIXED.into_iter().filter(|pair| sums && !all.contains(pair));
    let mut best: Option<(f64, Pair)> = None;
    for pair in all.iter().copied().chain(mixed) {
        for order in orders(sums).iter().filter(|_| trials.iter().all(|t| contains(t, pair))) {
            let far = unlikeness(trials, pair, *order).unwrap_or(f64::INFINITY);
            let coarser = if pair.0.unit_roundoff() > pair.1.unit_roundoff() { pair.0 } else { pair.1 };
            let own = contract.types.iter().any(|(_, dtype)| *dtype == DType::Float(coarser));
            let far = if own { OWN * far } else { far };
            if far <= NEAR && best.is_none_or(|(least, _)| far < NEARER * least) {
                best = Some((far, pair));
            }
        }
    }
    best.map(|(_, pair)| pair)
}

/// By which factor errors are larger or smaller than those of an evaluation at these rungs; infinite where they are not
/// as many or not as scattered.
fn unlikeness(trials: &[Trial], (compute, accumulate): Pair, order: Order) -> Option<f64> {
    let (mut own, mut model, mut product) = (Errors::default(), Errors::default(), 0.0);
    for trial in trials {
        let wide = trial.prepared.expected_at(compute, accumulate).ok()?;
        let rounded = match MIXED.contains(&(compute, accumulate)) {
            true => trial.prepared.cast_down(compute, accumulate, order).ok()?,
            false => trial.prepared.rounded_in((compute, accumulate), order).ok()?,
        };
        for (((expected, got), wide), rounded) in
            trial.expected.iter().zip(&trial.got).zip(&wide).zip(&rounded)
        {
            let (ours, theirs) = (shares(expected, got, &wide.bars), shares(expected, rounded, &wide.bars));
            own.add(expected, got, &ours);
            model.add(expected, rounded, &theirs);
            product += ours.iter().zip(&theirs).map(|(a, b)| a * b).sum::<f64>();
        }
    }
    let alike = |a: f64, b: f64| a <= ALIKE * b && b <= ALIKE * a;
    let scattered = own.larger.min(own.smaller) as f64 >= OTHER_WAY * own.failing as f64;
    let as_many = own.failing >= FEWEST && alike(own.failing as f64, model.failing as f64);
    let related = sums(trials) || product >= RELATED * (own.squares * model.squares).sqrt();
    let factor = (own.squares / model.squares).sqrt();
    let far = if factor < 1.0 { 1.0 / factor } else { factor };
    Some(if scattered && as_many && related && !far.is_nan() { far } else { f64::INFINITY })
}

/// Errors as shares of bars; 0 where there is none.
fn shares(expected: &Expected, got: &[f64], bars: &[f64]) -> Vec<f64> {
    let share = |((got, bar), value): ((&f64, &f64), &f64)| {
        let told = *bar > 0.0 && bar.is_finite() && got.is_finite() && value.is_finite();
        if told { (got - value) / bar } else { 0.0 }
    };
    got.iter().zip(bars).zip(&expected.values).map(share).collect()
}

/// Whether anything is summed.
fn sums(trials: &[Trial]) -> bool {
    trials.iter().any(|t| t.prepared.at.longest_sum() > 1)
}

/// The orders of sums that errors are held against.
fn orders(sums: bool) -> &'static [Order] {
    if sums { &ORDERS } else { &ORDERS[..1] }
}

impl Errors {
    fn add(&mut self, expected: &Expected, got: &[f64], shares: &[f64]) {
        self.squares += shares.iter().map(|share| share * share).sum::<f64>();
        for (at, got) in got.iter().enumerate() {
            let value = expected.values[at];
            if expected.judge(at, *got).fails() {
                self.failing += 1;
                self.larger += usize::from(got.abs() > value.abs());
                self.smaller += usize::from(got.abs() < value.abs());
            }
        }
    }
}

/// A pair as reports have it; where nothing is summed, nobody accumulates.
pub fn rungs((compute, accumulate): Pair, sums: bool) -> Rungs {
    Rungs { compute, accumulate: if sums { accumulate } else { compute }, or_f16: false }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn f16_and_tf32_are_told_apart_by_what_the_language_has_and_the_source_names() {
        assert_eq!(named(Language::Wgsl, "x = quantizeToF16(x);"), Some(Float::F16));
        assert_eq!(named(Language::OpenCl, "s += x;"), Some(Float::F16));
        assert_eq!(named(Language::Cuda, "__half2 s = __hmul2(a, b);"), Some(Float::F16));
        assert_eq!(named(Language::Cuda, "wmma::precision::tf32"), Some(Float::TF32));
        assert_eq!(named(Language::Cuda, "half x; wmma::precision::tf32 y;"), None);
        assert_eq!(named(Language::Cuda, "acc += tl.dot(a, b.to(tl.float16))"), None);
        assert_eq!(named(Language::Cuda, "__nv_bfloat16 x; mma.m16n8k16.f32.bf16"), None);
        assert_eq!(named(Language::C, "sum += a[i] * b[i];"), None);
        let either = Rungs { or_f16: true, ..rungs((Float::F32, Float::TF32), true) };
        assert_eq!(either.to_string(), "f32 with f16 or tf32 accumulation");
        let either = Rungs { or_f16: true, ..rungs((Float::TF32, Float::TF32), true) };
        assert_eq!(either.to_string(), "f16 or tf32");
    }

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
