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
    let op = &trials.first()?.prepared.kernel.op;
    (0..op.inputs.len()).find_map(|input| {
        let info = &op.inputs[input];
        let axes = axes(info, &op.outputs[output])?;
        FOLDS.iter().find_map(|fold| {
            let seen = elements(trials, (input, &axes), output, *fold)?;
            let (wrong, right): (Vec<&Element>, Vec<&Element>) = seen.iter().flatten().partition(|e| e.wrong);
            let whole = matches!(trials[0].prepared.kernel.dtype(&info.name), DType::Int { .. });
            let told = |part: bool, right: &[&Element]| {
                let (relation, limit) =
                    (right.len() >= RIGHT).then(|| limit(&wrong, right, whole)).flatten()?;
                Some(What::WhereRead { read: shown(info, &axes, fold.0), relation, limit, part })
            };
            // cases in which all is right, or all wrong, may differ in more than this
            let mixed = seen.iter().filter(|own| own.iter().any(|e| e.wrong != own[0].wrong)).flatten();
            told(false, &right).or_else(|| told(true, &outside(mixed)?))
        })
    })
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
    kept(&|number| number <= most).or_else(|| kept(&|number| number >= least))
}

/// Which axis of an output each of an input's is: some are, and some are of the input alone.
fn axes(input: &TensorInfo, output: &TensorInfo) -> Option<Vec<Option<usize>>> {
    let twice = |axes: &[String]| axes.iter().enumerate().any(|(at, axis)| axes[..at].contains(axis));
    let place = |axis: &String| output.axes.iter().position(|own| own == axis);
    let found: Vec<Option<usize>> = input.axes.iter().map(place).collect();
    let both = [true, false].iter().all(|kind| found.iter().any(|at| at.is_some() == *kind));
    let plain = !twice(&input.axes) && !twice(&output.axes);
    let known = input.axes.iter().zip(&found).all(|(axis, at)| at.is_none() || axis.parse::<u64>().is_err());
    (both && plain && known).then_some(found)
}

/// As the op language has it: `max[d](x[r, d])`.
fn shown(input: &TensorInfo, axes: &[Option<usize>], fold: &str) -> String {
    let own = |(axis, at): (&String, &Option<usize>)| at.is_none().then(|| axis.to_lowercase());
    let over: Vec<String> = input.axes.iter().zip(axes).filter_map(own).collect();
    format!("{fold}[{}]({}[{}])", over.join(", "), input.name, input.axes.join(", ").to_lowercase())
}

/// The judged elements of an output where several numbers make one, if cases have wrong ones beside right ones: rows of
/// different lengths are parted by their extremes as well.
fn elements<'t>(
    trials: &[&'t Trial<'t>],
    (input, axes): (usize, &[Option<usize>]),
    output: usize,
    fold: Fold,
) -> Option<Vec<Vec<Element<'t>>>> {
    let (mut out, mut count, mut both) = (Vec::new(), 0, 0);
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
        let own: Vec<Element> = (0..got.len()).filter(judged).filter_map(element).collect();
        let wrong = own.iter().filter(|e| e.wrong).count();
        both += wrong.min(own.len() - wrong);
        out.push(own);
    }
    (both >= WRONG).then_some(out)
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
