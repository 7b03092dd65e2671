//! Whether a kernel is right if a buffer that it should write holds zeros before the launch: then it adds to what is
//! there, or leaves it where it should write.

use crate::device::{Access, Failure, Launch, Ran};
use crate::finding::Kind;
use crate::pattern::Shows;
use crate::probe::{Runs, came_out_right};
use crate::trial::Trial;

/// The outputs or scratch buffers that must hold zeros, the fewest that do: one, or else all.
pub fn told(trial: &Trial, runs: Runs) -> Option<Shows> {
    // where lanes race, or read from others that are not there, chance decides what comes out
    let of_values = |kind: Kind| kind.is_of_values() || kind == Kind::NotRepeatable;
    let fit = trial.report.has_wrong_values() && trial.report.findings.iter().all(|f| of_values(f.kind));
    // a zero that is due comes out right wherever nothing is written
    let outputs = trial.report.outputs.iter().zip(&trial.expected);
    let tells = outputs.into_iter().any(|(o, due)| o.failing.iter().any(|at| due.values[*at] != 0.0));
    if !fit || !tells || trial.prepared.chosen.is_some() {
        return None;
    }
    let (launch, memory) = trial.prepared.launch(0).ok()?;
    let begun = |at: &usize| matches!(launch.buffers[*at].access, Access::Write | Access::Scratch);
    let open: Vec<usize> = (0..launch.buffers.len()).filter(begun).collect();
    let mut sets: Vec<Vec<usize>> = open.iter().map(|at| vec![*at]).collect();
    sets.extend((open.len() > 1).then_some(open));
    // each, and as it was before and after, with either poison and what lies around buffers: what these decide, chance
    // or an earlier launch is another mistake
    let own = [launch.clone(), trial.prepared.launch(1).ok()?.0];
    let twice = |set: &Vec<usize>| own.each_ref().map(|launch| zeroed(launch, set));
    let all = own.iter().cloned().chain(sets.iter().flat_map(twice)).chain(own.iter().cloned());
    let ran = runs(all.collect())?;
    let right =
        |ran: &Result<Ran, Failure>| ran.as_ref().is_ok_and(|ran| came_out_right(trial, &memory, ran));
    let right: Vec<bool> = ran.iter().map(right).collect();
    let [a, b, tried @ .., c, d] = &right[..] else { return None };
    if (a, b) != (c, d) || *a && *b {
        return None;
    }
    let found = sets.into_iter().zip(tried.chunks(2)).find(|(_, right)| right.iter().all(|right| *right));
    let names = found?.0.into_iter().map(|at| launch.buffers[at].name.clone());
    Some(Shows::RightWhenZero { buffers: names.collect() })
}

/// The launch with these buffers full of zeros.
fn zeroed(launch: &Launch, set: &[usize]) -> Launch {
    let mut out = launch.clone();
    for at in set {
        let buffer = &mut out.buffers[*at];
        buffer.bytes[buffer.body.clone()].fill(0);
    }
    out
}
