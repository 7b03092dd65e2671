//! Numbers many of which are equal, or all but equal.

use crate::fill::{Fill, NEAR_HALVES, each, signed};
use crate::float::{Float, pow2};
use crate::rng::{Elements, Rng, scaled};

/// The largest number of pairs, of either sign, and the largest beside it.
const PAIR: f64 = 8.0;
const BESIDE: f64 = 6.0;
/// Lanes that work together, in the largest number of them first.
const LANES: [u64; 6] = [1024, 512, 256, 128, 64, 32];
/// Lanes of the narrowest group.
const GROUP: u64 = 32;
/// How often the largest of a row stands in one lane, where the row is long enough; once less where it just is.
const COPIES: u64 = 4;
/// Groups in which the first of two equal elements may stand.
const GROUPS: u64 = 8;

/// Zeros; in every second kind of either sign, from the one or the other on: equal, but not their bits.
pub(crate) fn zeros(fill: &Fill, start: u64, out: &mut [f64]) {
    let Some(kind) = fill.kind.filter(|kind| !kind.is_multiple_of(2)) else { return out.fill(0.0) };
    each(&mut Elements::from(fill.seed, fill.stream, start), out, |d| signed(d[0], 0.0));
    if let (0, Some(first)) = (start, out.first_mut()) {
        *first = if kind % 4 == 1 { -0.0 } else { 0.0 };
    }
}

/// A few numbers around zero, some halfway between neighbours of f16, bf16 and e4m3, where conversions tie; in every
/// second kind three, of which the largest is a zero with a minus sign; in the third, of wider types, what lies around
/// the largest f16, and becomes that or an infinity; in NEAR_HALVES those halfway are off by one unit, so that the
/// other neighbour is nearer, but not to who rounds to a type between the two first.
pub(crate) fn ties(fill: &Fill, float: Float, draw: u64) -> f64 {
    // a type that ends there has infinities of them
    if fill.kind == Some(2) && float.max_finite() > pow2(16) {
        const EDGES: [f64; 6] = [65488.0, 65504.0, 65505.0, 65519.0, 65520.0, 65536.0];
        return signed(draw.rotate_left(32), EDGES[scaled(draw, EDGES.len() as u64) as usize]);
    }
    if fill.is_second() {
        return -0.5 * scaled(draw, 3) as f64;
    }
    const HALFWAY: [i32; 3] = [-11, -8, -4];
    let which = scaled(draw, 11);
    match which {
        0..5 => 0.5 * which as f64 - 1.0,
        // below an even neighbour and above one
        _ => {
            let (up, half) = (which % 2 == 1, pow2(HALFWAY[(which as usize - 5) / 2]));
            let unit = if fill.kind == Some(NEAR_HALVES) { float.ulp(1.0) } else { 0.0 };
            1.0 + if up { 3.0 * half - unit } else { half + unit }
        }
    }
}

/// Normal numbers, but each row has its largest twice, and its smallest: first in a high lane of a group that is not
/// the first, then, lanes further on, in a low lane of the first. Who compares lanes, groups or rounds in any order but
/// that of the places takes the later one.
pub(crate) fn pairs(fill: &Fill, start: u64, total: u64, out: &mut [f64]) {
    among_normals(fill, start, total, out, |rng, row| {
        let Some(high) = pair(rng, row) else { return Vec::new() };
        let low = pair(rng, row).filter(|low| !low.iter().any(|place| high.contains(place)));
        let high = high.map(|place| (place, PAIR)).into_iter();
        high.chain(low.into_iter().flatten().map(|place| (place, -PAIR))).collect()
    });
}

/// Normal numbers, but each row has its largest several times, all in one lane: who keeps as many in a lane as it
/// has seen that differ loses some of them.
pub(crate) fn in_lane(fill: &Fill, start: u64, total: u64, out: &mut [f64]) {
    among_normals(fill, start, total, out, |rng, row| {
        let lanes = LANES.into_iter().find(|lanes| (COPIES - 2) * lanes < row).unwrap_or(GROUP);
        let first = rng.below(lanes.min(row.saturating_sub((COPIES - 2) * lanes)).max(1));
        let places = (0..COPIES).map(|copy| first + copy * lanes);
        places.filter(|place| *place < row).map(|place| (place, PAIR)).collect()
    });
}

/// Normal numbers with others at some places of each row.
fn among_normals(
    fill: &Fill,
    start: u64,
    total: u64,
    out: &mut [f64],
    places: impl Fn(&mut Rng, u64) -> Vec<(u64, f64)>,
) {
    Elements::from(fill.seed, fill.stream, start).fill_normal(out);
    out.iter_mut().for_each(|v| *v = v.clamp(-BESIDE, BESIDE));
    let row = if fill.row > 0 { fill.row } else { total };
    let end = start + out.len() as u64;
    for number in start / row..end.div_ceil(row) {
        let mut rng = Rng::new(fill.seed ^ number.rotate_left(32), fill.stream);
        for (place, value) in places(&mut rng, row) {
            let at = (number * row + place).wrapping_sub(start);
            if let Some(v) = out.get_mut(usize::try_from(at).unwrap_or(usize::MAX)) {
                *v = value;
            }
        }
    }
}

