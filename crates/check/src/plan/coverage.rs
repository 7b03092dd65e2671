//! What the sizes of a plan are to the kernel, counted: the cases of each dimension by class of size, and those in
//! which one dimension is the smaller of two.

use super::{Plan, sizes};
use crate::case::Case;
use crate::kernel::Kernel;

/// A dimension, and the cases in which its size is of each class of [`CLASSES`]; none where no size can be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// The dimension.
    pub dim: String,
    /// Cases by class.
    pub cases: Vec<Option<usize>>,
}

/// Two dimensions, and the cases in which the first is the smaller, and the larger.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pair {
    /// The dimensions.
    pub dims: (String, String),
    /// Cases in which the first is smaller than the second.
    pub less: usize,
    /// Cases in which it is larger.
    pub more: usize,
}

/// What is known of a dimension when its sizes are classed.
struct About {
    tiles: Vec<i64>,
    largest: Option<i64>,
}

/// Whether a size is of a class; none where the dimension has no such class.
type Class = fn(&About, i64) -> Option<bool>;

/// The classes, in the order in which they are shown. A size may be of several.
pub const CLASSES: [&str; 12] = [
    "1", "odd < 32", "tile-1", "tile", "tile+1", "tiles", "part", "2^n", "prime", "> 1024", "> 65535",
    "limit",
];
const TESTS: [Class; CLASSES.len()] = [
    |_, n| Some(n == 1),
    |_, n| Some(n > 1 && n < 32 && n % 2 == 1),
    |a, n| a.any(|tile| n == tile - 1),
    |a, n| a.any(|tile| n == tile),
    |a, n| a.any(|tile| n == tile + 1),
    |a, n| a.any(|tile| n > tile && n % tile == 0),
    |a, n| a.any(|tile| n > tile && n % tile != 0),
    |_, n| Some(n > 1 && n & (n - 1) == 0),
    |_, n| Some(is_prime(n)),
    |a, n| a.reaches(1025).then_some(n > 1024),
    |a, n| a.reaches(65_536).then_some(n > 65_535),
    |a, n| a.near_the_limit(n),
];

impl About {
    fn any(&self, test: impl Fn(i64) -> bool) -> Option<bool> {
        (!self.tiles.is_empty()).then(|| self.tiles.iter().any(|tile| test(*tile)))
    }

    fn reaches(&self, size: i64) -> bool {
        self.largest.is_none_or(|most| most >= size)
    }

    /// Whether a size is the largest that the contract accepts, or within a tile of it.
    fn near_the_limit(&self, size: i64) -> Option<bool> {
        let within = self.tiles.iter().max().copied().unwrap_or(1);
        self.largest.map(|most| size > most - within)
    }
}

fn is_prime(n: i64) -> bool {
    n > 1 && (2..).take_while(|d| d * d <= n).all(|d| n % d != 0)
}

/// The rows of a plan, one a dimension that has a size of its own.
pub fn rows(kernel: &Kernel, plan: &Plan) -> Vec<Row> {
    let row = |number: usize| {
        let dim = kernel.op.dims[number].name.clone();
        let tiles = kernel.contract.tile.iter().filter(|(name, tile)| **name == *dim && *tile > 1);
        let tiles: Vec<i64> = tiles.map(|(_, tile)| *tile).collect();
        let about = About { tiles, largest: sizes::largest(kernel, &dim) };
        let sizes: Vec<i64> = plan.cases.iter().filter_map(|case| size_of(case, &dim)).collect();
        let count = |class: &Class| {
            let each: Option<Vec<bool>> = sizes.iter().map(|size| class(&about, *size)).collect();
            each.map(|each| each.into_iter().filter(|is| *is).count())
        };
        Row { dim, cases: TESTS.iter().map(count).collect() }
    };
    kernel.op.free_dims().into_iter().map(row).collect()
}

/// The pairs of a plan's dimensions.
pub fn pairs(kernel: &Kernel, plan: &Plan) -> Vec<Pair> {
    let dims: Vec<&str> = kernel.op.free_dims().iter().map(|d| kernel.op.dims[*d].name.as_str()).collect();
    let each = dims.iter().enumerate().flat_map(|(at, a)| dims[at + 1..].iter().map(move |b| (*a, *b)));
    let pair = |(a, b): (&str, &str)| {
        let count = |test: fn(i64, i64) -> bool| {
            let both = |case: &&Case| size_of(case, a).zip(size_of(case, b)).is_some_and(|(a, b)| test(a, b));
            plan.cases.iter().filter(both).count()
        };
        let (less, more) = (count(|a, b| a < b), count(|a, b| a > b));
        Pair { dims: (a.to_owned(), b.to_owned()), less, more }
    };
    each.map(pair).collect()
}

fn size_of(case: &Case, dim: &str) -> Option<i64> {
    case.dims.iter().find(|(name, _)| name == dim).map(|(_, size)| *size)
}

#[cfg(test)]
mod tests {
    use super::super::{Amount, plan};
    use super::*;

    const OPS: &[(&str, &str)] = &[("add", "op add(x[R, D]) -> y[R, D]\ny[r, d] = x[r, d] + 1\n")];

    #[test]
    fn a_size_within_a_tile_of_the_largest_is_near_the_limit() {
        let of = |tiles: &[i64], largest, n| About { tiles: tiles.to_vec(), largest }.near_the_limit(n);
        assert_eq!(
            [of(&[], Some(9), 9), of(&[], Some(9), 8), of(&[], None, 9)],
            [Some(true), Some(false), None]
        );
        assert_eq!([of(&[2, 4], Some(9), 6), of(&[2, 4], Some(9), 5)], [Some(true), Some(false)]);
    }

    #[test]
    fn sizes_are_counted_by_class() {
        let toml = "op = 'add'\nargs = ['x', 'y']\ntile = { D = 64 }\ndims = { D = '..=1024' }";
        let kernel = Kernel::of_contract("k", toml, OPS).unwrap();
        let plan = plan(&kernel, Amount::default()).unwrap();
        let rows = rows(&kernel, &plan);
        let cases =
            |row: usize, class: &str| rows[row].cases[CLASSES.iter().position(|c| *c == class).unwrap()];
        // R has no tile, and no end; D ends at 1024
        assert_eq!((cases(0, "tile"), cases(1, "> 1024")), (None, None));
        assert!(CLASSES.iter().all(|class| cases(1, class) != Some(0)), "{rows:?}");
        assert_eq!(cases(0, "limit"), None);
        assert!(cases(0, "> 65535").is_some() && cases(0, "prime") > Some(0));
        let pairs = pairs(&kernel, &plan);
        assert!(pairs.len() == 1 && pairs[0].less > 0 && pairs[0].more > 0);
    }
}
