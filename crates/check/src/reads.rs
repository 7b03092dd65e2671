//! What wrong elements hang on: each element of the inputs is changed by itself, and where the op's results change and
//! the kernel's do not, or the other way about, the kernel leaves something out or reads something else.

use std::collections::BTreeSet;

use ktwin_num::{DType, Tensor};

use crate::compare::indices;
use crate::inputs::{Prepared, reals};
use crate::pattern::Shows;
use crate::probe::{self, Runs, exact, results};
use crate::trial::Trial;

/// Elements of inputs that a case may have for that.
pub const MOST: usize = 640;
/// Work of the op, in its points, that all changes together may be.
const WORK: f64 = (1 << 25) as f64;
/// How far a result must move, in its bars, for the kernel's to have to move too.
const SURE: f64 = 8.0;
/// The part of a result that rounding may hide.
const LOST: f64 = 1.0 / (1u64 << 24) as f64;
/// Wrong elements that are looked at, and the share of them that must show the same.
const WRONG: usize = 24;
const SHARE: f64 = 0.7;
/// How much larger than all others a number is that surely makes a difference, if any does.
const FAR: f64 = 64.0;
/// Numbers of an index that are listed.
const LISTED: usize = 3;

/// The elements of one input, by their indices, for each wrong element of one output.
type Pairs = Vec<(Vec<usize>, Vec<Vec<usize>>)>;

/// What the kernel leaves out, or else what it reads though the op does not.
pub fn told(trial: &Trial, runs: Runs) -> Vec<Shows> {
    let Some(seen) = is_fit(trial).then(|| Seen::of(trial, runs)).flatten() else { return Vec::new() };
    let op = &trial.prepared.kernel.op;
    let mut out = Vec::new();
    for (output, input) in (0..op.outputs.len()).flat_map(|o| reals(op).into_iter().map(move |i| (o, i))) {
        let (missing, besides) = seen.pairs(trial, output, input);
        let names = || Names::of(trial, output, input);
        let stored = trial.prepared.kernel.dtype(&op.outputs[output].name);
        let in_blocks = matches!(stored, DType::Block(_));
        let none = |pairs: &Pairs| pairs.iter().all(|(_, read)| read.is_empty());
        match (names().said(&missing), names().said(&besides)) {
            (Some((element, due)), Some((_, read))) => out.insert(0, Shows::Instead { element, due, read }),
            // what hangs on other elements leaves nothing out, and neither does what hangs on nothing
            (Some((element, read)), None) if none(&besides) && seen.moves(trial, output) => {
                out.insert(0, Shows::LeftOut { element, read });
            }
            // of what is stored in blocks, which others share a scale the op does not say
            (None, Some((element, read))) if !in_blocks && seen.counts(output, input) => {
                out.push(Shows::ReadToo { element, read });
            }
            _ => {}
        }
    }
    out
}

/// Whether a case is small enough, and its results are what its inputs make of them.
fn is_fit(trial: &Trial) -> bool {
    let prepared = &trial.prepared;
    let elements: usize = reals(&prepared.kernel.op).iter().map(|i| prepared.inputs[*i].len()).sum();
    probe::is_fit(trial) && (1..=MOST).contains(&elements) && prepared.at.points() * elements as f64 <= WORK
}

/// One element of an input, changed: which outputs' elements moved, in the op and in the kernel.
struct Change {
    input: usize,
    at: usize,
    /// For each output, for each element: how far the op's value moved.
    due: Vec<Vec<f64>>,
    /// For each output, for each element: whether the kernel's moved at all; nothing where it was not run.
    moved: Vec<Vec<bool>>,
    /// Whether it is changed to a number that is far larger than all others: what rounds or cuts small numbers away
    /// does not leave that out, and what it drowns was read all the same.
    far: bool,
}

struct Seen(Vec<Change>);

