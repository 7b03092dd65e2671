//! Whether a kernel computes its op from packed numbers that it reads in another way: nibbles or bytes in another
//! order, another zero point, the scale of another block, no sign, another format. A misreading is told only if it
//! explains every element of every case at hand, right ones too.

use ktwin_lang::Open;
use ktwin_num::{BlockFormat, DType, Float, Tensor};

use crate::formula;
use crate::inputs::Prepared;
use crate::pattern::{Misread, What};
use crate::trial::Trial;

/// A case of more points than this is left out.
const LARGE: f64 = 5e5;
/// Zero points that formats have, and those beside the right one.
const SHIFTS: [i32; 4] = [8, 16, 1, -1];

/// The misreading of an input that explains all of these trials, at least one of which fails, and more of them, which
/// are made when one is found.
pub fn misread<'a>(trials: &[&Trial<'a>], more: &dyn Fn() -> Vec<Trial<'a>>) -> Option<What> {
    let mut trials = trials.to_vec();
    trials.retain(|t| t.prepared.at.points() < LARGE);
    trials.sort_by(|a, b| a.prepared.at.points().total_cmp(&b.prepared.at.points()));
    let inputs = trials.first()?.prepared.inputs.len();
    let explains = |&(number, how): &(usize, Misread)| {
        let explained = |trial: &Trial| {
            formula::explained_by(trial, &changed(&trial.prepared, number, how)?, Open::Nothing)
        };
        let evidence: Option<usize> = trials.iter().map(|trial| explained(trial).map(|all| all.wrong)).sum();
        evidence.is_some_and(|wrong| wrong > 0) && more().iter().all(|trial| explained(trial).is_some())
    };
    let mut each = (0..inputs).flat_map(|number| ways().map(move |how| (number, how)));
    let (number, how) = each.find(explains)?;
    let input = trials[0].prepared.kernel.op.inputs[number].name.clone();
    Some(What::Misread { input, how })
}

fn ways() -> impl Iterator<Item = Misread> {
    let orders =
        [Misread::NibblesSwapped, Misread::NibblesBeside, Misread::NibblesReversed, Misread::BytesReversed];
    let shifts = SHIFTS.map(|by| Misread::Shifted { by });
    let scales = [Misread::ScaleOfNext, Misread::ScaleOfPrevious, Misread::ScaleOfFirst];
    let parts = [Misread::NoMinimum, Misread::NoFifthBits, Misread::FifthBitsOfFirst];
    let types = [
        Misread::Unsigned,
        Misread::Signed,
        Misread::AsF16,
        Misread::AsBf16,
        Misread::AsE4m3,
        Misread::AsE5m2,
    ];
    orders.into_iter().chain(shifts).chain(scales).chain(parts).chain(types)
}

/// The same application with one input as it would be misread; none where its type cannot be.
fn changed<'k>(prepared: &Prepared<'k>, number: usize, how: Misread) -> Option<Prepared<'k>> {
    let tensor = prepared.inputs.get(number).filter(|tensor| tensor.is_contiguous())?;
    let other = match tensor.dtype {
        DType::Block(format) => parts_of_blocks(tensor, format, how).or_else(|| of_blocks(tensor, how))?,
        DType::Int { bits, .. } => match as_other(tensor.dtype, how) {
            Some(other) => Tensor { dtype: other, ..tensor.clone() },
            None => of_integers(tensor, bits as usize, how)?,
        },
        DType::Float(_) => Tensor { dtype: as_other(tensor.dtype, how)?, ..tensor.clone() },
        DType::Bool => return None,
    };
    let mut inputs = prepared.inputs.clone();
    inputs[number] = other;
    Some(Prepared { inputs, ..prepared.clone() })
}

/// The type of as many bytes that a type is taken for.
fn as_other(dtype: DType, how: Misread) -> Option<DType> {
    let other = match (how, dtype) {
        (Misread::Unsigned, DType::Int { bits, signed: true }) => DType::Int { bits, signed: false },
        (Misread::Signed, DType::Int { bits, signed: false }) => DType::Int { bits, signed: true },
        (Misread::AsF16, DType::Float(_)) => DType::Float(Float::F16),
        (Misread::AsBf16, DType::Float(_)) => DType::Float(Float::BF16),
        (Misread::AsE4m3, DType::Float(_)) => DType::Float(Float::E4M3),
        (Misread::AsE5m2, DType::Float(_)) => DType::Float(Float::E5M2),
        _ => return None,
    };
    (other != dtype && other.bytes_per_block() == dtype.bytes_per_block()).then_some(other)
}

