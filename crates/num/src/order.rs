//! Rows whose elements are in an order, or all different.

use std::collections::HashMap;

use crate::regime::{Domain, Sorted};
use crate::tensor::Tensor;

/// The same numbers with each row in order.
pub(crate) fn ordered(tensor: &Tensor, order: Sorted, domain: Domain) -> Tensor {
    let mut values = tensor.to_f64();
    for row in values.chunks_exact_mut(tensor.shape.last().copied().unwrap_or(1).max(1)) {
        if order == Sorted::Distinct {
            set_apart(row, domain);
            continue;
        }
        row.sort_by(f64::total_cmp);
        if let (Sorted::Splits, [first, .., last]) = (order, row) {
            (*first, *last) = domain.ends();
        }
    }
    Tensor::from_f64(tensor.dtype, &tensor.shape, &values)
}

/// Makes the integers of a row different from each other, as far as their range has enough: each that has come before
/// becomes the next one that has not.
fn set_apart(row: &mut [f64], domain: Domain) {
    let (least, end) = (domain.lo.ceil() as i64, domain.hi.ceil() as i64);
    if end.saturating_sub(least) < row.len() as i64 {
        return;
    }
    let mut on = HashMap::new();
    for value in row {
        let own = (*value as i64).clamp(least, end - 1);
        let found =
            Some(unused(&mut on, own)).filter(|found| *found < end).unwrap_or_else(|| unused(&mut on, least));
        on.insert(found, found + 1);
        *value = found as f64;
    }
}

/// The first number from one on that is not in use; `on` says of each that is where to look on.
fn unused(on: &mut HashMap<i64, i64>, from: i64) -> i64 {
    let found = std::iter::successors(Some(from), |at| on.get(at).copied()).last().unwrap_or(from);
    let mut at = from;
    while at != found {
        // the next time it is one step away
        at = on.insert(at, found).unwrap_or(found);
    }
    found
}
