//! An array as the type that an input is stored in: rounded, packed bytes taken for blocks, or just as it is.

use ktwin_lang::TensorInfo;
use ktwin_num::{Bytes, DType, Tensor};

/// Elements converted at a time; a multiple of every block's length.
const PART: usize = 1 << 14;

const U8: DType = DType::Int { bits: 8, signed: false };
const U16: DType = DType::Int { bits: 16, signed: false };

/// The array as the input is stored.
pub fn convert(info: &TensorInfo, tensor: Tensor, wanted: Option<DType>) -> Result<Tensor, String> {
    let (name, have) = (&info.name, tensor.dtype);
    if info.integer && !have.is_integer() {
        return kept(name, &tensor, wanted.filter(|wanted| wanted.float().is_some()));
    }
    let wanted = match wanted {
        Some(wanted) => wanted,
        // an op of reals reads whole numbers as reals
        None if have.is_integer() && !info.integer => DType::F64,
        None => return Ok(tensor),
    };
    match wanted {
        DType::Block(_) if have == U8 => unpack(name, tensor, wanted),
        DType::Float(_) if are_bits(have, wanted) => bits(name, &tensor, wanted),
        _ if have == wanted => Ok(tensor),
        DType::Int { .. } | DType::Bool if !have.is_integer() => {
            Err(format!("{name}: the array is {have}; {wanted} would cut its numbers"))
        }
        DType::Int { .. } | DType::Bool => integers(name, &tensor, wanted),
        _ => reals(name, &tensor, wanted),
    }
}

/// Integers that are kept in floats, where that is said.
fn kept(name: &str, tensor: &Tensor, wanted: Option<DType>) -> Result<Tensor, String> {
    let have = tensor.dtype;
    let Some(wanted) = wanted else {
        let help = format!("save it as int32 or int64, or say --types {name}={have}");
        return Err(format!("{name} holds integers, the array is {have}; {help}"));
    };
    let values = tensor.to_f64();
    match values.iter().position(|value| value.fract() != 0.0) {
        Some(at) => Err(format!("{name}: element {at} is {}, which is not an integer", values[at])),
        None => reals(name, tensor, wanted),
    }
}

/// Whether an array holds the bits of 16-bit floats, as NumPy keeps types that it does not have.
fn are_bits(have: DType, wanted: DType) -> bool {
    have == U16 && wanted.bytes_per_block() == 2 && matches!(wanted, DType::Float(_))
}

fn bits(name: &str, tensor: &Tensor, wanted: DType) -> Result<Tensor, String> {
    let bytes: Bytes = tensor.to_i64().iter().flat_map(|v| (*v as u16).to_le_bytes()).collect();
    Tensor::from_bytes(wanted, &tensor.shape, bytes).map_err(|e| format!("{name}: {e}"))
}

/// Bytes along the last axis as the blocks that they are.
fn unpack(name: &str, tensor: Tensor, wanted: DType) -> Result<Tensor, String> {
    let (bytes, elements) = (wanted.bytes_per_block(), wanted.elements_per_block());
    let mut shape = tensor.shape.clone();
    let Some(last) = shape.last_mut().filter(|last| **last % bytes == 0) else {
        return Err(format!(
            "{name}: {wanted} takes {bytes} bytes for {elements} numbers; the array's shape {:?} ends \
             in no multiple",
            tensor.shape
        ));
    };
    *last = *last / bytes * elements;
    let packed = if tensor.is_contiguous() { tensor } else { reals(name, &tensor, U8)? };
    Tensor::from_bytes(wanted, &shape, packed.bytes).map_err(|e| format!("{name}: {e}"))
}

fn integers(name: &str, tensor: &Tensor, wanted: DType) -> Result<Tensor, String> {
    let values = tensor.to_i64();
    let (lo, hi) = wanted.integer_range().unwrap_or((i128::MIN, i128::MAX));
    let large = tensor.dtype == DType::Int { bits: 64, signed: false };
    let value = |v: i64| if large { i128::from(v as u64) } else { i128::from(v) };
    match values.iter().position(|v| !(lo..=hi).contains(&value(*v))) {
        Some(at) => {
            Err(format!("{name}: element {at} is {}, which {wanted} does not hold", value(values[at])))
        }
        None => Ok(Tensor::from_i64(wanted, &tensor.shape, &values)),
    }
}

/// The largest number up to which f32 holds all whole ones.
const MOST_WHOLE: f64 = (1 << 24) as f64;

/// The same numbers, rounded to a type, in row order.
fn reals(name: &str, tensor: &Tensor, wanted: DType) -> Result<Tensor, String> {
    Tensor::bytes_needed(wanted, &tensor.shape).map_err(|e| format!("{name}: {e}"))?;
    let mut out = Tensor::zeros(wanted, &tensor.shape);
    let length = tensor.shape.last().copied().unwrap_or(1);
    let step = tensor.strides.last().copied().unwrap_or(1);
    let mut part = vec![0.0; PART.min(length)];
    let mut done = 0;
    tensor.each_row(|row| {
        for start in (0..length).step_by(PART) {
            let values = &mut part[..PART.min(length - start)];
            tensor.load_run(row + start * step, step as isize, values);
            out.store_run(done, 1, values);
            done += values.len();
        }
    });
    Ok(out)
}

/// An output of reals as it is. Wide whole numbers that nobody says are how it is stored are judged as reals: what is
/// left of others when they are cut is wrong. Nobody keeps reals in narrow ones but to store them so; those of 16 bits
/// without a sign may be the bits of floats.
fn real(info: &TensorInfo, tensor: Tensor) -> Result<Tensor, String> {
    let is_narrow = tensor.dtype.bytes_per_block() <= 2 && tensor.dtype != U16;
    if !tensor.dtype.is_integer() || is_narrow && tensor.dtype != DType::Bool {
        return Ok(tensor);
    }
    let single = tensor.to_f64().iter().all(|v| v.abs() <= MOST_WHOLE);
    reals(&info.name, &tensor, if single { DType::F32 } else { DType::F64 })
}

/// An output in the type that it was stored in: an array in a wider type must hold numbers of that type alone.
pub fn as_stored(info: &TensorInfo, tensor: Tensor, wanted: Option<DType>) -> Result<Tensor, String> {
    let Some(wanted) = wanted else {
        return if info.integer { convert(info, tensor, None) } else { real(info, tensor) };
    };
    let have = tensor.dtype;
    let is_wide = matches!(wanted, DType::Float(_)) && !are_bits(have, wanted);
    let wide = is_wide.then(|| tensor.to_f64());
    let stored = convert(info, tensor, Some(wanted))?;
    let other = |(a, b): (&f64, f64)| a.to_bits() != b.to_bits() && !(a.is_nan() && b.is_nan());
    let found = wide.and_then(|wide| {
        let at = wide.iter().zip(stored.to_f64()).position(other)?;
        Some((at, wide[at]))
    });
    match found {
        None => Ok(stored),
        Some((at, value)) => Err(format!(
            "{}: element {at} is {value}, which {wanted} does not hold: the array is {have} and was not dumped \
             from {wanted}",
            info.name
        )),
    }
}
