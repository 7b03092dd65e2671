//! A small map of where an output is wrong.

use crate::compare::Compared;

/// Most characters of a map's row, and most rows.
const MAP: (usize, usize) = (64, 10);

/// A small map of an output: `.` right, `+` some wrong, `#` all wrong.
pub fn map(compared: &Compared) -> Vec<String> {
    let total = compared.total;
    let row = match compared.shape.len() {
        0 | 1 => MAP.0.min(total.max(1)),
        n => compared.shape[n - 1].max(1),
    };
    let rows = total.div_ceil(row);
    let (across, down) = (row.min(MAP.0), rows.min(MAP.1));
    let mut bad = vec![0usize; across * down];
    let mut all = vec![0usize; across * down];
    let cell = |at: usize| (at / row) * down / rows * across + (at % row) * across / row;
    (0..total).for_each(|at| all[cell(at)] += 1);
    compared.failing.iter().for_each(|at| bad[cell(*at)] += 1);
    let sign = |i: usize| match (bad[i], all[i]) {
        (_, 0) => ' ',
        (0, _) => '.',
        (b, a) if b == a => '#',
        _ => '+',
    };
    (0..down).map(|r| (r * across..(r + 1) * across).map(sign).collect()).collect()
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
}
