//! Whether the largest or the smallest number of an input, of those that an element is made of, says if that element is
//! wrong: a maximum that begins at 0, a comparison that ignores the sign.

use ktwin_lang::TensorInfo;
use ktwin_num::{DType, math};

use crate::compare::indices;
use crate::keyed::{Element, MOST, RIGHT, WRONG, limit};
use crate::pattern::What;
use crate::trial::Trial;

/// A way to make one number of many: its name, where it begins, and how it goes on.
type Fold = (&'static str, f64, fn(f64, f64) -> f64);

/// The share of all elements that lie among the wrong ones, at most, and how unlikely that must be by chance.
const SHARE: f64 = 0.5;
const CHANCE: f64 = 1e-6;

const FOLDS: [Fold; 2] = [("max", f64::NEG_INFINITY, f64::max), ("min", f64::INFINITY, f64::min)];

/// A limit on the largest or smallest number of an input along the axes that an output does not have.
pub fn told(trials: &[&Trial], output: usize) -> Option<What> {
    folds(trials, output, &|(input, axes), fold| {
        let seen = elements(trials, (input, axes), output, fold);
        // cases in which all is right, or all wrong, may differ in more than this
        let wrong = |own: &Vec<Element>| own.iter().filter(|e| e.wrong).count();
        let mixed = || seen.iter().filter(|own| (1..own.len()).contains(&wrong(own)));
        let enough = mixed().map(|own| wrong(own).min(own.len() - wrong(own))).sum::<usize>() >= WRONG;
        let told = |part: bool| {
            let (wrong, right): (Vec<&Element>, Vec<&Element>) = seen.iter().flatten().partition(|e| e.wrong);
            let right = if part { outside(mixed().flatten())? } else { right };
            limited(trials, (input, axes, fold), &wrong, &right, part)
        };
        enough.then(|| told(false).or_else(|| told(true))).flatten()
    })
}

/// The same of an output of one number, where no size tells when it is wrong.
pub fn of_one_number(trials: &[&Trial], output: usize) -> Option<What> {
    folds(trials, output, &|(input, axes), fold| {
        let seen = elements(trials, (input, axes), output, fold);
        let (wrong, right): (Vec<&Element>, Vec<&Element>) = seen.iter().flatten().partition(|e| e.wrong);
        (wrong.len() >= WRONG).then(|| limited(trials, (input, axes, fold), &wrong, &right, false)).flatten()
    })
}

/// The first that is told of an input with axes of its own, and of one of its extremes.
fn folds(
    trials: &[&Trial],
    output: usize,
    told: &dyn Fn((usize, &[Option<usize>]), Fold) -> Option<What>,
) -> Option<What> {
    let op = &trials.first()?.prepared.kernel.op;
    (0..op.inputs.len()).find_map(|input| {
        let axes = axes(&op.inputs[input], &op.outputs[output])?;
        FOLDS.iter().find_map(|fold| told((input, &axes), *fold))
    })
}

/// A limit that parts wrong elements from right ones.
fn limited(
    trials: &[&Trial],
    (input, axes, fold): (usize, &[Option<usize>], Fold),
    wrong: &[&Element],
    right: &[&Element],
    part: bool,
) -> Option<What> {
    let kernel = trials[0].prepared.kernel;
    let info = &kernel.op.inputs[input];
    let whole = matches!(kernel.dtype(&info.name), DType::Int { .. });
    let (relation, limit) = (right.len() >= RIGHT).then(|| limit(wrong, right, whole)).flatten()?;
    Some(What::WhereRead { read: shown(info, axes, fold.0), relation, limit, part })
}

/// The right elements without those among the wrong ones, where these are few and wrong ones lie together by no
/// accident: the first place may be the right answer by luck.
fn outside<'e, 't>(all: impl Iterator<Item = &'e Element<'t>>) -> Option<Vec<&'e Element<'t>>> {
    let (wrong, right): (Vec<&Element>, Vec<&Element>) = all.partition(|e| e.wrong);
    let numbers = || wrong.iter().map(|e| e.number);
    // one row makes many elements
    let mut rows: Vec<u64> = numbers().map(f64::to_bits).collect();
    rows.sort_unstable();
    rows.dedup();
    let least = numbers().fold(f64::INFINITY, f64::min);
    let most = numbers().fold(f64::NEG_INFINITY, f64::max);
    let kept = |inside: &dyn Fn(f64) -> bool| {
        let out: Vec<&Element> = right.iter().copied().filter(|e| !inside(e.number)).collect();
        let there = wrong.len() + right.len() - out.len();
        let share = there as f64 / (wrong.len() + right.len()) as f64;
        let few = there <= 2 * wrong.len() && share <= SHARE;
        (few && math::pow(share, rows.len() as f64) < CHANCE).then_some(out)
    };
    // up to zero, where that is near
    let zero = (most < 0.0).then(|| kept(&|number| number < 0.0)).flatten();
    zero.or_else(|| kept(&|number| number <= most)).or_else(|| kept(&|number| number >= least))
}

/// Which axis of an output each of an input's is, where some are of the input alone.
fn axes(input: &TensorInfo, output: &TensorInfo) -> Option<Vec<Option<usize>>> {
    let twice = |axes: &[String]| axes.iter().enumerate().any(|(at, axis)| axes[..at].contains(axis));
    let place = |axis: &String| output.axes.iter().position(|own| own == axis);
    let found: Vec<Option<usize>> = input.axes.iter().map(place).collect();
    let plain = !twice(&input.axes) && !twice(&output.axes);
    let known = input.axes.iter().zip(&found).all(|(axis, at)| at.is_none() || axis.parse::<u64>().is_err());
    (found.contains(&None) && plain && known).then_some(found)
}

/// As the op language has it: `max[d](x[r, d])`.
fn shown(input: &TensorInfo, axes: &[Option<usize>], fold: &str) -> String {
    let own = |(axis, at): (&String, &Option<usize>)| at.is_none().then(|| axis.to_lowercase());
    let over: Vec<String> = input.axes.iter().zip(axes).filter_map(own).collect();
    format!("{fold}[{}]({}[{}])", over.join(", "), input.name, input.axes.join(", ").to_lowercase())
}

/// The judged elements of an output where several numbers make one, of each trial.
fn elements<'t>(
    trials: &[&'t Trial<'t>],
    (input, axes): (usize, &[Option<usize>]),
    output: usize,
    fold: Fold,
) -> Vec<Vec<Element<'t>>> {
    let (mut out, mut count) = (Vec::new(), 0);
    for trial in trials.iter().filter(|t| !t.prepared.case.regime.is_special() && t.prepared.chosen.is_none())
    {
        let (Some(expected), Some(got)) = (trial.expected.get(output), trial.got.get(output)) else {
            continue;
        };
        let shape = &trial.prepared.at.input_shapes[input];
        let several = axes.iter().zip(shape).any(|(at, size)| at.is_none() && *size > 1);
        count += got.len();
        if !several || count > MOST {
            continue;
        }
        let folded = extremes(&trial.prepared.inputs[input].to_f64(), shape, axes, &expected.shape, fold);
        let judged = |at: &usize| !expected.is_free(*at);
        let element = |at: usize| {
            let key = key(&indices(&expected.shape, at), axes, &expected.shape);
            let number = Some(folded[key]).filter(|number| number.is_finite())?;
            Some(Element { number, wrong: expected.judge(at, got[at]).fails(), trial })
        };
        out.push((0..got.len()).filter(judged).filter_map(element).collect());
    }
    out
}

/// The extreme of the input for each place of the axes that the output shares with it.
fn extremes(
    numbers: &[f64],
    shape: &[usize],
    axes: &[Option<usize>],
    output: &[usize],
    (_, begin, fold): Fold,
) -> Vec<f64> {
    let mut out = vec![begin; output.iter().product()];
    let mut place = vec![0; output.len()];
    for (at, number) in numbers.iter().enumerate() {
        let own = indices(shape, at);
        axes.iter().zip(own).for_each(|(axis, index)| axis.iter().for_each(|axis| place[*axis] = index));
        let slot = &mut out[key(&place, axes, output)];
        *slot = fold(*slot, *number);
    }
    out
}

/// A number for each place of the shared axes.
fn key(place: &[usize], axes: &[Option<usize>], output: &[usize]) -> usize {
    axes.iter().flatten().fold(0, |key, axis| key * output[*axis] + place[*axis])
}
