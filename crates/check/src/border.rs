//! Whether an output is wrong at its border alone: where one of its last two indices is the first or the last.

use crate::compare::indices;

/// Right elements inside of the border, at least, and wrong ones on it.
const FEW: usize = 4;

/// Whether all wrong elements of this output, and of all other cases, lie on the border, on more than two of its sides,
/// and right ones lie inside.
pub fn is_where_wrong<'o>(
    shape: &[usize],
    failing: &[usize],
    right: &[usize],
    mut others: impl Iterator<Item = (&'o [usize], &'o [usize])>,
) -> bool {
    if shape.len() < 2 || failing.len() < FEW {
        return false;
    }
    let inside = right.iter().filter(|at| !on_border(shape, **at)).count();
    // corners are on two
    let alone = |at: &usize, side: usize| (0..4).all(|other| sides(shape, *at)[other] == (other == side));
    let touched = (0..4).filter(|side| failing.iter().any(|at| alone(at, *side))).count();
    inside >= FEW
        && touched > 2
        && failing.iter().all(|at| on_border(shape, *at))
        && others.all(|(shape, failing)| failing.iter().all(|at| on_border(shape, *at)))
}

fn on_border(shape: &[usize], at: usize) -> bool {
    sides(shape, at).contains(&true)
}

/// Whether an element is in the first row, the last one, the first column, the last one.
fn sides(shape: &[usize], at: usize) -> [bool; 4] {
    let place = indices(shape, at);
    let (row, column) = (shape.len() - 2, shape.len() - 1);
    [place[row] == 0, place[row] + 1 == shape[row], place[column] == 0, place[column] + 1 == shape[column]]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_border_has_more_than_two_sides() {
        let shape = [4, 5];
        let told = |wrong: &dyn Fn(usize, usize) -> bool, other: &[usize]| {
            let (failing, right): (Vec<usize>, Vec<usize>) = (0..20).partition(|at| wrong(at / 5, at % 5));
            is_where_wrong(&shape, &failing, &right, [(&[3, 3][..], other)].into_iter())
        };
        let border = |r: usize, c: usize| r == 0 || r == 3 || c == 0 || c == 4;
        assert!(told(&border, &[0, 8]));
        assert!(!told(&border, &[4]), "another case is wrong inside");
        assert!(!told(&|r, _| r == 0 || r == 3, &[]), "rows are told as such");
        assert!(!told(&|r, c| border(r, c) || c == 2, &[]));
    }
}
