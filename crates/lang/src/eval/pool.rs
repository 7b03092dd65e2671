//! Memory of blocks, used again: a block's values live for one operation, and asking the system for them anew
//! would cost as much as the operation.

use std::cell::RefCell;

use super::value::{LANES, Reals};

/// Most that a thread keeps.
const KEPT: usize = 64;

thread_local! {
    static FREE: RefCell<Vec<Vec<f64>>> = const { RefCell::new(Vec::new()) };
}

/// So many numbers, whatever they are.
pub fn lanes(n: usize) -> Vec<f64> {
    if n <= LANES / 8 {
        return vec![0.0; n];
    }
    let mut values = FREE.with_borrow_mut(Vec::pop).unwrap_or_else(|| Vec::with_capacity(LANES.max(n)));
    values.resize(n, 0.0);
    values
}

/// So many times one number.
pub fn filled(n: usize, x: f64) -> Vec<f64> {
    let mut values = lanes(n);
    values.fill(x);
    values
}

/// The same numbers once more.
pub fn copied(from: &[f64]) -> Vec<f64> {
    let mut values = lanes(from.len());
    values.copy_from_slice(from);
    values
}

/// Keeps memory that is not needed any more.
pub fn give(values: Vec<f64>) {
    if values.capacity() >= LANES && values.capacity() <= 2 * LANES {
        FREE.with_borrow_mut(|free| {
            if free.len() < KEPT {
                free.push(values);
            }
        });
    }
}

impl Reals {
    /// Keeps the memory of values that are not needed any more.
    pub fn recycle(self) {
        give(self.v);
        give(self.b);
    }
}
