//! From a buffer of a header to its bytes. Plain data in and out; the formats come from `ktwin-num`.

use crate::header::{Buffer, Fill, Space, Type};
use crate::rng::Rng;
use ktwin_num::Float;

/// Bytes before the launch, and whether anything wrote them.
pub struct Filled {
    /// A whole number of words; of 16 bytes where uniform.
    pub bytes: Vec<u8>,
    /// False where the contents are undefined.
    pub written: bool,
}

impl Type {
    /// The format, where it is one of a float.
    pub fn float(self) -> Option<Float> {
        match self {
            Type::F16 => Some(Float::F16),
            Type::F32 => Some(Float::F32),
            Type::F64 => Some(Float::F64),
            _ => None,
        }
    }

    /// Bytes of an element; q4_0 has none of its own.
    pub fn size(self) -> usize {
        match self {
            Type::F16 | Type::U16 | Type::I16 => 2,
            Type::F32 | Type::U32 | Type::I32 => 4,
            Type::F64 | Type::U64 | Type::I64 => 8,
            Type::Q4_0 => 0,
        }
    }

    fn encode(self, x: f64) -> u64 {
        match self.float() {
            Some(format) => format.encode(x),
            None if x < 0.0 => (x as i64) as u64,
            None => x as u64,
        }
    }
}

/// What the buffer holds before the launch.
pub fn fill(buffer: &Buffer) -> Filled {
    let len = buffer.len.or(buffer.values.as_ref().map(Vec::len)).unwrap_or(0);
    let mut bytes = if buffer.ty == Type::Q4_0 { q4_0(len, buffer.seed) } else { elements(buffer, len) };
    let unit = if buffer.space == Space::Uniform { 16 } else { 4 };
    bytes.resize(bytes.len().next_multiple_of(unit).max(unit), 0);
    let written = buffer.values.is_some() || buffer.fill.is_some() || buffer.ty == Type::Q4_0;
    Filled { bytes, written }
}

fn elements(buffer: &Buffer, len: usize) -> Vec<u8> {
    let mut rng = Rng::new(buffer.seed);
    let size = buffer.ty.size();
    let mut bytes = Vec::with_capacity(len * size);
    for i in 0..len {
        let bits = match &buffer.values {
            Some(values) if !values.is_empty() => buffer.ty.encode(values[i % values.len()]),
            _ => element(buffer, i, &mut rng),
        };
        bytes.extend_from_slice(&bits.to_le_bytes()[..size]);
    }
    bytes
}

fn element(buffer: &Buffer, i: usize, rng: &mut Rng) -> u64 {
    let (lo, hi) = (buffer.lo, buffer.hi);
    match buffer.fill {
        None | Some(Fill::Zeros) => 0,
        Some(Fill::Bits) => rng.bits(),
        Some(Fill::Iota) => buffer.ty.encode(i as f64),
        Some(Fill::Uniform) if buffer.ty.float().is_some() => {
            buffer.ty.encode(rng.real(lo.unwrap_or(-1.0), hi.unwrap_or(1.0)))
        }
        Some(Fill::Uniform) => {
            let (lo, hi) = (lo.unwrap_or(0.0), hi.unwrap_or(100.0));
            buffer.ty.encode(lo + rng.below((hi - lo) as usize + 1) as f64)
        }
        Some(Fill::Finite) => finite(buffer.ty, rng),
        Some(Fill::Edges) => match edges(buffer.ty).get(rng.below(EDGES_OF)) {
            Some(&bits) => bits,
            None => finite(buffer.ty, rng),
        },
    }
}

// About half of the elements are edges.
const EDGES_OF: usize = 40;

fn finite(ty: Type, rng: &mut Rng) -> u64 {
    let Some(format) = ty.float() else {
        // Small, medium and large integers alike.
        return ((rng.bits() as i64) >> rng.below(64)) as u64;
    };
    loop {
        let bits = rng.bits() & (u64::MAX >> (64 - format.bits()));
        let x = format.decode(bits);
        if x.is_finite() && (x == 0.0 || x.abs() >= format.min_normal()) {
            return bits;
        }
    }
}

fn edges(ty: Type) -> Vec<u64> {
    let Some(format) = ty.float() else {
        return [0, 1, 2, 3, 31, 32, 33, 127, 128, 255, 256, 32767, 32768, 65535, 1 << 31, (1 << 31) - 1]
            .into_iter()
            .chain([-1i64, -2, -31, -128, -129, -32768].map(|x| x as u64))
            .collect();
    };
    let (top, least) = (format.max_finite(), format.min_normal());
    let whole = (2f64).powi(format.precision() as i32 - 1);
    [0.0, 0.5, 1.0, 1.5, 2.0, 2.5, 3.5, 127.5, whole, whole + 1.0, 2.0 * whole, top, least]
        .into_iter()
        .flat_map(|x| [x, -x])
        .map(|x| format.encode(x))
        .collect()
}

fn q4_0(len: usize, seed: u64) -> Vec<u8> {
    let mut rng = Rng::new(seed);
    let mut bytes = Vec::with_capacity(len / 32 * 18);
    for _ in 0..len / 32 {
        let scale = Float::F16.encode(rng.real(0.01, 0.1));
        bytes.extend_from_slice(&scale.to_le_bytes()[..2]);
        bytes.extend_from_slice(&rng.bits().to_le_bytes());
        bytes.extend_from_slice(&rng.bits().to_le_bytes());
    }
    bytes
}