impl Seen {
    fn of(trial: &Trial, runs: Runs) -> Option<Seen> {
        let prepared = &trial.prepared;
        let mut all: Vec<(usize, usize, bool, Prepared)> = Vec::new();
        for input in reals(&prepared.kernel.op) {
            let tensor = &prepared.inputs[input];
            let domain = prepared.at.input_domain(input);
            let far = FAR * largest(tensor);
            for (at, value) in tensor.to_f64().into_iter().enumerate() {
                let fits = |v: &f64| tensor.dtype.round(*v) != value && domain.contains(*v);
                let others = [value + 1.5, value - 1.5, value / 2.0].into_iter().filter(fits).take(2);
                all.extend(others.map(|other| (input, at, false, with(prepared, input, at, other))));
                let far =
                    [far, -far].into_iter().filter(|v| fits(v) && tensor.dtype.round(*v).is_finite()).take(1);
                all.extend(far.map(|other| (input, at, true, with(prepared, input, at, other))));
            }
        }
        let first = results(std::slice::from_ref(prepared), runs)?.pop()?;
        let own = exact(prepared)?;
        let mut changes = Vec::new();
        for group in all.chunks(probe::TOGETHER) {
            let changed: Vec<Prepared> = group.iter().map(|(.., changed)| changed.clone()).collect();
            for ((input, at, far, changed), got) in group.iter().zip(results(&changed, runs)?) {
                let differs = |(a, b): (&f64, &f64)| a.to_bits() != b.to_bits();
                let moved =
                    got.iter().zip(&first).map(|(new, old)| new.iter().zip(old).map(differs).collect());
                let due = moved_by(&own, changed)?;
                changes.push(Change { input: *input, at: *at, due, moved: moved.collect(), far: *far });
            }
        }
        // what differs by itself shows nothing
        let again = results(std::slice::from_ref(prepared), runs)?.pop()?;
        let same =
            again.iter().flatten().zip(first.iter().flatten()).all(|(a, b)| a.to_bits() == b.to_bits());
        let mut seen = Seen(changes);
        seen.look_further(prepared, &own)?;
        same.then_some(seen)
    }

    /// What seems to be read too much may only matter where it is far larger, as beside a maximum, or of another sign.
    fn look_further(&mut self, prepared: &Prepared, own: &[Vec<f64>]) -> Option<()> {
        let still = |change: &&Change| {
            let pairs = change.moved.iter().flatten().zip(change.due.iter().flatten());
            !change.far && pairs.into_iter().any(|(moved, due)| *moved && *due == 0.0)
        };
        let mut places: Vec<(usize, usize)> = self.0.iter().filter(still).map(|c| (c.input, c.at)).collect();
        places.dedup();
        for (input, at) in places {
            let tensor = &prepared.inputs[input];
            let most = largest(tensor);
            let domain = prepared.at.input_domain(input);
            let far = [FAR * most, -FAR * most].into_iter().filter(|v| domain.contains(*v));
            for value in far.filter(|v| tensor.dtype.round(*v).is_finite()) {
                let due = moved_by(own, &with(prepared, input, at, value))?;
                self.0.push(Change { input, at, due, moved: Vec::new(), far: true });
            }
        }
        Some(())
    }

    /// Whether an input makes a difference to an output at all: in the smallest cases it may make none, as a maximum of
    /// one number to a softmax, and a kernel that computes it in full is not wrong for that.
    fn counts(&self, output: usize, input: usize) -> bool {
        self.0.iter().any(|change| change.input == input && change.due[output].iter().any(|due| *due != 0.0))
    }

    /// Whether most wrong elements of an output move with anything.
    fn moves(&self, trial: &Trial, output: usize) -> bool {
        let failing = &trial.report.outputs[output].failing;
        let moving = failing
            .iter()
            .filter(|at| self.0.iter().any(|c| c.moved.get(output).is_some_and(|moved| moved[**at])));
        moving.count() as f64 >= SHARE * failing.len() as f64
    }

