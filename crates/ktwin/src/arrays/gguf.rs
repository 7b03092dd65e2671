//! Reads tensors of a .gguf file: a header, metadata, which are skipped, a description of each tensor, then all data.
//! Versions 2 and 3, little-endian.

use std::fs::File;
use std::io::{BufReader, Read, Seek, SeekFrom};

use ktwin_num::{DType, Tensor};

use super::{Made, bytes, distinct, size};

/// How every .gguf file begins.
pub const MAGIC: &[u8] = b"GGUF";

/// Where nothing else is said, data begin at a multiple of this.
const ALIGNMENT: u64 = 32;
/// More dimensions than the format has are taken for damage, and so are longer names.
const MOST_DIMENSIONS: u32 = 8;
const LONGEST_NAME: u64 = 1 << 16;
/// Lists of lists in the metadata go no deeper.
const DEEPEST: u32 = 4;

/// What the header says of one tensor.
struct Entry {
    name: String,
    shape: Vec<usize>,
    kind: u32,
    offset: u64,
}

/// The tensors in the order of the header, and the place where data begin.
struct Header {
    entries: Vec<Entry>,
    start: u64,
}

/// The names of all tensors.
pub fn names(file: &mut File) -> Made<Vec<String>> {
    let names: Vec<String> = header(file)?.entries.into_iter().map(|e| e.name).collect();
    distinct(&names, "tensors")?;
    if names.is_empty() { Err("it holds no tensor".into()) } else { Ok(names) }
}

/// The tensor of this name, its slowest dimension first.
pub fn read(file: &mut File, name: &str) -> Made<Tensor> {
    let Header { entries, start } = header(file)?;
    let Some(entry) = entries.into_iter().find(|e| e.name == name) else { return Err("it is gone".into()) };
    let dtype = dtype(entry.kind)?;
    let needed = Tensor::bytes_needed(dtype, &entry.shape)?;
    let from = start.saturating_add(entry.offset);
    let there = size(file)?.saturating_sub(from);
    file.seek(SeekFrom::Start(from)).map_err(|e| format!("cannot read it: {e}"))?;
    Tensor::from_bytes(dtype, &entry.shape, bytes(file, needed, there)?)
}

/// The format's number of a type.
fn dtype(kind: u32) -> Made<DType> {
    let ours = match kind {
        0 => "f32",
        1 => "f16",
        2 => "q4_0",
        3 => "q4_1",
        6 => "q5_0",
        7 => "q5_1",
        8 => "q8_0",
        9 => "q8_1",
        10 => "q2_K",
        11 => "q3_K",
        12 => "q4_K",
        13 => "q5_K",
        14 => "q6_K",
        15 => "q8_K",
        20 => "iq4_nl",
        23 => "iq4_xs",
        24 => "i8",
        25 => "i16",
        26 => "i32",
        27 => "i64",
        28 => "f64",
        30 => "bf16",
        34 => "tq1_0",
        35 => "tq2_0",
        39 => "mxfp4",
        16..=22 | 29 => return Err(format!("its format (number {kind} of ggml's) is not supported")),
        _ => return Err(format!("it has the unknown type {kind}")),
    };
    DType::parse(ours)
}

/// The bytes of a value of the metadata, where all of its kind are as long.
fn width(kind: u32) -> Option<u64> {
    match kind {
        0 | 1 | 7 => Some(1),
        2 | 3 => Some(2),
        4..=6 => Some(4),
        10..=12 => Some(8),
        _ => None,
    }
}

