//! Tensors: bytes with a type, a shape and strides. Reading gives f64 (or i64) whatever the type.

use crate::bytes::Bytes;
use crate::dtype::DType;
use crate::storage;

/// A tensor in memory, little-endian.
#[derive(Clone, PartialEq, Debug)]
pub struct Tensor {
    /// What elements are stored as.
    pub dtype: DType,
    /// Its size along each dimension.
    pub shape: Vec<usize>,
    /// Elements between neighbours along each dimension.
    pub strides: Vec<usize>,
    /// Elements before the first.
    pub offset: usize,
    /// The storage, gaps included.
    pub bytes: Bytes,
}

/// The strides of a contiguous tensor.
pub fn row_strides(shape: &[usize]) -> Vec<usize> {
    let mut strides = vec![1usize; shape.len()];
    for i in (1..shape.len()).rev() {
        // beside a size of 0 the others may be anything
        strides[i - 1] = strides[i].saturating_mul(shape[i].max(1));
    }
    strides
}

fn plural(shape: &[usize]) -> String {
    format!("[{}]", shape.iter().map(usize::to_string).collect::<Vec<_>>().join(", "))
}

impl Tensor {
    /// The minimum below each number, where the type stores numbers as code times scale plus a minimum: a tensor
    /// laid out like this one.
    pub fn minima(&self) -> Option<Tensor> {
        let DType::Block(format) = self.dtype else { return None };
        let codes = format.codes_above_a_minimum()?;
        let mut minima = self.clone();
        minima.bytes.chunks_exact_mut(format.bytes()).for_each(|block| block[codes.clone()].fill(0));
        Some(minima)
    }

    /// The bytes that a contiguous tensor takes, or why there can be none.
    pub fn bytes_needed(dtype: DType, shape: &[usize]) -> Result<usize, String> {
        let per = dtype.elements_per_block();
        if let Some(last) = shape.last().filter(|last| **last % per != 0) {
            return Err(format!(
                "{dtype} stores blocks of {per} elements: the last dimension, {last}, is not a multiple of {per}"
            ));
        }
        if shape.is_empty() && per > 1 {
            return Err(format!("{dtype} stores blocks of {per} elements: it cannot hold a single number"));
        }
        let elements = shape.iter().try_fold(1usize, |n, d| n.checked_mul(*d));
        let bytes = elements.and_then(|n| (n / per).checked_mul(dtype.bytes_per_block()));
        let fits = bytes.filter(|b| isize::try_from(*b).is_ok());
        fits.ok_or_else(|| format!("a tensor of shape {} does not fit in memory", plural(shape)))
    }

    /// A contiguous tensor over bytes, which must be just as many as it takes.
    pub fn from_bytes(dtype: DType, shape: &[usize], bytes: impl Into<Bytes>) -> Result<Tensor, String> {
        let bytes = bytes.into();
        let needed = Self::bytes_needed(dtype, shape)?;
        if needed != bytes.len() {
            let (shape, given) = (plural(shape), bytes.len());
            return Err(format!("{dtype} of shape {shape} takes {needed} bytes, there are {given}"));
        }
        Ok(Tensor { dtype, shape: shape.into(), strides: row_strides(shape), offset: 0, bytes })
    }

    /// A contiguous tensor of zeros: zero bits, in every type. A shape that [`Tensor::bytes_needed`]
    /// refuses is a caller's bug.
    pub fn zeros(dtype: DType, shape: &[usize]) -> Tensor {
        let bytes = Self::bytes_needed(dtype, shape).unwrap_or_else(|e| panic!("{e}"));
        Tensor {
            dtype,
            shape: shape.into(),
            strides: row_strides(shape),
            offset: 0,
            bytes: crate::pages::zeros(bytes).into(),
        }
    }

    /// A contiguous tensor of values in row order, each rounded to the type; block formats encode them. A
    /// shape that does not fit the values or the type (see [`Tensor::bytes_needed`]) is a caller's bug.
    pub fn from_f64(dtype: DType, shape: &[usize], values: &[f64]) -> Tensor {
        let mut tensor = Tensor::zeros(dtype, shape);
        assert_eq!(tensor.len(), values.len(), "{} values for shape {}", values.len(), plural(shape));
        tensor.store_run(0, 1, values);
        tensor
    }