    /// What of an input each wrong element of an output leaves out, and what it reads besides.
    fn pairs(&self, trial: &Trial, output: usize, input: usize) -> (Pairs, Pairs) {
        let (expected, prepared) = (&trial.expected[output], &trial.prepared);
        let failing = &trial.report.outputs[output].failing;
        let step = failing.len().div_ceil(WRONG).max(1);
        let counts = |at: &&usize| trial.got[output][**at].is_finite() && !trial.unwritten[output][**at];
        let (mut missing, mut besides) = (Pairs::new(), Pairs::new());
        for wrong in failing.iter().step_by(step).filter(counts) {
            let (mut left, mut read) = (BTreeSet::new(), BTreeSet::new());
            let of_it = || self.0.iter().filter(|change| change.input == input);
            // beside a huge number, what is added to it is lost
            let lost = trial.got[output][*wrong].abs() * LOST;
            let bar = expected.bars[*wrong].max(lost);
            let sure = |due: f64| due.is_finite() && due > SURE * bar && due > 0.0;
            for change in of_it() {
                let Some(moved) = change.moved.get(output).map(|moved| moved[*wrong]) else { continue };
                let due = change.due[output][*wrong];
                left.extend((!moved && sure(due)).then_some(change.at));
                read.extend((moved && due == 0.0 && !change.far).then_some(change.at));
            }
            // another number in the same place may show what this one did not
            for change in of_it() {
                if change.moved.get(output).is_some_and(|moved| moved[*wrong]) {
                    left.remove(&change.at);
                }
                if change.due[output][*wrong] != 0.0 {
                    read.remove(&change.at);
                }
            }
            let shape = &prepared.at.input_shapes[input];
            let places = |all: BTreeSet<usize>| all.into_iter().map(|at| indices(shape, at)).collect();
            let own = indices(&expected.shape, *wrong);
            missing.push((own.clone(), places(left)));
            besides.push((own, places(read)));
        }
        (missing, besides)
    }
}

/// The largest magnitude of a tensor's numbers, and 1 at least.
fn largest(tensor: &Tensor) -> f64 {
    tensor.to_f64().into_iter().filter(|v| v.is_finite()).fold(1.0, |most: f64, v| most.max(v.abs()))
}

/// How far each element of the op moves from what it was.
fn moved_by(own: &[Vec<f64>], changed: &Prepared) -> Option<Vec<Vec<f64>>> {
    let by = |(a, b): (&f64, &f64)| if a == b { 0.0 } else { (a - b).abs() };
    let all = exact(changed)?;
    Some(all.iter().zip(own).map(|(new, old)| new.iter().zip(old).map(by).collect()).collect())
}

/// The case with one number of an input replaced.
fn with<'a>(prepared: &Prepared<'a>, input: usize, at: usize, value: f64) -> Prepared<'a> {
    let mut out = prepared.clone();
    let tensor = &mut out.inputs[input];
    let one = Tensor::from_f64(tensor.dtype, &[1], &[value]).bytes;
    tensor.bytes[at * one.len()..(at + 1) * one.len()].copy_from_slice(&one);
    out
}

/// The indices of an element of an output, and of one of an input: the names of dimensions, in lower case.
struct Names {
    element: (String, Vec<String>),
    read: (String, Vec<String>),
    shape: Vec<usize>,
}

impl Names {
    fn of(trial: &Trial, output: usize, input: usize) -> Names {
        let op = &trial.prepared.kernel.op;
        let lower = |axes: &[String]| axes.iter().map(|axis| axis.to_lowercase()).collect::<Vec<_>>();
        let (out, of) = (&op.outputs[output], &op.inputs[input]);
        let shape = trial.prepared.at.input_shapes[input].clone();
        Names {
            element: (out.name.clone(), lower(&out.axes)),
            read: (of.name.clone(), lower(&of.axes)),
            shape,
        }
    }

    /// The two as expressions, where most wrong elements show something, and the same.
    fn said(&self, pairs: &Pairs) -> Option<(String, String)> {
        let told: Pairs = pairs.iter().filter(|(_, read)| !read.is_empty()).cloned().collect();
        if told.is_empty() || (told.len() as f64) < SHARE * pairs.len() as f64 {
            return None;
        }
        let axes =
            (0..self.shape.len()).map(|axis| self.axis(&told, axis)).collect::<Option<Vec<String>>>()?;
        Some((shown(&self.element.0, &self.element.1), shown(&self.read.0, &axes)))
    }

