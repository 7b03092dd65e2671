//! Reads one array in NumPy's .npy format, versions 1 to 3, from any stream.

use std::io::Read;

use ktwin_num::{DType, Tensor, row_strides};

use super::element::element;
use super::header::{Header, parse};
use super::{Made, bytes, ended};

/// How every .npy file begins.
pub const MAGIC: &[u8] = b"\x93NUMPY";

/// The longest header that is read; NumPy's own are of some hundred bytes.
const LONGEST_HEADER: usize = 1 << 20;

/// The array in a stream of at most `there` bytes.
pub fn read(reader: &mut impl Read, there: u64, wanted: Option<DType>) -> Made<Tensor> {
    let (header, length) = header(reader)?;
    let element = element(&header.descr, wanted)?;
    let needed = Tensor::bytes_needed(element.dtype, &header.shape)?;
    let mut data = bytes(reader, needed, there.saturating_sub(length as u64))?;
    ended(reader)?;
    if element.big_endian {
        let size = element.dtype.bytes_per_block();
        data.chunks_exact_mut(size).for_each(<[u8]>::reverse);
    }
    let mut tensor = Tensor::from_bytes(element.dtype, &header.shape, data)?;
    if header.fortran_order {
        tensor.strides = column_strides(&header.shape);
    }
    Ok(tensor)
}

/// The strides of an array whose first index is the fastest.
fn column_strides(shape: &[usize]) -> Vec<usize> {
    let reversed: Vec<usize> = shape.iter().rev().copied().collect();
    row_strides(&reversed).into_iter().rev().collect()
}

/// The header, and the bytes that it and what stands before it take.
fn header(reader: &mut impl Read) -> Made<(Header, usize)> {
    let start = some(reader, 8)?;
    if !start.starts_with(MAGIC) {
        return Err("it does not begin as an .npy file does".into());
    }
    let (before, length) = match start[6] {
        1 => {
            let length = some(reader, 2)?;
            (10, u32::from(u16::from_le_bytes([length[0], length[1]])))
        }
        2 | 3 => {
            let length = some(reader, 4)?;
            (12, u32::from_le_bytes([length[0], length[1], length[2], length[3]]))
        }
        version => return Err(format!("it has .npy version {version}; 1, 2 and 3 are supported")),
    };
    let length = length as usize;
    if length > LONGEST_HEADER {
        return Err(format!("its header would have {length} bytes: it is damaged"));
    }
    let text = String::from_utf8(some(reader, length)?).map_err(|_| "its header is not text".to_string())?;
    Ok((parse(&text)?, before + length))
}

fn some(reader: &mut impl Read, count: usize) -> Made<Vec<u8>> {
    let mut out = Vec::new();
    match reader.take(count as u64).read_to_end(&mut out) {
        Ok(have) if have == count => Ok(out),
        Ok(_) => Err("it ends inside its header".into()),
        Err(e) => Err(format!("cannot read it: {e}")),
    }
}