/// Blocks with one of their parts read otherwise, in formats that have it.
fn parts_of_blocks(tensor: &Tensor, format: BlockFormat, how: Misread) -> Option<Tensor> {
    let (minimum, fifth) = match format {
        BlockFormat::Q4_1 => (Some(2..4), None),
        BlockFormat::Q5_0 => (None, Some(2..6)),
        BlockFormat::Q5_1 => (Some(2..4), Some(4..8)),
        _ => (None, None),
    };
    let part = match how {
        Misread::NoMinimum => minimum?,
        Misread::NoFifthBits | Misread::FifthBitsOfFirst => fifth?,
        _ => return None,
    };
    let mut other = tensor.clone();
    for block in other.bytes.chunks_exact_mut(tensor.dtype.bytes_per_block()) {
        let part = &mut block[part.clone()];
        match how {
            Misread::FifthBitsOfFirst => part.copy_within(..2, 2),
            _ => part.fill(0),
        }
    }
    Some(other)
}

/// Numbers in blocks, as they come out of a misreading.
fn of_blocks(tensor: &Tensor, how: Misread) -> Option<Tensor> {
    let (length, bytes) = (tensor.dtype.elements_per_block(), tensor.dtype.bytes_per_block());
    let mut values = tensor.to_f64();
    let blocks = tensor.bytes.chunks_exact(bytes);
    // the formats whose scale comes first
    let scales: Vec<f64> =
        blocks.map(|block| Float::F16.decode(u64::from(u16::from_le_bytes([block[0], block[1]])))).collect();
    let moved = |values: &[f64], from: &dyn Fn(usize) -> usize| {
        let at = |at: usize| values[at / length * length + from(at % length)];
        (0..values.len()).map(at).collect::<Vec<f64>>()
    };
    let half = length / 2;
    match how {
        Misread::NibblesSwapped => values = moved(&values, &|at| (at + half) % length),
        Misread::NibblesBeside => values = moved(&values, &|at| at / 2 + at % 2 * half),
        Misread::Shifted { by } => {
            let scale = |at: usize| f64::from(by) * scales[at / length];
            values.iter_mut().enumerate().for_each(|(at, value)| *value += scale(at));
        }
        // one code a byte: what is negative is too large by all that a byte can hold
        Misread::Unsigned if bytes == length + 2 => {
            let scale = |at: usize| 256.0 * scales[at / length];
            let negative = |at: usize| tensor.bytes[at / length * bytes + 2 + at % length] >> 7 == 1;
            let each = values.iter_mut().enumerate().filter(|(at, _)| negative(*at));
            each.for_each(|(at, value)| *value += scale(at));
        }
        Misread::ScaleOfNext | Misread::ScaleOfPrevious | Misread::ScaleOfFirst => {
            // the first and the last of a row have no other to take
            let row = tensor.shape.last()? / length;
            let beside = |at: usize| match how {
                Misread::ScaleOfNext if at % row + 1 < row => at + 1,
                Misread::ScaleOfPrevious if !at.is_multiple_of(row) => at - 1,
                Misread::ScaleOfFirst => at - at % row % 2,
                _ => at,
            };
            let mut other = tensor.clone();
            for (at, block) in other.bytes.chunks_exact_mut(bytes).enumerate() {
                let of = beside(at) * bytes;
                block[..2].copy_from_slice(&tensor.bytes[of..of + 2]);
            }
            return Some(other);
        }
        _ => return None,
    }
    Some(Tensor::from_f64(DType::F32, &tensor.shape, &values))
}

