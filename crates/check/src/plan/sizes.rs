//! The sizes of one dimension that are worth trying: the edges of its tiles, or small ones where it has none.

use ktwin_lang::Bound;
use ktwin_num::DType;

use crate::contract::Limit;
use crate::device::Number;
use crate::kernel::Kernel;

/// Sizes of dimensions without tiles; the more dimensions, the fewer.
const SMALL: [i64; 10] = [1, 2, 3, 7, 16, 33, 31, 130, 1031, 1023];
/// Blocks of elements that come together: what is left over where kernels take two, four or eight at a time.
const BLOCKS: [i64; 4] = [2, 3, 5, 7];
/// Tiles that kernels take in vectors, or in half of them.
const VECTORS: [i64; 2] = [8, 16];
/// The first size n for which n * (1 / n) is less than 1 in f32: rows that kernels find by a reciprocal.
const RECIPROCAL: i64 = 41;
/// Upper limits that are tried themselves.
pub(super) const LARGEST: i64 = 1 << 15;

/// The sizes to try of a dimension, in an order that puts edges first.
pub fn candidates(kernel: &Kernel, dim: &str, dims: usize) -> Vec<i64> {
    if let Some(Number::Int(size)) = kernel.fixed(dim) {
        return vec![size];
    }
    let limits = limits(kernel, dim);
    let tiles: Vec<i64> =
        kernel.contract.tile.iter().filter(|(name, _)| **name == *dim).map(|(_, t)| *t).collect();
    let mut wanted: Vec<i64> = vec![1];
    for tile in &tiles {
        // several tiles and a part that is not a simple share of one
        let twice = tile.saturating_mul(2);
        let several = twice.saturating_add(tile / 2).saturating_add(3);
        wanted.extend([tile - 1, *tile, tile.saturating_add(1), several, twice, twice - 1]);
        if VECTORS.contains(tile) {
            // what half of it divides and it itself does not
            wanted.push(tile + tile / 2);
        }
    }
    if !tiles.is_empty() {
        wanted.push(3);
    }
    if tiles.is_empty() {
        let some = match dims {
            0 | 1 => SMALL.len(),
            2 => SMALL.len() - 2,
            _ => SMALL.len() - 3,
        };
        wanted.extend(&SMALL[..some]);
    }
    wanted.push(RECIPROCAL);
    for limit in &limits {
        if let Limit::Multiple(unit @ 2..) = limit {
            wanted.extend(BLOCKS.map(|n| unit.saturating_mul(n)));
        }
        if let Limit::Range(lo, hi) = limit {
            wanted.extend(lo.iter().chain(hi.iter().filter(|h| **h <= LARGEST)));
        }
        if let Limit::OneOf(sizes) = limit {
            wanted.extend(sizes);
        }
    }
    let mut out: Vec<i64> = Vec::new();
    for size in wanted {
        let size = allowed(size.max(1), &limits);
        if let Some(size) = size.filter(|s| !out.contains(s)) {
            out.push(size);
        }
    }
    out
}

/// The limits of a dimension: its own, and those of dimensions that the op makes so many times it.
pub fn limits(kernel: &Kernel, dim: &str) -> Vec<Limit> {
    let op = &kernel.op;
    let products = op.products().into_iter().filter(|(_, _, of)| op.dim(dim) == Some(*of));
    let over = |(made, times, _): (usize, i64, usize)| {
        own(kernel, &op.dims[made].name).into_iter().filter_map(move |limit| limit.over(times))
    };
    own(kernel, dim).into_iter().chain(products.flat_map(over)).collect()
}

/// The limits of the contract, a size that it takes as given, what it and the op say of this dimension alone, and those
/// of the types that are stored in blocks.
fn own(kernel: &Kernel, dim: &str) -> Vec<Limit> {
    let given = match kernel.fixed(dim) {
        Some(Number::Int(size)) => Some(Limit::Range(Some(size), Some(size))),
        _ => None,
    };
    let packed = packed(kernel, dim).map(Limit::Multiple);
    kernel.contract.limits_of(dim).chain(stated(kernel, dim)).chain(given).chain(packed).collect()
}

