//! Why a case was chosen, in words: what its size is to the kernel, or what its data are like.

use ktwin_num::Regime;

use super::solve::Dim;
use crate::contract::Limit;
use crate::kernel::Kernel;

/// What a size of a dimension is to the kernel.
pub fn size(kernel: &Kernel, dim: &Dim, size: i64) -> String {
    format!("{} = {size}: {}", dim.name, class(kernel, dim, size))
}

/// The class of a size: tiles come before limits, since they are what kernels get wrong.
fn class(kernel: &Kernel, dim: &Dim, size: i64) -> String {
    if dim.sizes.len() == 1 {
        return "its only size".into();
    }
    if size == 1 {
        return "the smallest".into();
    }
    let tiles = kernel.contract.tile.iter().filter(|(name, _)| **name == *dim.name).map(|(_, tile)| *tile);
    for tile in tiles.filter(|tile| *tile > 1) {
        match size - tile {
            0 => return format!("one tile of {tile}"),
            -1 => return format!("one less than a tile of {tile}"),
            1 => return format!("one more than a tile of {tile}"),
            _ if size == 2 * tile + tile / 2 + 3 => {
                return format!("several tiles of {tile} and part of another");
            }
            _ => {}
        }
    }
    let ends = |limit: &Limit| match limit {
        Limit::Range(lo, hi) => [*lo, *hi],
        _ => [None, None],
    };
    if dim.limits.iter().any(|limit| ends(limit)[1] == Some(size)) {
        return "the largest that the contract accepts".into();
    }
    if dim.limits.iter().any(|limit| ends(limit)[0] == Some(size)) {
        return "the smallest that the contract accepts".into();
    }
    if dim.limits.iter().any(|limit| matches!(limit, Limit::OneOf(_))) {
        return "one that the contract names".into();
    }
    let unit = dim
        .limits
        .iter()
        .find_map(|limit| if let Limit::Multiple(unit) = limit { Some(*unit) } else { None });
    match unit.filter(|unit| *unit > 1 && size % unit == 0) {
        Some(unit) => format!("{} times {unit}", size / unit),
        None if size & (size - 1) == 0 => "a power of two".into(),
        None => "unrelated to any tile".into(),
    }
}

/// What the data are like.
pub fn regime(regime: Regime) -> String {
    format!("data of the regime {regime}")
}
