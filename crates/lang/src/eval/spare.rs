//! Memory of outputs that nobody needs any more, to be written over.

use std::sync::{Mutex, PoisonError};

/// Memory to be written over.
pub struct Spare(Mutex<Vec<Vec<f64>>>);

impl Spare {
    pub fn new(values: Vec<Vec<f64>>) -> Spare {
        Spare(Mutex::new(values))
    }

    /// Room for so many numbers, whatever they are.
    pub fn room(&self, n: usize) -> Vec<f64> {
        let mut spare = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match spare.iter().position(|v| v.len() == n) {
            Some(at) => spare.swap_remove(at),
            None => ktwin_num::zeros(n),
        }
    }
}