/// Whole numbers from -4 to 4; the later half of the rows is the earlier one again, and so are columns: what is summed
/// up along either is exact, and equal in pairs as well.
pub(crate) fn halves(fill: &Fill, start: u64, total: u64, out: &mut [f64]) {
    let row = if fill.row > 0 { fill.row } else { total.max(1) };
    let half = |extent: u64| extent.div_ceil(2).max(1);
    for (at, v) in (start..).zip(out.iter_mut()) {
        let place = at / row % half(total / row) * half(row) + at % row % half(row);
        *v = scaled(Elements::from(fill.seed, fill.stream, place).draws()[0], 9) as f64 - 4.0;
    }
}

// Two places of a row, of which the later one stands in a lower lane as far as the row is long enough.
fn pair(rng: &mut Rng, row: u64) -> Option<[u64; 2]> {
    let Some(lanes) = LANES.into_iter().find(|lanes| lanes + 1 < row) else {
        let first = rng.below(row.checked_sub(1).filter(|others| *others > 0)?);
        return Some([first, first + 1 + rng.below(row - 1 - first)]);
    };
    let low = rng.below((GROUP - 1).min(row - lanes));
    let high = low + 1 + rng.below(GROUP - 1 - low);
    // of an odd group: of half as many lanes it is then not the first either
    let groups = (lanes / GROUP).min(GROUPS);
    let group = if groups > 1 { 1 + 2 * rng.below(groups / 2) } else { 0 };
    let round = 1 + rng.below((row - 1 - low) / lanes);
    Some([GROUP * group + high, lanes * round + low])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dtype::DType;
    use crate::fill::{IN_LANE, PAIRS, TWICE, fill_range};
    use crate::regime::Regime;

    #[test]
    fn the_later_of_two_equal_elements_stands_in_a_lower_lane() {
        for row in [2usize, 3, 20, 33, 34, 65, 130, 256, 257, 259, 643, 1025, 1031, 4099] {
            for seed in 0..20 {
                let how = Fill { kind: Some(PAIRS), row: row as u64, ..Fill::new(Regime::Ties, seed) };
                let mut all = vec![0.0; 3 * row];
                fill_range(&how, DType::F32, 0, 3 * row as u64, &mut all);
                for values in all.chunks_exact(row) {
                    let largest = values.iter().fold(f64::NEG_INFINITY, |a, b| a.max(*b));
                    let places: Vec<usize> = (0..row).filter(|at| values[*at] == largest).collect();
                    let [first, second] = places[..] else { panic!("{row}: {places:?}") };
                    let lanes = LANES.into_iter().map(|lanes| lanes as usize).filter(|lanes| lanes + 1 < row);
                    for lanes in lanes {
                        assert!(second % lanes < first % lanes, "{row} {lanes}: {places:?}");
                    }
                    assert!(row < 66 || first / 32 % 2 == 1, "{row}: {places:?}");
                }
                let mut part = vec![0.0; 2 * row - 1];
                fill_range(&how, DType::F32, 1, 3 * row as u64, &mut part);
                assert_eq!(part, all[1..2 * row]);
            }
        }
    }

    #[test]
    fn the_largest_stand_in_one_lane() {
        for row in [1usize, 2, 33, 65, 130, 515, 1025, 4099] {
            let how = Fill { kind: Some(IN_LANE), row: row as u64, ..Fill::new(Regime::Ties, 5) };
            let all = crate::fill::fill(&how, DType::F32, &[3, row]).to_f64();
            for values in all.chunks_exact(row) {
                let places: Vec<usize> = (0..row).filter(|at| values[*at] == PAIR).collect();
                assert!(places.iter().all(|place| place % 32 == places[0] % 32), "{row}: {places:?}");
                assert!(row < 65 || (3..=4).contains(&places.len()), "{row}: {places:?}");
            }
        }
    }

    #[test]
    fn rows_and_columns_come_twice() {
        let how = Fill { kind: Some(TWICE), row: 7, ..Fill::new(Regime::Ties, 3) };
        let all = crate::fill::fill(&how, DType::F32, &[5, 7]).to_f64();
        for (at, value) in all.iter().enumerate() {
            let (row, column) = (at / 7, at % 7);
            assert_eq!(*value, all[row % 3 * 7 + column % 4], "{row} {column}");
        }
        assert!(all.iter().any(|v| *v != all[0]));
    }
}
