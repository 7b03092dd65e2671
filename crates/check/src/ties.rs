//! Ties: places that a kernel chose otherwise than the op, and which are as good. What else is wrong of an output stays
//! wrong.

use std::borrow::Cow;

use ktwin_lang::Tied;

use crate::compare::{Compared, Expected};
use crate::inputs::{Prepared, is_odd};
use crate::metrics::Metrics;

/// What an output must be, by its number and by what came out: where rounding may choose among places, the twin knows
/// between which two they lie, and of those between only some are as good as its own.
pub fn narrowed<'e>(
    prepared: &Prepared,
    number: usize,
    expected: &'e Expected,
    got: &[f64],
) -> Cow<'e, Expected> {
    let all = Cow::Borrowed(expected);
    let open = |at: &usize| {
        expected.bars[*at] > 0.0 && got[*at] != expected.values[*at] && prepared.compares(number, *at)
    };
    let Some(ties) = prepared.at.op.ties.iter().find(|ties| ties.output == number) else { return all };
    let mut open: Vec<usize> = (0..got.len()).filter(open).collect();
    if open.is_empty() || expected.policy.is_some() {
        return all;
    }
    // what a NaN touches is free for another reason, and so is what means nothing
    let valid = prepared.at.op.valid.iter().any(|valid| valid.output == number);
    if valid || prepared.inputs.iter().any(is_odd) {
        open.retain(|at| expected.bars[*at].is_finite());
    }
    let promise = prepared.setup.promise(&prepared.at, &prepared.inputs, prepared.structured);
    let Ok(tied) = prepared.at.tied(ties, &prepared.inputs, &promise, got) else { return all };
    open.into_iter().filter(|at| tied[*at] == Tied::Worse).fold(all, |mut all, at| {
        all.to_mut().bars[at] = 0.0;
        all
    })
}

/// Whether each of these elements of an output of places chooses what is as good as the op's own choice.
pub fn others_of_equals(prepared: &Prepared, number: usize, got: &[f64], wrong: &[usize]) -> bool {
    let Some(ties) = prepared.at.op.ties.iter().find(|ties| ties.output == number) else { return false };
    let promise = prepared.setup.promise(&prepared.at, &prepared.inputs, prepared.structured);
    let tied = prepared.at.tied(ties, &prepared.inputs, &promise, got);
    tied.is_ok_and(|tied| wrong.iter().all(|at| tied[*at] == Tied::AsGood))
}

/// Takes the elements of outputs of places that are as good as the op's own out of those that fail, where the op or
/// the contract leaves ties open. A choice that cannot be evaluated is none.
pub fn settle(prepared: &Prepared, expected: &[Expected], got: &[Vec<f64>], compared: &mut [Compared]) {
    let contract = &prepared.kernel.contract;
    for ties in &prepared.at.op.ties {
        let (own, open) = (&mut compared[ties.output], ties.any || contract.promises.ties);
        if !open || own.failing.is_empty() {
            continue;
        }
        let promise = prepared.setup.promise(&prepared.at, &prepared.inputs, prepared.structured);
        let (due, got) = (&expected[ties.output], &got[ties.output]);
        if let Ok(tied) = prepared.at.tied(ties, &prepared.inputs, &promise, got) {
            own.failing.retain(|at| tied[*at] != Tied::AsGood);
            // another place is as good, and no measure of an error
            let other = |at: usize| tied[at] == Tied::AsGood && got[at] != due.values[at];
            let wrong_class = own.wrong_class;
            own.metrics = Metrics { wrong_class, ..Metrics::of_all_but(due, got, &other) };
            own.worst.retain(|element| tied[element.at] != Tied::AsGood);
            if own.failing.is_empty() {
                (own.ratio, own.wrong_class, own.no_number) = (0.0, 0, 0);
            }
        }
    }
}
