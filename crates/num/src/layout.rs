//! Layouts: the same elements elsewhere in memory, so that a kernel that assumes too much is found out.

use crate::dtype::DType;
use crate::names::did_you_mean;
use crate::tensor::{Tensor, row_strides};
use std::fmt;

/// How a tensor lies in memory.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Hash)]
pub enum Layout {
    /// One after another, the last index fastest.
    Row,
    /// The last two dimensions swapped: the one before the last is fastest.
    Transposed,
    /// Rows padded, the gaps poisoned.
    Strided,
    /// Moved by one element (block formats: by one block), the gap before it poisoned.
    Offset,
}

/// The elements or blocks before padded rows whose offset is told: no stride is as small.
const OFFSET: usize = 5;
/// The elements that rows are aligned to, and those of the largest tensor whose rows are.
const LINE: usize = 64;
const ALIGNED: usize = 1 << 14;
/// What fills a gap of integers; of floats all bits are ones, which is NaN in every format here.
pub const POISON: u8 = 0xa5;

impl Layout {
    /// Every layout with its name.
    pub const ALL: &[(&str, Layout)] = &[
        ("offset", Layout::Offset),
        ("row", Layout::Row),
        ("strided", Layout::Strided),
        ("transposed", Layout::Transposed),
    ];

    /// The layout of this name, or an error that names the nearest.
    pub fn parse(name: &str) -> Result<Layout, String> {
        let found = Self::ALL.iter().find(|(n, _)| *n == name).map(|(_, l)| *l);
        found.ok_or_else(|| {
            let hint = did_you_mean(name, Self::ALL.iter().map(|(n, _)| *n));
            let hint =
                if hint.is_empty() { ", there are row, transposed, strided, offset".into() } else { hint };
            format!("no layout `{name}`{hint}")
        })
    }

    /// The layout's name.
    pub fn name(self) -> &'static str {
        Self::ALL.iter().find(|(_, l)| *l == self).map_or("", |(n, _)| n)
    }
}

impl fmt::Display for Layout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

fn poison(dtype: DType) -> u8 {
    if dtype.is_integer() { POISON } else { 0xff }
}

/// What a kernel is told of where a tensor's elements lie, so that they may lie there.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Told {
    /// The dimensions whose strides it is told.
    pub strides: Vec<usize>,
    /// Whether padded rows may begin past the first element.
    pub offset: bool,
}

/// The elements after each row: three, or in every other shape so many that rows begin as callers align them, at least
/// a whole line further on.
fn padding(shape: &[usize]) -> usize {
    let (row, all) = (shape[shape.len() - 1], shape.iter().fold(1, |n: usize, size| n.saturating_mul(*size)));
    match shape.iter().sum::<usize>() % 2 {
        0 if all <= ALIGNED => row.next_multiple_of(LINE) + LINE - row,
        _ => 3,
    }
}

/// Strides, offset and storage elements of a layout. Rows are padded by some elements, or by one block; what lies along
/// a dimension whose stride is told by one row more; elements of a row lie two apart if that is the last one.
fn plan(shape: &[usize], dtype: DType, layout: Layout, told: &Told) -> (Vec<usize>, usize, usize) {
    let (n, block, apart) = (shape.len(), dtype.elements_per_block(), &told.strides);
    let mut order: Vec<usize> = (0..n).collect();
    let mut sizes = shape.to_vec();
    let mut step = 1;
    match layout {
        Layout::Transposed if n >= 2 => order.swap(n - 2, n - 1),
        Layout::Strided if n >= 1 => {
            step = if block == 1 && apart.contains(&(n - 1)) { 2 } else { 1 };
            sizes[n - 1] += if block == 1 { padding(shape) } else { block };
            apart.iter().filter(|d| **d + 2 < n).for_each(|d| sizes[d + 1] += 1);
        }
        _ => {}
    }
    let placed: Vec<usize> = order.iter().map(|d| sizes[*d]).collect();
    let along = row_strides(&placed);
    let mut strides = vec![0; n];
    order.iter().zip(&along).for_each(|(d, s)| strides[*d] = *s * step);
    let offset = match layout {
        Layout::Offset => block,
        Layout::Strided if told.offset => OFFSET * block,
        _ => 0,
    };
    (strides, offset, offset + placed.iter().product::<usize>() * step)
}

impl Tensor {
    /// The same elements in another layout. Block formats cannot be transposed: their blocks lie along rows.
    pub fn with_layout(&self, layout: Layout) -> Result<Tensor, String> {
        self.laid_out(layout, &Told::default())
    }

    /// The same; where rows are padded, neighbours along dimensions whose strides are told lie further apart than that
    /// alone makes them, and rows begin later where an offset is.
    pub fn laid_out(&self, layout: Layout, told: &Told) -> Result<Tensor, String> {
        let dtype = self.dtype;
        let (block, size) = (dtype.elements_per_block(), dtype.bytes_per_block());
        if block > 1 && layout == Layout::Transposed {
            return Err(format!("{dtype} cannot be transposed: its blocks lie along rows"));
        }
        let (strides, offset, elements) = plan(&self.shape, dtype, layout, told);
        let bytes = vec![poison(dtype); elements / block * size];
        let mut moved = Tensor { dtype, shape: self.shape.clone(), strides, offset, bytes: bytes.into() };
        moved.copy_from(self);
        Ok(moved)
    }

    /// Copies the elements of a tensor of the same type and shape, bit for bit, wherever either keeps them.
    fn copy_from(&mut self, source: &Tensor) {
        let size = self.dtype.bytes_per_block();
        let per = self.dtype.elements_per_block();
        // Along a row blocks always lie one after another.
        let step = |t: &Tensor| if per > 1 { 1 } else { t.row().1 as usize };
        let (n, from_step, to_step) = (source.row().0, step(source), step(self));
        let mut from = Vec::new();
        source.each_row(|at| from.push(at / per));
        let mut to = Vec::new();
        self.each_row(|at| to.push(at / per));
        for (from, to) in from.into_iter().zip(to) {
            for i in 0..n / per {
                let (a, b) = ((from + i * from_step) * size, (to + i * to_step) * size);
                self.bytes[b..b + size].copy_from_slice(&source.bytes[a..a + size]);
            }
        }
    }
}
