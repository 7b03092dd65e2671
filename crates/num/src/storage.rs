//! Numbers in bytes: reading and writing runs of elements of every type, with fast paths for the usual ones.

use crate::blocks::BlockFormat;
use crate::dtype::DType;
use crate::round::{bf16_to_f32, f16_to_f32, f64_to_bf16, f64_to_f16};
use pulp::Arch;

fn word<const N: usize>(bytes: &[u8], at: usize) -> [u8; N] {
    let mut word = [0; N];
    word.copy_from_slice(&bytes[at * N..at * N + N]);
    word
}

// The position of element i of a run; what falls below zero wraps to where no storage is.
fn position(first: usize, step: isize, i: usize) -> usize {
    first.wrapping_add_signed(step.wrapping_mul(i as isize))
}

#[inline(always)]
fn each<const N: usize>(bytes: &[u8], at: usize, out: &mut [f64], read: impl Fn([u8; N]) -> f64) {
    let (words, _) = bytes[at * N..(at + out.len()) * N].as_chunks::<N>();
    Arch::new().dispatch(
        #[inline(always)]
        || out.iter_mut().zip(words).for_each(|(o, w)| *o = read(*w)),
    );
}

// A run without gaps of a type that has a fast path.
fn contiguous(dtype: DType, bytes: &[u8], first: usize, out: &mut [f64]) -> bool {
    match dtype {
        DType::F64 => each(bytes, first, out, f64::from_le_bytes),
        DType::F32 => each(bytes, first, out, |w| f64::from(f32::from_le_bytes(w))),
        DType::F16 => each(bytes, first, out, |w| f64::from(f16_to_f32(u16::from_le_bytes(w)))),
        DType::BF16 => each(bytes, first, out, |w| f64::from(bf16_to_f32(u16::from_le_bytes(w)))),
        DType::I32 => each(bytes, first, out, |w| f64::from(i32::from_le_bytes(w))),
        DType::U32 => each(bytes, first, out, |w| f64::from(u32::from_le_bytes(w))),
        DType::Float(f) if f.bits() == 8 => {
            let table: [f64; 256] = std::array::from_fn(|b| f.decode(b as u64));
            out.iter_mut().zip(&bytes[first..]).for_each(|(o, b)| *o = table[usize::from(*b)]);
        }
        _ => return false,
    }
    true
}

/// One element.
pub fn element(dtype: DType, bytes: &[u8], at: usize) -> f64 {
    match dtype {
        DType::F64 => f64::from_le_bytes(word(bytes, at)),
        DType::F32 => f64::from(f32::from_le_bytes(word(bytes, at))),
        DType::F16 => f64::from(f16_to_f32(u16::from_le_bytes(word(bytes, at)))),
        DType::BF16 => f64::from(bf16_to_f32(u16::from_le_bytes(word(bytes, at)))),
        DType::Float(f) => f.decode(raw(bytes, f.bits() as usize / 8, at)),
        DType::Int { bits: 64, signed: false } => integer(dtype, bytes, at) as u64 as f64,
        DType::Int { .. } | DType::Bool => integer(dtype, bytes, at) as f64,
        DType::Block(format) => {
            let mut out = [0.0];
            Blocks::new(format).read(bytes, at, 1, &mut out);
            out[0]
        }
    }
}

fn raw(bytes: &[u8], size: usize, at: usize) -> u64 {
    let mut word = [0; 8];
    word[..size].copy_from_slice(&bytes[at * size..at * size + size]);
    u64::from_le_bytes(word)
}

/// One element as an integer: floats are cut and saturate.
pub fn integer(dtype: DType, bytes: &[u8], at: usize) -> i64 {
    match dtype {
        DType::Bool => i64::from(bytes[at] != 0),
        DType::Int { bits, signed } => {
            let value = raw(bytes, bits as usize / 8, at);
            let spare = 64 - bits;
            if signed { (value << spare) as i64 >> spare } else { value as i64 }
        }
        _ => element(dtype, bytes, at) as i64,
    }
}

/// Reads elements `first`, `first + step`, ….
pub fn load_run(dtype: DType, bytes: &[u8], first: usize, step: isize, out: &mut [f64]) {
    if out.is_empty() || step == 1 && contiguous(dtype, bytes, first, out) {
        return;
    }
    if step == 0 {
        return out.fill(element(dtype, bytes, first));
    }
    if let DType::Block(format) = dtype {
        return Blocks::new(format).read(bytes, first, step, out);
    }
    strided(dtype, bytes, out, |i| position(first, step, i));
}

// The type is matched outside the loop.
fn strided(dtype: DType, bytes: &[u8], out: &mut [f64], at: impl Fn(usize) -> usize) {
    let all = out.iter_mut().enumerate();
    match dtype {
        DType::F64 => all.for_each(|(i, o)| *o = f64::from_le_bytes(word(bytes, at(i)))),
        DType::F32 => all.for_each(|(i, o)| *o = f64::from(f32::from_le_bytes(word(bytes, at(i))))),
        DType::F16 => {
            all.for_each(|(i, o)| *o = f64::from(f16_to_f32(u16::from_le_bytes(word(bytes, at(i))))))
        }
        DType::BF16 => {
            all.for_each(|(i, o)| *o = f64::from(bf16_to_f32(u16::from_le_bytes(word(bytes, at(i))))))
        }
        _ => all.for_each(|(i, o)| *o = element(dtype, bytes, at(i))),
    }
}

