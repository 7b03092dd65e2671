//! Writes .npy files, version 1.0, as a stream: no copy of the array is made.

use std::io::{self, Write};

use ktwin_num::{DType, Tensor};

/// Numbers turned into bytes at a time.
const PART: usize = 1 << 14;

/// How NumPy is told of a type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NpyType {
    /// NumPy's name for it.
    pub descr: &'static str,
    /// What the file's bytes are. f32 for the formats that NumPy does not have, and bytes for blocks.
    pub stored: DType,
}

impl NpyType {
    /// How numbers of a type are written. NumPy has no bf16, tf32, e4m3 and e5m2: f32 holds their numbers
    /// exactly.
    pub fn of(dtype: DType) -> NpyType {
        let ours = |descr, stored| NpyType { descr, stored };
        match dtype {
            DType::F64 => ours("<f8", dtype),
            DType::F16 => ours("<f2", dtype),
            DType::Float(_) => ours("<f4", DType::F32),
            DType::Bool => ours("|b1", dtype),
            DType::Block(_) => ours("|u1", DType::Int { bits: 8, signed: false }),
            DType::Int { bits: 8, signed: true } => ours("|i1", dtype),
            DType::Int { bits: 16, signed: true } => ours("<i2", dtype),
            DType::Int { bits: 32, signed: true } => ours("<i4", dtype),
            DType::Int { signed: true, .. } => ours("<i8", dtype),
            DType::Int { bits: 8, .. } => ours("|u1", dtype),
            DType::Int { bits: 16, .. } => ours("<u2", dtype),
            DType::Int { bits: 32, .. } => ours("<u4", dtype),
            DType::Int { .. } => ours("<u8", dtype),
        }
    }
}

/// An .npy file that is being written.
pub struct NpyWriter<W: Write> {
    to: W,
    dtype: DType,
    stored: DType,
    part: Vec<u8>,
}

impl<W: Write> NpyWriter<W> {
    /// Writes the header of an array of this type and shape. Block formats become bytes along the last axis.
    pub fn new(mut to: W, dtype: DType, shape: &[usize]) -> io::Result<NpyWriter<W>> {
        let NpyType { descr, stored } = NpyType::of(dtype);
        let mut sizes = shape.to_vec();
        if let (DType::Block(_), Some(last)) = (dtype, sizes.last_mut()) {
            *last = *last / dtype.elements_per_block() * dtype.bytes_per_block();
        }
        to.write_all(&header(descr, &sizes))?;
        Ok(NpyWriter { to, dtype, stored, part: Vec::new() })
    }

    /// Writes the next numbers in row order, each rounded to the type; block formats take whole blocks.
    pub fn numbers(&mut self, values: &[f64]) -> io::Result<()> {
        let per = self.dtype.elements_per_block();
        for values in values.chunks(PART / per * per) {
            let kept = match self.dtype {
                DType::Block(_) => self.dtype,
                _ => self.stored,
            };
            let rounded: Vec<f64> = match self.dtype == kept {
                true => values.to_vec(),
                false => values.iter().map(|v| self.dtype.round(*v)).collect(),
            };
            self.part = Tensor::from_f64(kept, &[rounded.len()], &rounded).bytes.to_vec();
            self.to.write_all(&self.part)?;
        }
        Ok(())
    }

    /// Writes the next whole numbers.
    pub fn integers(&mut self, values: &[i64]) -> io::Result<()> {
        for values in values.chunks(PART) {
            self.part = Tensor::from_i64(self.stored, &[values.len()], values).bytes.to_vec();
            self.to.write_all(&self.part)?;
        }
        Ok(())
    }

    /// Writes all of a contiguous tensor of the writer's type.
    pub fn tensor(&mut self, tensor: &Tensor) -> io::Result<()> {
        let same = self.stored == self.dtype || matches!(self.dtype, DType::Block(_));
        if same {
            return self.to.write_all(&tensor.bytes);
        }
        let mut part = vec![0.0; PART.min(tensor.len())];
        for start in (0..tensor.len()).step_by(PART) {
            let values = &mut part[..PART.min(tensor.len() - start)];
            tensor.load_run(start, 1, values);
            self.numbers(values)?;
        }
        Ok(())
    }

    /// Ends the file.
    pub fn finish(mut self) -> io::Result<W> {
        self.to.flush()?;
        Ok(self.to)
    }
}

/// Everything before the numbers, padded so that they begin at a multiple of 64 bytes.
fn header(descr: &str, shape: &[usize]) -> Vec<u8> {
    let sizes: Vec<String> = shape.iter().map(usize::to_string).collect();
    let comma = if shape.len() == 1 { "," } else { "" };
    let sizes = sizes.join(", ");
    let mut text = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': ({sizes}{comma}), }}");
    let spaces = (64 - (10 + text.len() + 1) % 64) % 64;
    text.push_str(&" ".repeat(spaces));
    text.push('\n');
    let mut out = b"\x93NUMPY\x01\x00".to_vec();
    out.extend((text.len() as u16).to_le_bytes());
    out.extend(text.as_bytes());
    out
}