fn header(file: &mut File) -> Made<Header> {
    let there = size(file)?;
    let mut from = Reader { inner: BufReader::new(&mut *file), at: 0, there };
    if from.take(4)? != MAGIC {
        return Err("it does not begin as a .gguf file does".into());
    }
    match from.u32()? {
        2 | 3 => {}
        v if v.swap_bytes() <= 3 => return Err("it is big-endian; only little-endian files are read".into()),
        v => return Err(format!("it has .gguf version {v}; 2 and 3 are supported")),
    }
    let (tensors, pairs) = (from.u64()?, from.u64()?);
    let mut alignment = ALIGNMENT;
    for _ in 0..pairs {
        let key = from.text()?;
        let kind = from.u32()?;
        if key == "general.alignment" && kind == 4 {
            alignment = u64::from(from.u32()?);
        } else {
            from.skip_value(kind, 0)?;
        }
    }
    if !alignment.is_power_of_two() {
        return Err(format!("its alignment {alignment} is not a power of two"));
    }
    let mut entries = Vec::new();
    for _ in 0..tensors {
        entries.push(from.entry()?);
    }
    Ok(Header { entries, start: from.at.next_multiple_of(alignment) })
}

/// A file read from its beginning, never past its end.
struct Reader<'f> {
    inner: BufReader<&'f mut File>,
    at: u64,
    there: u64,
}

impl Reader<'_> {
    fn advance(&mut self, count: u64) -> Made<()> {
        match self.at.checked_add(count).filter(|end| *end <= self.there) {
            Some(end) => self.at = end,
            None => return Err("it ends inside its header".into()),
        }
        Ok(())
    }

    fn take(&mut self, count: u64) -> Made<Vec<u8>> {
        self.advance(count)?;
        let mut out = vec![0; count as usize];
        self.inner.read_exact(&mut out).map_err(|e| format!("cannot read it: {e}"))?;
        Ok(out)
    }

    fn skip(&mut self, count: u64) -> Made<()> {
        self.advance(count)?;
        // what was advanced over lies in the file, whose length is an i64
        self.inner.seek_relative(count as i64).map_err(|e| format!("cannot read it: {e}"))
    }

    fn number<const N: usize>(&mut self) -> Made<[u8; N]> {
        self.advance(N as u64)?;
        let mut out = [0; N];
        self.inner.read_exact(&mut out).map_err(|e| format!("cannot read it: {e}"))?;
        Ok(out)
    }

    fn u32(&mut self) -> Made<u32> {
        Ok(u32::from_le_bytes(self.number()?))
    }

    fn u64(&mut self) -> Made<u64> {
        Ok(u64::from_le_bytes(self.number()?))
    }

    fn text(&mut self) -> Made<String> {
        let length = self.u64()?;
        if length > LONGEST_NAME {
            return Err(format!("a name in its header would have {length} bytes: it is damaged"));
        }
        String::from_utf8(self.take(length)?).map_err(|_| "a name in its header is not text".into())
    }

    fn skip_value(&mut self, kind: u32, depth: u32) -> Made<()> {
        match kind {
            _ if width(kind).is_some() => self.skip(width(kind).unwrap_or(0)),
            8 => {
                let length = self.u64()?;
                self.skip(length)
            }
            9 if depth < DEEPEST => {
                let (kind, count) = (self.u32()?, self.u64()?);
                match width(kind) {
                    Some(width) => self.skip(count.saturating_mul(width)),
                    // each takes eight bytes at least, so the file's end ends this
                    None => (0..count).try_for_each(|_| self.skip_value(kind, depth + 1)),
                }
            }
            _ => Err(format!("its metadata hold a value of the unknown type {kind}")),
        }
    }

    fn entry(&mut self) -> Made<Entry> {
        let name = self.text()?;
        let count = self.u32()?;
        if count > MOST_DIMENSIONS {
            return Err(format!("`{name}` would have {count} dimensions: it is damaged"));
        }
        let mut shape = Vec::new();
        for _ in 0..count {
            let size = self.u64()?;
            shape.push(usize::try_from(size).map_err(|_| format!("`{name}` has a dimension of {size}"))?);
        }
        shape.reverse();
        Ok(Entry { name, shape, kind: self.u32()?, offset: self.u64()? })
    }
}