/// Reads the elements at these positions.
pub fn load_at(dtype: DType, bytes: &[u8], positions: &[usize], out: &mut [f64]) {
    assert_eq!(positions.len(), out.len(), "positions and results differ in number");
    if let DType::Block(format) = dtype {
        let mut blocks = Blocks::new(format);
        return out.iter_mut().zip(positions).for_each(|(o, at)| *o = f64::from(blocks.element(bytes, *at)));
    }
    strided(dtype, bytes, out, |i| positions[i]);
}

/// Reads block formats, decoding a block once for neighbours in it.
struct Blocks {
    format: BlockFormat,
    current: usize,
    values: [f32; 256],
}

impl Blocks {
    fn new(format: BlockFormat) -> Blocks {
        Blocks { format, current: usize::MAX, values: [0.0; 256] }
    }

    fn open(&mut self, bytes: &[u8], block: usize) {
        if self.current != block {
            let size = self.format.bytes();
            let n = self.format.elements();
            self.format.decode(&bytes[block * size..(block + 1) * size], &mut self.values[..n]);
            self.current = block;
        }
    }

    fn element(&mut self, bytes: &[u8], at: usize) -> f32 {
        let n = self.format.elements();
        self.open(bytes, at / n);
        self.values[at % n]
    }

    fn read(&mut self, bytes: &[u8], first: usize, step: isize, out: &mut [f64]) {
        if step != 1 {
            let all = out.iter_mut().enumerate();
            return all.for_each(|(i, o)| *o = f64::from(self.element(bytes, position(first, step, i))));
        }
        let n = self.format.elements();
        let mut done = 0;
        while done < out.len() {
            let (block, within) = ((first + done) / n, (first + done) % n);
            self.open(bytes, block);
            let take = (n - within).min(out.len() - done);
            let pairs = out[done..done + take].iter_mut().zip(&self.values[within..]);
            pairs.for_each(|(o, v)| *o = f64::from(*v));
            done += take;
        }
    }
}

/// Writes elements `first`, `first + step`, ….
pub fn store_run(dtype: DType, bytes: &mut [u8], first: usize, step: isize, values: &[f64]) {
    if let DType::Block(format) = dtype {
        return store_blocks(format, bytes, first, step, values);
    }
    let size = dtype.bytes_per_block();
    if step == 1 && !values.is_empty() {
        let room = &mut bytes[first * size..(first + values.len()) * size];
        return store_all(dtype, room, values);
    }
    for (i, v) in values.iter().enumerate() {
        let at = position(first, step, i) * size;
        store_all(dtype, &mut bytes[at..at + size], &[*v]);
    }
}

fn store_blocks(format: BlockFormat, bytes: &mut [u8], first: usize, step: isize, values: &[f64]) {
    let n = format.elements();
    assert!(step == 1 && first.is_multiple_of(n), "{} stores whole blocks, one after another", format.name());
    let rounded: Vec<f32> = values.iter().map(|v| *v as f32).collect();
    let encoded = format.encode(&rounded);
    let at = first / n * format.bytes();
    bytes[at..at + encoded.len()].copy_from_slice(&encoded);
}

#[inline(always)]
fn put<const N: usize>(bytes: &mut [u8], values: &[f64], write: impl Fn(f64) -> [u8; N]) {
    let (words, _) = bytes.as_chunks_mut::<N>();
    Arch::new().dispatch(
        #[inline(always)]
        || words.iter_mut().zip(values).for_each(|(w, v)| *w = write(*v)),
    );
}

fn store_all(dtype: DType, bytes: &mut [u8], values: &[f64]) {
    match dtype {
        DType::F64 => put(bytes, values, f64::to_le_bytes),
        DType::F32 => put(bytes, values, |v| (v as f32).to_le_bytes()),
        DType::F16 => put(bytes, values, |v| f64_to_f16(v).to_le_bytes()),
        DType::BF16 => put(bytes, values, |v| f64_to_bf16(v).to_le_bytes()),
        DType::Float(f) => put_raw(bytes, f.bits() as usize / 8, values, |v| f.encode(v)),
        _ => put_raw(bytes, dtype.bytes_per_block(), values, |v| whole(dtype, v)),
    }
}

fn put_raw(bytes: &mut [u8], size: usize, values: &[f64], encode: impl Fn(f64) -> u64) {
    for (word, v) in bytes.chunks_exact_mut(size).zip(values) {
        word.copy_from_slice(&encode(*v).to_le_bytes()[..size]);
    }
}

// The low bits of the integer that `x` becomes.
fn whole(dtype: DType, x: f64) -> u64 {
    match dtype {
        DType::Int { bits: 64, signed: false } => x as u64,
        _ => dtype.round(x) as i64 as u64,
    }
}

/// Writes integers; they wrap to the type's width, and floats round them.
pub fn write_i64(dtype: DType, bytes: &mut [u8], values: &[i64]) {
    match dtype {
        DType::Int { bits, .. } => {
            let size = bits as usize / 8;
            for (word, v) in bytes.chunks_exact_mut(size).zip(values) {
                word.copy_from_slice(&v.to_le_bytes()[..size]);
            }
        }
        _ => store_run(dtype, bytes, 0, 1, &values.iter().map(|v| *v as f64).collect::<Vec<_>>()),
    }
}
