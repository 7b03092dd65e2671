//! Ties: places that a kernel chose otherwise than the op, and which are as good. What else is wrong of an output stays
//! wrong.

use crate::compare::Compared;
use crate::inputs::Prepared;

/// Takes the elements of outputs of places that are as good as the op's own out of those that fail, where the op or
/// the contract leaves ties open. A choice that cannot be evaluated is none.
pub fn settle(prepared: &Prepared, got: &[Vec<f64>], compared: &mut [Compared]) {
    let contract = &prepared.kernel.contract;
    for ties in &prepared.at.op.ties {
        let (own, open) = (&mut compared[ties.output], ties.any || contract.promises.ties);
        if !open || own.failing.is_empty() {
            continue;
        }
        let promise = prepared.setup.promise(&prepared.at, &prepared.inputs, prepared.structured);
        if let Ok(tied) = prepared.at.tied(ties, &prepared.inputs, &promise, &got[ties.output]) {
            own.failing.retain(|at| !tied[*at]);
            own.worst.retain(|element| !tied[element.at]);
            if own.failing.is_empty() {
                (own.ratio, own.wrong_class, own.no_number) = (0.0, 0, 0);
            }
        }
    }
}
