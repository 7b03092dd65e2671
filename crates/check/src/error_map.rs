//! Small maps of an output: where it is wrong, and what is due and what came out there.

use std::ops::Range;

use crate::compare::Compared;

/// Most characters of a map's row, and most rows; and of the maps of numbers beside it.
const MAP: (usize, usize) = (64, 10);
const BESIDE: usize = 32;

/// An output in few cells, rows over one another.
struct Cells {
    row: usize,
    rows: usize,
    across: usize,
    down: usize,
}

impl Cells {
    fn of(compared: &Compared, most: usize) -> Cells {
        let total = compared.total;
        let row = match compared.shape.len() {
            0 | 1 => MAP.0.min(total.max(1)),
            n => compared.shape[n - 1].max(1),
        };
        let rows = total.div_ceil(row);
        Cells { row, rows, across: row.min(most), down: rows.min(MAP.1) }
    }

    /// The cell of an element.
    fn at(&self, element: usize) -> usize {
        let (row, column) = (element / self.row, element % self.row);
        row * self.down / self.rows * self.across + column * self.across / self.row
    }

    /// Rows of characters, one for each cell.
    fn text(&self, sign: impl Fn(usize) -> char) -> Vec<String> {
        let row = |row: usize| -> Range<usize> { row * self.across..(row + 1) * self.across };
        (0..self.down).map(|at| row(at).map(&sign).collect()).collect()
    }
}

/// A small map of an output: `.` right, `+` some wrong, `#` all wrong.
pub fn map(compared: &Compared) -> Vec<String> {
    let cells = Cells::of(compared, MAP.0);
    let (mut bad, mut all) = (vec![0usize; cells.across * cells.down], vec![0; cells.across * cells.down]);
    (0..compared.total).for_each(|at| all[cells.at(at)] += 1);
    compared.failing.iter().for_each(|at| bad[cells.at(*at)] += 1);
    cells.text(|cell| match (bad[cell], all[cell]) {
        (_, 0) => ' ',
        (0, _) => '.',
        (b, a) if b == a => '#',
        _ => '+',
    })
}

/// What is due and what came out, in digits from the least number that is due to the largest, `<` below them, `>`
/// above, `N` no number; of several elements in a cell the mean.
pub fn levels(compared: &Compared, due: &[f64], got: &[f64]) -> [Vec<String>; 2] {
    let cells = Cells::of(compared, BESIDE);
    let finite = due.iter().copied().filter(|value| value.is_finite());
    let (lo, hi) = finite.fold((f64::INFINITY, f64::NEG_INFINITY), |(lo, hi), v| (lo.min(v), hi.max(v)));
    let sign = |mean: f64| match mean {
        mean if mean.is_nan() => 'N',
        mean if mean < lo => '<',
        mean if mean > hi => '>',
        mean => char::from_digit(((mean - lo) / (hi - lo) * 10.0).clamp(0.0, 9.0) as u32, 10).unwrap_or('0'),
    };
    [due, got].map(|values| {
        let mut sums = vec![(0.0, 0usize); cells.across * cells.down];
        for (at, value) in values.iter().enumerate() {
            let cell = &mut sums[cells.at(at)];
            (cell.0, cell.1) = (cell.0 + value, cell.1 + 1);
        }
        cells.text(|cell| if sums[cell].1 == 0 { ' ' } else { sign(sums[cell].0 / sums[cell].1 as f64) })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn maps_are_small() {
        let failing = (64..128).chain([200]).collect();
        let compared = Compared { total: 256, shape: vec![4, 64], failing, ..Compared::default() };
        let map = map(&compared);
        assert_eq!(map.len(), 4);
        assert_eq!(map[1], "#".repeat(64));
        assert_eq!(map[3].find('#'), Some(8));
        let large =
            Compared { total: 1 << 20, shape: vec![1024, 1024], failing: vec![0], ..Compared::default() };
        let map = super::map(&large);
        assert_eq!((map.len(), map[0].len(), &map[0][..2]), (10, 64, "+."));
    }

    #[test]
    fn numbers_are_shown_by_their_size() {
        let compared = Compared { total: 6, shape: vec![2, 3], ..Compared::default() };
        let due = [0.0, 5.0, 10.0, 1.0, 9.9, 4.0];
        let [due, got] = levels(&compared, &due, &[-1.0, f64::NAN, 11.0, f64::INFINITY, 0.0, 4.0]);
        assert_eq!((due, got), (vec!["059".into(), "194".into()], vec!["<N>".into(), ">04".into()]));
        let wide = Compared { total: 200, shape: vec![1, 200], ..Compared::default() };
        let rising: Vec<f64> = (0..200).map(f64::from).collect();
        let [due, _] = levels(&wide, &rising, &rising);
        assert_eq!((due[0].len(), &due[0][..4], &due[0][28..]), (32, "0001", "8999"));
    }
}