/// Words of packed numbers, as they come out of a misreading.
fn of_integers(tensor: &Tensor, bits: usize, how: Misread) -> Option<Tensor> {
    let reversed = |word: &mut [u8]| {
        word.reverse();
        word.iter_mut().for_each(|byte| *byte = byte.rotate_left(4));
    };
    let mut other = tensor.clone();
    let words = other.bytes.chunks_exact_mut(bits / 8);
    match how {
        Misread::NibblesSwapped => words.flatten().for_each(|byte| *byte = byte.rotate_left(4)),
        Misread::NibblesReversed if bits > 8 => words.for_each(reversed),
        Misread::BytesReversed if bits > 8 => words.for_each(<[u8]>::reverse),
        _ => return None,
    }
    Some(other)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two blocks of q4_0 in a row: codes count up, with scales of 1 and 2.
    fn blocks() -> Tensor {
        let block = |scale: u16| {
            let codes = (0..16u8).map(|at| at | (15 - at) << 4);
            scale.to_le_bytes().into_iter().chain(codes).collect::<Vec<u8>>()
        };
        let bytes = [block(0x3c00), block(0x4000)].concat();
        Tensor::from_bytes(DType::parse("q4_0").unwrap(), &[1, 64], bytes).unwrap()
    }

    #[test]
    fn blocks_are_misread_in_each_way() {
        let read = |how| of_blocks(&blocks(), how).unwrap().to_f64();
        let right = blocks().to_f64();
        assert_eq!((right[0], right[16], right[33]), (-8.0, 7.0, -14.0));
        let swapped = read(Misread::NibblesSwapped);
        assert_eq!((swapped[0], swapped[16]), (right[16], right[0]));
        let beside = read(Misread::NibblesBeside);
        assert_eq!((beside[0], beside[1], beside[2]), (right[0], right[16], right[1]));
        let shifted = read(Misread::Shifted { by: 8 });
        assert_eq!((shifted[0], shifted[33]), (0.0, 2.0));
        let (next, previous) = (read(Misread::ScaleOfNext), read(Misread::ScaleOfPrevious));
        assert_eq!((next[0], next[32], previous[0], previous[32]), (-16.0, right[32], right[0], -8.0));
        let first = read(Misread::ScaleOfFirst);
        assert_eq!((first[0], first[33]), (right[0], right[33] / 2.0));
        assert!(of_blocks(&blocks(), Misread::BytesReversed).is_none());
    }

    #[test]
    fn parts_of_blocks_are_left_out() {
        let block = |format: &str, bytes: &[u8]| {
            let dtype = DType::parse(format).unwrap();
            let mut all = bytes.to_vec();
            all.resize(dtype.bytes_per_block(), 0);
            Tensor::from_bytes(dtype, &[1, 32], all).unwrap()
        };
        let values = |tensor: &Tensor, format, how| parts_of_blocks(tensor, format, how).unwrap().to_f64();
        // a scale of 1, a minimum of 2
        let raised = block("q4_1", &[0, 0x3c, 0, 0x40, 3]);
        assert_eq!(raised.to_f64()[0], 5.0);
        assert_eq!(values(&raised, BlockFormat::Q4_1, Misread::NoMinimum)[0], 3.0);
        // fifth bits of the first number, and of that in the middle
        let fifth = block("q5_0", &[0, 0x3c, 1, 0, 0, 0]);
        assert_eq!((fifth.to_f64()[0], fifth.to_f64()[16]), (0.0, -16.0));
        let none = values(&fifth, BlockFormat::Q5_0, Misread::NoFifthBits);
        let first = values(&fifth, BlockFormat::Q5_0, Misread::FifthBitsOfFirst);
        assert_eq!((none[0], first[0], first[16]), (-16.0, 0.0, 0.0));
        assert!(parts_of_blocks(&raised, BlockFormat::Q4_1, Misread::NoFifthBits).is_none());
        let bytes = block("q8_0", &[0, 0x3c, 0xff, 1]);
        let unsigned = of_blocks(&bytes, Misread::Unsigned).unwrap().to_f64();
        assert_eq!((bytes.to_f64()[0], unsigned[0], unsigned[1]), (-1.0, 255.0, 1.0));
    }

    #[test]
    fn formats_of_as_many_bytes_are_taken_for_another() {
        let float = |name: &str| DType::parse(name).unwrap();
        assert_eq!(as_other(float("e4m3"), Misread::AsE5m2), Some(float("e5m2")));
        assert_eq!(as_other(float("f16"), Misread::AsBf16), Some(float("bf16")));
        assert_eq!(as_other(float("i8"), Misread::Unsigned), Some(float("u8")));
        for (dtype, how) in [("f32", Misread::AsF16), ("e5m2", Misread::AsE5m2), ("u8", Misread::Unsigned)] {
            assert_eq!(as_other(float(dtype), how), None, "{dtype}");
        }
    }

    #[test]
    fn words_are_misread_in_each_way() {
        let dtype = DType::Int { bits: 32, signed: false };
        let read = |how| {
            let word = Tensor::from_bytes(dtype, &[1], 0x1234_5678u32.to_le_bytes().to_vec()).unwrap();
            of_integers(&word, 32, how).map(|word| word.to_i64()[0])
        };
        assert_eq!(read(Misread::NibblesSwapped), Some(0x2143_6587));
        assert_eq!(read(Misread::NibblesReversed), Some(0x8765_4321));
        assert_eq!(read(Misread::BytesReversed), Some(0x7856_3412));
        assert_eq!(read(Misread::Shifted { by: 1 }), None);
        let byte = Tensor::from_bytes(DType::Int { bits: 8, signed: false }, &[1], vec![0x12]).unwrap();
        assert!(of_integers(&byte, 8, Misread::BytesReversed).is_none());
    }
}