    /// The same from integers, which keep all their bits.
    pub fn from_i64(dtype: DType, shape: &[usize], values: &[i64]) -> Tensor {
        let mut tensor = Tensor::zeros(dtype, shape);
        assert_eq!(tensor.len(), values.len(), "{} values for shape {}", values.len(), plural(shape));
        storage::write_i64(dtype, &mut tensor.bytes, values);
        tensor
    }

    /// Elements, gaps not counted.
    pub fn len(&self) -> usize {
        self.shape.iter().product()
    }

    /// Whether it has no elements.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Elements that the storage holds, gaps included.
    pub fn storage_len(&self) -> usize {
        self.bytes.len() / self.dtype.bytes_per_block() * self.dtype.elements_per_block()
    }

    /// Whether elements lie one after another without gaps, from the first byte on.
    pub fn is_contiguous(&self) -> bool {
        self.offset == 0 && self.strides == row_strides(&self.shape)
    }

    /// Where in the storage the element of these indices lies.
    pub fn position(&self, index: &[usize]) -> usize {
        self.offset + index.iter().zip(&self.strides).map(|(i, s)| i * s).sum::<usize>()
    }

    /// One element.
    pub fn get_f64(&self, index: &[usize]) -> f64 {
        let mut out = [0.0];
        self.load_run(self.position(index), 1, &mut out);
        out[0]
    }

    /// Reads the storage elements `first`, `first + step`, …: positions as [`Tensor::position`] gives them.
    /// A position outside the storage is a caller's bug.
    pub fn load_run(&self, first: usize, step: isize, out: &mut [f64]) {
        storage::load_run(self.dtype, &self.bytes, first, step, out);
    }

    /// Reads the storage elements at these positions.
    pub fn load_at(&self, positions: &[usize], out: &mut [f64]) {
        storage::load_at(self.dtype, &self.bytes, positions, out);
    }

    /// [`Tensor::load_run`] as integers: those keep all bits (u64 as the i64 of the same bits), others are
    /// cut.
    pub fn load_run_int(&self, first: usize, step: isize, out: &mut [i64]) {
        let at = |i: usize| first.wrapping_add_signed(step * i as isize);
        for (i, v) in out.iter_mut().enumerate() {
            *v = storage::integer(self.dtype, &self.bytes, at(i));
        }
    }

    /// [`Tensor::load_at`] as integers.
    pub fn load_at_int(&self, positions: &[usize], out: &mut [i64]) {
        for (v, &at) in out.iter_mut().zip(positions) {
            *v = storage::integer(self.dtype, &self.bytes, at);
        }
    }

    /// Writes the storage elements `first`, `first + step`, …, rounding each to the type. Block formats take
    /// whole blocks with step 1: anything else is a caller's bug.
    pub fn store_run(&mut self, first: usize, step: isize, values: &[f64]) {
        storage::store_run(self.dtype, &mut self.bytes, first, step, values);
    }

    /// Calls `visit` with the storage position of every row along the last dimension, in row order.
    pub fn each_row(&self, mut visit: impl FnMut(usize)) {
        let outer = &self.shape[..self.shape.len().saturating_sub(1)];
        if self.is_empty() {
            return;
        }
        let mut index = vec![0; outer.len()];
        loop {
            visit(self.position(&index));
            let Some(d) = (0..outer.len()).rev().find(|d| index[*d] + 1 < outer[*d]) else {
                return;
            };
            index[d] += 1;
            index[d + 1..].fill(0);
        }
    }

    /// The length of a row and the step along it.
    pub fn row(&self) -> (usize, isize) {
        (self.shape.last().copied().unwrap_or(1), self.strides.last().copied().unwrap_or(1) as isize)
    }

    /// All elements in row order.
    pub fn to_f64(&self) -> Vec<f64> {
        let mut out = crate::pages::zeros(self.len());
        let (n, step) = self.row();
        let mut rows = out.chunks_exact_mut(n.max(1));
        self.each_row(|at| rows.next().into_iter().for_each(|row| self.load_run(at, step, row)));
        out
    }

    /// All elements in row order, as integers.
    pub fn to_i64(&self) -> Vec<i64> {
        let mut out = vec![0; self.len()];
        let (n, step) = self.row();
        let mut rows = out.chunks_exact_mut(n.max(1));
        self.each_row(|at| rows.next().into_iter().for_each(|row| self.load_run_int(at, step, row)));
        out
    }
}
