//! Whether an output holds the right elements, row by row, in another order.

use crate::compare::{Expected, Judgement};

/// Whether each row of the last dimension in which something is wrong holds the elements that are due there, otherwise
/// arranged. All of the elements must be judged, and no two of a row be the same.
pub fn is_reordered(expected: &Expected, got: &[f64], failing: &[usize]) -> bool {
    let row = expected.shape.last().copied().unwrap_or(0);
    if row < 2 || expected.policy.is_some() {
        return false;
    }
    let mut rows: Vec<usize> = failing.iter().map(|at| at / row).collect();
    rows.dedup();
    rows.into_iter().all(|number| {
        let sorted = |values: &[f64]| {
            let mut order: Vec<usize> = (number * row..(number + 1) * row).collect();
            order.sort_by(|a, b| values[*a].total_cmp(&values[*b]));
            order
        };
        let (due, came) = (sorted(&expected.values), sorted(got));
        let distinct = due.windows(2).all(|pair| expected.values[pair[0]] != expected.values[pair[1]]);
        let same =
            |(due, came): (&usize, &usize)| matches!(expected.judge(*due, got[*came]), Judgement::Inside(_));
        distinct && due.iter().zip(&came).all(same)
    })
}

#[cfg(test)]
mod tests {
    use ktwin_num::{DType, Float};

    use super::*;

    #[test]
    fn rows_are_held_against_their_own_elements() {
        let dtype = DType::Float(Float::F32);
        let told = |values: &[f64], got: &[f64], failing: &[usize]| {
            let (shape, bars, any) = (vec![2, 3], vec![0.1; 6], Default::default());
            let (values, low, name) = (values.to_vec(), Vec::new(), "y".into());
            is_reordered(&Expected { name, shape, dtype, values, low, bars, any, policy: None }, got, failing)
        };
        let due = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0];
        assert!(told(&due, &[1.0, 2.0, 3.0, 6.05, 4.0, 5.0], &[3, 4, 5]));
        assert!(!told(&due, &[1.0, 2.0, 4.0, 3.0, 5.0, 6.0], &[2, 3]), "of another row");
        assert!(!told(&due, &[1.0, 2.0, 3.0, 4.5, 4.0, 6.0], &[3, 4]));
        assert!(!told(&[1.0, 1.0, 2.0, 4.0, 5.0, 6.0], &[2.0, 1.0, 1.0, 4.0, 5.0, 6.0], &[0, 2]));
    }
}