    /// One index of what is read: the same as one of the element's, or that plus a number; or which numbers it has.
    fn axis(&self, told: &Pairs, axis: usize) -> Option<String> {
        let name = &self.read.1[axis];
        let own = self.element.1.iter().position(|other| other == name);
        let steps = |own: usize| -> BTreeSet<i64> {
            let all =
                told.iter().flat_map(|(element, read)| read.iter().map(move |r| (element[own], r[axis])));
            all.map(|(element, read)| read as i64 - element as i64).collect()
        };
        if let Some(steps) = own.map(steps).filter(|steps| steps.len() == 1) {
            return steps.first().map(|step| plus(name, *step));
        }
        let sets = told.iter().map(|(_, read)| read.iter().map(|r| r[axis]).collect::<BTreeSet<usize>>());
        let sets: Vec<BTreeSet<usize>> = sets.collect();
        let same = sets.iter().all(|set| *set == sets[0]);
        let all: BTreeSet<usize> = sets.into_iter().flatten().collect();
        (same || own.is_some()).then(|| numbers(&all, self.shape[axis], name))
    }
}

fn shown(name: &str, axes: &[String]) -> String {
    if axes.is_empty() { name.to_owned() } else { format!("{name}[{}]", axes.join(", ")) }
}

fn plus(name: &str, step: i64) -> String {
    match step {
        0 => name.to_owned(),
        step if step < 0 => format!("{name} - {}", -step),
        step => format!("{name} + {step}"),
    }
}

/// Some of the numbers of an index: all of them by its name, a range, a remainder, or a list.
fn numbers(all: &BTreeSet<usize>, size: usize, name: &str) -> String {
    let (Some(first), Some(last)) = (all.first().copied(), all.last().copied()) else {
        return name.to_owned();
    };
    if all.len() == size {
        return name.to_owned();
    }
    if last - first + 1 == all.len() {
        return if first == last { first.to_string() } else { format!("{first}..={last}") };
    }
    let remainder = (2..=64).find_map(|by| {
        let rest = first % by;
        (all.iter().copied().eq((0..size).filter(|at| at % by == rest)))
            .then(|| format!("{name} % {by} == {rest}"))
    });
    remainder.unwrap_or_else(|| {
        let mut listed: Vec<String> = all.iter().take(LISTED).map(usize::to_string).collect();
        listed.extend((all.len() > LISTED).then(|| "...".to_owned()));
        listed.join(" or ").replace(" or ...", " ...")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(element: &[&str], read: &[&str], shape: &[usize]) -> Names {
        let owned = |axes: &[&str]| axes.iter().map(|a| (*a).to_owned()).collect::<Vec<_>>();
        Names {
            element: ("y".into(), owned(element)),
            read: ("x".into(), owned(read)),
            shape: shape.to_vec(),
        }
    }

    fn said(names: &Names, pairs: &Pairs) -> String {
        names.said(pairs).map_or("nothing".to_owned(), |(element, read)| format!("{element}: {read}"))
    }

    #[test]
    fn indices_are_told_by_what_they_share() {
        let rows = names(&["r"], &["r", "d"], &[3, 8]);
        let of = |row: usize, places: &[usize]| (vec![row], places.iter().map(|d| vec![row, *d]).collect());
        let last: Pairs = (0..3).map(|row| of(row, &[6, 7])).collect();
        assert_eq!(said(&rows, &last), "y[r]: x[r, 6..=7]");
        let odd: Pairs = (0..3).map(|row| of(row, &[1, 3, 5, 7])).collect();
        assert_eq!(said(&rows, &odd), "y[r]: x[r, d % 2 == 1]");
        let some: Pairs = (0..3).map(|row| of(row, &[0, 1, 3, 7])).collect();
        assert_eq!(said(&rows, &some), "y[r]: x[r, 0 or 1 or 3 ...]");
        // the row below, all of it
        let below: Pairs =
            (0..2).map(|row| (vec![row], (0..8).map(|d| vec![row + 1, d]).collect())).collect();
        assert_eq!(said(&rows, &below), "y[r]: x[r + 1, d]");
        // each its own, in one case of three: nothing that they share
        let one: Pairs = vec![of(0, &[1]), of(1, &[]), of(2, &[])];
        assert_eq!(said(&rows, &one), "nothing");
        let each: Pairs = vec![of(0, &[1]), of(1, &[2]), of(2, &[5])];
        assert_eq!(said(&rows, &each), "nothing");
    }
}