/// The least size above `below` of which something holds, as it does of `end` and of all from there on; none where it
/// cannot be told of one.
pub fn least(mut below: i64, mut end: i64, holds: impl Fn(i64) -> Option<bool>) -> Option<i64> {
    while end - below > 1 {
        let middle = below + (end - below) / 2;
        *(if holds(middle)? { &mut end } else { &mut below }) = middle;
    }
    Some(end)
}

/// What `where` says of a dimension alone, as a limit.
fn stated(kernel: &Kernel, dim: &str) -> Vec<Limit> {
    let Some(number) = kernel.op.dim(dim) else { return Vec::new() };
    let own = kernel.contract.limits.iter().filter_map(|limit| kernel.expression(limit).ok());
    let own = own.flat_map(|limit| limit.bounds());
    let of_it = own.chain(kernel.op.bounds()).filter(|(of, _)| *of == number);
    let limit = |(_, bound)| match bound {
        Bound::Least(least) => Limit::Range(Some(least), None),
        Bound::Most(most) => Limit::Range(None, Some(most)),
        Bound::Multiple(unit) => Limit::Multiple(unit),
    };
    of_it.map(limit).collect()
}

/// The largest size that the contract accepts, where it names one.
pub fn largest(kernel: &Kernel, dim: &str) -> Option<i64> {
    let highest = |limit: Limit| match limit {
        Limit::Range(_, hi) => hi,
        Limit::OneOf(sizes) => sizes.last().copied(),
        _ => None,
    };
    limits(kernel, dim).into_iter().filter_map(highest).min()
}

/// The nearest size that all limits allow.
pub fn allowed(size: i64, limits: &[Limit]) -> Option<i64> {
    let mut size = size;
    for _ in 0..4 {
        size = limits.iter().fold(size, |s, l| l.nearest(s));
        if limits.iter().all(|l| l.allows(size)) {
            return Some(size);
        }
    }
    // a multiple below an upper end
    let step = step(limits);
    let below = size / step * step;
    (below > 0 && limits.iter().all(|l| l.allows(below))).then_some(below)
}

/// What limits want sizes to be a multiple of.
pub fn step(limits: &[Limit]) -> i64 {
    limits.iter().map(|l| if let Limit::Multiple(n) = l { *n } else { 1 }).max().unwrap_or(1)
}

/// The elements that must come together along this dimension, where a tensor in blocks ends in it.
fn packed<'k>(kernel: &'k Kernel, dim: &'k str) -> impl Iterator<Item = i64> + 'k {
    let tensors = kernel.op.inputs.iter().chain(&kernel.op.outputs);
    tensors.filter_map(move |info| {
        let last = info.axes.last()?;
        let dtype = kernel.dtype(&info.name);
        (last == dim && matches!(dtype, DType::Block(_))).then(|| dtype.elements_per_block() as i64)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_allowed_size() {
        let limits = [Limit::Multiple(32), Limit::Range(Some(1), Some(100))];
        assert_eq!(allowed(1, &limits), Some(32));
        assert_eq!(allowed(65, &limits), Some(96));
        assert_eq!(allowed(100, &limits), Some(96));
        assert_eq!(allowed(5, &[Limit::Range(Some(8), Some(4))]), None);
    }

    #[test]
    fn limits_of_what_follows_are_kept() {
        let op = "op q(x[N]) -> y[Q]\nwhere N == 8 * Q\n\ny[q] = x[8 * q]\n";
        let toml = "op = 'q'\nargs = ['x', 'y']\ndims = { N = 'multiple of 256' }\n";
        let kernel = Kernel::of_contract("q", toml, &[("q", op)]).unwrap();
        assert_eq!(limits(&kernel, "Q"), [Limit::Multiple(32)]);
        assert!(candidates(&kernel, "Q", 1).iter().all(|size| size % 32 == 0));
    }
}
